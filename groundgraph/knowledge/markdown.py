"""Markdown: its front matter as metadata, its comments left out."""

import re
from collections.abc import Iterator

from groundgraph.errors import LoadError
from groundgraph.knowledge.document import LoadedDocument, hidden_parts
from groundgraph.knowledge.front_matter import split_front_matter
from groundgraph.knowledge.sentences import Span

_OPENING = re.compile(
    r"^ {0,3}(?P<fence>```+|~~~+)|(?P<ticks>`+)|<!--|"
    r"^ {0,3}\[[^\]\n]{1,100}\]:[ \t]*(?:#|<>)[ \t]+(?P<title>[\"'(])",
    re.MULTILINE,
)
_END = {'"': '"', "'": "'", "(": ")"}
_LINE_END = re.compile(r"[ \t]*$", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_LONGEST_TITLE = 10_000
"""Characters of a comment that is written as the title of a link that leads nowhere."""


def markdown_document(text: str, source: str) -> LoadedDocument:
    """Return Markdown with the fields of its front matter as metadata, and without comments.

    Raises:
        LoadError: It holds no text.
    """
    fields, text = split_front_matter(text)
    shown, hidden, last = "", 0, 0
    for (start, end), inside in _comments(text):
        shown += text[last:start]
        hidden += len("".join(text[slice(*inside)].split()))
        last = end
    shown += text[last:]
    if not shown.strip():
        raise LoadError("no text below its front matter")
    title = str(fields.pop("title")) if isinstance(fields.get("title"), str) else ""
    return LoadedDocument(
        source, shown, title=title, metadata=fields, format="markdown", hidden=hidden_parts(character=hidden)
    )


def _comments(text: str) -> Iterator[tuple[Span, Span]]:
    """Yield the spans of comments, which no reader sees, and of what they say; what looks like one in code is none.

    A comment is written `<!-- … -->`, or as a link that leads nowhere: `[//]: # (…)`.
    """
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
        elif title := opening["title"]:
            end = text.find(_END[title], position, position + _LONGEST_TITLE)
            if end >= 0 and _LINE_END.match(text, end + 1) and not _BLANK_LINE.search(text, position, end):
                yield (start, end + 1), (position, end)
                position = end + 1
        else:
            end = text.find("-->", position)
            if end < 0:
                return
            yield (start, end + len("-->")), (position, end)
            position = end + len("-->")
