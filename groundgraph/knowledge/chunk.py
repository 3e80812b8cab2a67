"""Cut a document into chunks that are small enough to retrieve and whole enough to understand."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import NamedTuple

from groundgraph.errors import InputError
from groundgraph.knowledge.blocks import Block, blocks
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.sentences import Span, sentences, trim

DEFAULT_CHUNKER = "paragraph"
DEFAULT_SIZE = 800

_INK = re.compile(r"\S")
_BREAK = re.compile(r"[\s,;，、；。]")
_RULE = re.compile(r"[\s:|-]*-[\s:|-]*")


@dataclass(frozen=True)
class Chunk:
    """A piece of a document.

    `text` is the document's `text[start:end]`, but for the later parts of a table too long for one chunk: these have
    the table's header above the rows that the span covers.
    """

    text: str
    start: int
    end: int
    heading: str = ""
    """Headings above the chunk, joined by ` > `, or else the document's title."""
    page: int | None = None
    """Page the chunk starts on, counted from 1, where the document has pages."""
    parent: tuple[int, int] | None = None
    """Span of the larger piece that is returned where this one matches; None if this one is."""

    @property
    def context(self) -> str:
        """Return the text with its heading above it, as it is embedded."""
        return f"{self.heading}\n{self.text}" if self.heading else self.text


class _Part(NamedTuple):
    start: int
    end: int
    header: str = ""
    """What stands above the part that is not there in the document: a table's header, with its line break."""


def chunk(
    document: LoadedDocument, *, chunker: str = DEFAULT_CHUNKER, size: int = DEFAULT_SIZE, overlap: int = 0
) -> list[Chunk]:
    """Return the chunks of a document in order; every character that is not space is in one of them or in a heading.

    Args:
        document: The document.
        chunker: `paragraph` fills chunks with whole blocks of one section, and cuts a block only where it is longer
            than `size`: a table between rows, a list or code between lines, prose between sentences. `fixed` cuts at
            every `size` characters.
        size: Most characters of a chunk's text, at least 1.
        overlap: Characters that neighbouring chunks share, less than `size`; `fixed` only.

    Raises:
        InputError: An unknown chunker, or a size or overlap out of its range.
    """
    if chunker not in CHUNKERS:
        raise InputError(f"unknown chunker {chunker!r}; choose one of {', '.join(CHUNKERS)}")
    if size < 1 or not 0 <= overlap < size:
        raise InputError(f"chunk size={size!r} and overlap={overlap!r}; need size >= 1 and 0 <= overlap < size")
    found = CHUNKERS[chunker](document, size, overlap)
    pages = document.pages
    return [replace(piece, page=bisect_right(pages, piece.start)) for piece in found] if pages else list(found)


def _fixed(document: LoadedDocument, size: int, overlap: int) -> Iterator[Chunk]:
    text = document.text
    end = 0
    while _ink(text, end) < len(text):
        start = _ink(text, max(0, end - overlap))
        end = min(start + size, len(text))
        last = start + len(text[start:end].rstrip())
        yield Chunk(text[start:last], start, last, document.title)


def _paragraph(document: LoadedDocument, size: int, _overlap: int) -> Iterator[Chunk]:
    text = document.text
    for headings, section in groupby(_body(document), key=lambda block: block.headings):
        heading = " > ".join(headings) or document.title
        for part in _merged((part for block in section for part in _parts(text, block, size)), size):
            yield Chunk(part.header + text[part.start : part.end], part.start, part.end, heading)


CHUNKERS: dict[str, Callable[[LoadedDocument, int, int], Iterable[Chunk]]] = {"paragraph": _paragraph, "fixed": _fixed}


def _body(document: LoadedDocument) -> Iterator[Block]:
    """Yield the blocks that become text: all, but a heading only where nothing stands below it."""
    found = blocks(document.text, markdown=document.format == "markdown")
    end = Block("heading", len(document.text), len(document.text))
    for block, following in pairwise([*found, end]):
        is_alone = following.kind == "heading" and following.headings[:-1] != block.headings
        if block.kind != "heading" or is_alone:
            yield block


def _merged(parts: Iterable[_Part], size: int) -> Iterator[_Part]:
    """Join neighbouring parts while they fit into `size`; those with a header stand alone."""
    filled: _Part | None = None
    for part in parts:
        if filled and not filled.header and not part.header and part.end - filled.start <= size:
            filled = _Part(filled.start, part.end)
            continue
        if filled:
            yield filled
        filled = part
    if filled:
        yield filled


def _parts(text: str, block: Block, size: int) -> Iterator[_Part]:
    """Yield a block whole if it fits, else in pieces that fit."""
    start, end = trim(text, block.start, block.end) or (block.start, block.start)
    if end - start <= size:
        yield _Part(start, end)
    elif block.kind == "table":
        yield from _table_parts(text, (start, end), size)
    elif block.kind == "paragraph":
        yield from _pieces(text, ((start + first, start + last) for first, last in sentences(text[start:end])), size)
    else:
        yield from _pieces(text, _lines(text, start, end), size)


def _table_parts(text: str, span: Span, size: int) -> Iterator[_Part]:
    """Yield a table cut between rows, its header above each part if it leaves half of `size` for rows."""
    rows = list(_lines(text, *span))
    has_header = len(rows) > 2 and _RULE.fullmatch(text, *rows[1])
    header = text[span[0] : rows[1][1]] + "\n" if has_header else ""
    if not header or len(header) > size // 2:
        yield from _pieces(text, rows, size)
        return
    room = size - len(header)
    first, *others = _merged(_pieces(text, rows[2:], room), room)
    yield _Part(span[0], first.end)
    for part in others:
        yield _Part(part.start, part.end, header)


def _pieces(text: str, spans: Iterable[Span], size: int) -> Iterator[_Part]:
    """Yield spans, those longer than `size` cut: after a space or comma in their second half if there is one."""
    for start, end in spans:
        while end - start > size:
            breaks = list(_BREAK.finditer(text, start + size // 2, start + size))
            cut = breaks[-1].end() if breaks else start + size
            if piece := trim(text, start, cut):
                yield _Part(*piece)
            start = cut
        if piece := trim(text, start, end):
            yield _Part(*piece)


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    for line in text[start:end].split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _ink(text: str, position: int) -> int:
    """Return where the next character stands that is not space, or the text's length."""
    match = _INK.search(text, position)
    return match.start() if match else len(text)
