"""The blocks of a text: headings, paragraphs, lists, tables and code, each with its span and the headings above it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from groundgraph.knowledge.document import Format

Kind = Literal["heading", "paragraph", "list", "table", "code"]

_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.{0,199}?)[ \t#]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]")
_ROW = re.compile(r"[ \t]*\|")
_DEFINITION = re.compile(
    r"((?:(?:export|default|declare|public|private|protected|internal|static|abstract|final|sealed|async|unsafe|const|"
    r"pub(?:\([^)]*\))?)\s+)*"
    r"(?:class|def|func|fn|fun|function|interface|struct|enum|trait|impl|module|namespace|type|object|protocol|sub)\s+"
    r"[\w(*&<][^\n{]{0,160}?)\s*(?:[{:=]?\s*$|\{)"
)
_INDENTED = re.compile(r"[ \t]{2,}\S")


@dataclass(frozen=True)
class Block:
    """Characters `start` to `end` of a text, without the line break at the end."""

    kind: Kind
    start: int
    end: int
    headings: tuple[str, ...] = ()
    """Headings above the block, outermost first; for a heading, itself last."""


@dataclass(frozen=True)
class _Line:
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def blocks(text: str, form: Format = "markdown") -> list[Block]:
    """Return the blocks of `text` in order; together they hold every character that is not space.

    Args:
        text: Markdown or plain text, its lines ended as `decode.clean` leaves them.
        form: In `markdown`, headings, lists, tables and fences mean something; in `text` there are only paragraphs; in
            `code`, every definition that begins at the margin is a block, with the line that names it as its heading.
    """
    lines = _lines(text)
    if form == "code":
        return list(_definitions(lines))
    return _with_headings(text, _markdown_blocks(lines) if form == "markdown" else _paragraphs(lines))


def _lines(text: str) -> list[_Line]:
    lines, position = [], 0
    for line in text.split("\n"):
        lines.append(_Line(position, line))
        position += len(line) + 1
    return lines


def _paragraphs(lines: list[_Line]) -> Iterator[Block]:
    start = end = -1
    for line in lines:
        if line.text.strip():
            start, end = (line.start if start < 0 else start), line.end
        elif start >= 0:
            yield Block("paragraph", start, end)
            start = -1
    if start >= 0:
        yield Block("paragraph", start, end)


def _definitions(lines: list[_Line]) -> Iterator[Block]:
    """Yield the lines of a program between blank lines that a line at the margin follows."""
    first = 0
    for position, line in enumerate([*lines[1:], _Line(-1, "end")], start=1):
        is_margin = line.text[:1].strip() and not lines[position - 1].text.strip()
        if not (is_margin or position == len(lines)):
            continue
        held = [one for one in lines[first:position] if one.text.strip()]
        if held:
            named = next((match[1] for one in held if (match := _DEFINITION.match(one.text))), None)
            yield Block("code", held[0].start, held[-1].end, (named.strip(),) if named else ())
        first = position


def _markdown_blocks(lines: list[_Line]) -> Iterator[Block]:
    position = 0
    while position < len(lines):
        line = lines[position]
        if not line.text.strip():
            position += 1
            continue
        kind, after = _block_at(lines, position)
        yield Block(kind, line.start, lines[after - 1].end)
        position = after


def _block_at(lines: list[_Line], position: int) -> tuple[Kind, int]:
    """Return the kind of the block that begins at a line that is not blank, and the line after it."""
    text = lines[position].text
    after = position + 1
    if fence := _FENCE.match(text):
        while after < len(lines) and not lines[after].text.strip().startswith(fence[1]):
            after += 1
        return "code", min(after + 1, len(lines))
    if _HEADING.match(text):
        return "heading", after
    if _ROW.match(text):
        while after < len(lines) and _ROW.match(lines[after].text):
            after += 1
        return "table", after
    if _ITEM.match(text):
        return "list", _list_end(lines, after)
    if after < len(lines) and len(text) <= 200 and _UNDERLINE.match(lines[after].text):
        return "heading", after + 1
    while after < len(lines) and lines[after].text.strip() and not _interrupts(lines[after].text):
        after += 1
    return "paragraph", after


def _interrupts(text: str) -> bool:
    """Tell whether a line ends the paragraph before it."""
    return any(pattern.match(text) for pattern in (_FENCE, _HEADING, _ROW, _ITEM))


def _list_end(lines: list[_Line], after: int) -> int:
    """Return the line after a list: items, their continuation lines, and blank lines between them belong to it."""
    end = after
    while after < len(lines):
        text = lines[after].text
        if text.strip() and not _ITEM.match(text) and not _INDENTED.match(text):
            if not lines[after - 1].text.strip() or _interrupts(text):
                break
        after += 1
        end = after if text.strip() else end
    return end


def _with_headings(text: str, found: Iterator[Block]) -> list[Block]:
    above: list[tuple[int, str]] = []
    result = []
    for block in found:
        if block.kind == "heading":
            level, title = _level_and_title(text[block.start : block.end])
            above = [(other, name) for other, name in above if other < level] + [(level, title)]
        result.append(Block(block.kind, block.start, block.end, tuple(name for _, name in above)))
    return result


def _level_and_title(heading: str) -> tuple[int, str]:
    if match := _HEADING.match(heading):
        return len(match[1]), match[2]
    title, _, underline = heading.rpartition("\n")
    return (1 if underline.strip().startswith("=") else 2), title.strip()
