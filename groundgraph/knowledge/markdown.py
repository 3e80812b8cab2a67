"""Markdown: its front matter as metadata, its comments left out."""

import re

from groundgraph.errors import LoadError
from groundgraph.knowledge.document import LoadedDocument, hidden_parts
from groundgraph.knowledge.front_matter import split_front_matter

_COMMENT = re.compile(
    r"^ {0,3}(?P<fence>```+|~~~+).*?(?:^ {0,3}(?P=fence)|\Z)|(?P<ticks>`+)[^`\n]+(?P=ticks)"
    r"|[ \t]*<!--(?P<comment>.*?)-->",
    re.DOTALL | re.MULTILINE,
)
"""A comment, which no reader sees; what looks like one in code is none."""


def markdown_document(text: str, source: str) -> LoadedDocument:
    """Return Markdown with the fields of its front matter as metadata, and without comments.

    Raises:
        LoadError: It holds no text.
    """
    fields, text = split_front_matter(text)
    hidden = 0

    def shown(match: re.Match[str]) -> str:
        nonlocal hidden
        if match["comment"] is None:
            return match[0]
        hidden += len("".join(match["comment"].split()))
        return ""

    text = _COMMENT.sub(shown, text)
    if not text.strip():
        raise LoadError("no text below its front matter")
    title = str(fields.pop("title")) if isinstance(fields.get("title"), str) else ""
    return LoadedDocument(
        source, text, title=title, metadata=fields, format="markdown", hidden=hidden_parts(character=hidden)
    )
