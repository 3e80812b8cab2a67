"""Markdown: its front matter as metadata, its comments left out."""

import re
from collections.abc import Iterator

from groundgraph.errors import LoadError
from groundgraph.knowledge.document import LoadedDocument, hidden_parts
from groundgraph.knowledge.front_matter import split_front_matter
from groundgraph.knowledge.sentences import Span

_OPENING = re.compile(r"^ {0,3}(?P<fence>```+|~~~+)|(?P<ticks>`+)|<!--", re.MULTILINE)


def markdown_document(text: str, source: str) -> LoadedDocument:
    """Return Markdown with the fields of its front matter as metadata, and without comments.

    Raises:
        LoadError: It holds no text.
    """
    fields, text = split_front_matter(text)
    shown, hidden, last = "", 0, 0
    for start, end in _comments(text):
        shown += text[last:start]
        hidden += len("".join(text[start + len("<!--") : end - len("-->")].split()))
        last = end
    shown += text[last:]
    if not shown.strip():
        raise LoadError("no text below its front matter")
    title = str(fields.pop("title")) if isinstance(fields.get("title"), str) else ""
    return LoadedDocument(
        source, shown, title=title, metadata=fields, format="markdown", hidden=hidden_parts(character=hidden)
    )


def _comments(text: str) -> Iterator[Span]:
    """Yield the spans of comments, which no reader sees; what looks like one in code is none."""
    position = 0
    while opening := _OPENING.search(text, position):
        start, position = opening.span()
        if fence := opening["fence"]:
            closing = re.compile(rf"^ {{0,3}}{fence}", re.MULTILINE).search(text, position)
            if closing is None:
                return
            position = closing.end()
        elif ticks := opening["ticks"]:
            line_end = text.find("\n", position)
            closed = text.find(ticks, position, line_end if line_end >= 0 else len(text))
            position = closed + len(ticks) if closed >= 0 else position
        else:
            end = text.find("-->", position)
            if end < 0:
                return
            position = end + len("-->")
            yield start, position
