"""Cut the blocks of a document into parts that fit a size, at the best places there are."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby, pairwise
from typing import NamedTuple

from groundgraph.knowledge.blocks import Block, blocks
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.sentences import Span, sentences, trim

_BREAK = re.compile(r"[\s,;，、；。]")
_RULE = re.compile(r"[\s:|-]*-[\s:|-]*")


class Part(NamedTuple):
    """Characters `start` to `end` of a text, without the space around them."""

    start: int
    end: int
    header: str = ""
    """What stands above the part that is not there in the document: a table's header, with its line break."""

    def text(self, document: str) -> str:
        """Return what the part is in the text of its document, below its header."""
        return self.header + document[self.start : self.end]


def sections(document: LoadedDocument) -> Iterator[tuple[str, list[Block]]]:
    """Yield the blocks below each heading, with the headings joined by ` > `, or else the document's title.

    A heading is left out, but where nothing stands below it. Two equal headings are two sections.
    """
    for (_, headings), section in groupby(_body(document), key=lambda found: (found[0], found[1].headings)):
        yield " > ".join(headings) or document.title, [block for _, block in section]


def parts(text: str, block: Block, size: int) -> Iterator[Part]:
    """Yield a block whole if it fits, else in pieces that fit."""
    start, end = trim(text, block.start, block.end) or (block.start, block.start)
    if end - start <= size:
        yield Part(start, end)
    elif block.kind == "table":
        yield from _table_parts(text, (start, end), size)
    elif block.kind == "code":
        yield from pieces(text, _lines(text, start, end), size)
    else:
        yield from pieces(text, units(text, start, end), size)


def children(text: str, parent: Part, section: Iterable[Block], size: int) -> Iterator[Part]:
    """Yield what `parent` holds of its section in parts that fit into `size`."""
    if parent.header and len(parent.header) <= size // 2:
        yield from _rows(text, _lines(text, parent.start, parent.end), parent.header, size)
        return
    held = (
        replace(block, start=max(block.start, parent.start), end=min(block.end, parent.end))
        for block in section
        if block.start < parent.end and parent.start < block.end
    )
    yield from merged((part for block in held for part in parts(text, block, size)), size)


def units(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the spans of the sentences and list items between two places of `text`."""
    return ((start + first, start + last) for first, last in sentences(text[start:end]))


def merged(found: Iterable[Part], size: int) -> Iterator[Part]:
    """Join neighbouring parts while they fit into `size`; those with a header stand alone."""
    filled: Part | None = None
    for part in found:
        if filled and not filled.header and not part.header and part.end - filled.start <= size:
            filled = Part(filled.start, part.end)
            continue
        if filled:
            yield filled
        filled = part
    if filled:
        yield filled


def pieces(text: str, spans: Iterable[Span], size: int) -> Iterator[Part]:
    """Yield spans, those longer than `size` cut: at a line's end, a space or a comma in their second half if any."""
    for start, end in spans:
        while end - start > size:
            cut = _cut(text, start + size // 2, start + size)
            if piece := trim(text, start, cut):
                yield Part(*piece)
            start = cut
        if piece := trim(text, start, end):
            yield Part(*piece)


def _cut(text: str, first: int, last: int) -> int:
    """Return the best place to cut between two others: after the last line there, else the last break, else `last`."""
    line = text.rfind("\n", first, last)
    breaks = [line] if line >= 0 else [match.start() for match in _BREAK.finditer(text, first, last)]
    return breaks[-1] + 1 if breaks else last


def _body(document: LoadedDocument) -> Iterator[tuple[int, Block]]:
    """Yield the blocks that become text, and how many headings there are up to each.

    All become text, but a heading only where nothing stands below it.
    """
    found = blocks(document.text, document.format)
    end = Block("heading", len(document.text), len(document.text))
    headings = 0
    for block, following in pairwise([*found, end]):
        headings += block.kind == "heading"
        is_alone = following.kind == "heading" and following.headings[:-1] != block.headings
        if block.kind != "heading" or is_alone:
            yield headings, block


def _table_parts(text: str, span: Span, size: int) -> Iterator[Part]:
    """Yield a table cut between rows, its header above each part if it leaves half of `size` for rows."""
    rows = list(_lines(text, *span))
    has_header = len(rows) > 2 and _RULE.fullmatch(text, *rows[1])
    header = text[span[0] : rows[1][1]] + "\n" if has_header else ""
    if not header or len(header) > size // 2:
        yield from pieces(text, rows, size)
        return
    first, *others = _rows(text, rows[2:], header, size)
    yield Part(span[0], first.end)
    yield from others


def _rows(text: str, rows: Iterable[Span], header: str, size: int) -> Iterator[Part]:
    room = size - len(header)
    for part in merged(pieces(text, rows, room), room):
        yield Part(part.start, part.end, header)


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    for line in text[start:end].split("\n"):
        yield start, start + len(line)
        start += len(line) + 1
