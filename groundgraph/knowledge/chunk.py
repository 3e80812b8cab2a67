"""Cut a document into chunks that are small enough to retrieve and whole enough to understand."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from groundgraph.errors import InputError
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.parts import Part, children, merged, parts, sections
from groundgraph.knowledge.semantic import Embed, semantic

CHUNKERS = {"paragraph": 800, "fixed": 500, "semantic": 800, "hierarchical": 300}
"""The chunkers, and how many characters a chunk has at most unless another size is asked for."""
DEFAULT_CHUNKER = "paragraph"
DEFAULT_SIZE = CHUNKERS[DEFAULT_CHUNKER]
PARENT_SIZE = 2000
"""Most characters of a parent; more only where a larger size of its children is asked for."""

_INK = re.compile(r"\S")


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
    """Page the chunk stands on, counted from 1, where the document has pages."""
    parent: tuple[int, int] | None = None
    """Span of the larger chunk that is read in place of this one once it is found; None if there is none."""
    parent_header: str = ""
    """Header of the table that the parent goes on with, to stand above the parent's text."""

    @property
    def context(self) -> str:
        """Return the text with its heading above it, as it is embedded."""
        return f"{self.heading}\n{self.text}" if self.heading else self.text


def chunk(
    document: LoadedDocument,
    *,
    chunker: str = DEFAULT_CHUNKER,
    size: int | None = None,
    overlap: int = 0,
    embed: Embed | None = None,
) -> list[Chunk]:
    """Return the chunks of a document in order; every character that is not space is in one of them or in a heading.

    Args:
        document: The document.
        chunker: `paragraph` fills chunks with whole blocks of one section, and cuts a block only where it is longer
            than `size`: a table between rows, a list between items, code between lines, prose between sentences.
            `fixed` cuts at every `size` characters. `semantic` cuts where neighbouring sentences differ in meaning.
            `hierarchical` cuts parents like `paragraph` at `PARENT_SIZE` characters, and returns their children.
        size: Most characters of a chunk's text, at least 1; by default that of the chunker.
        overlap: Characters that neighbouring chunks share, less than `size`; `fixed` only.
        embed: Gives passages their vectors; needed by `semantic`.

    Raises:
        InputError: An unknown chunker, a size or overlap out of its range, an overlap for another chunker than
                `fixed`, or no `embed` where it is needed.
        ModelError: The embedding model fails.
    """
    size = _checked_size(chunker, size, overlap)
    if document.pages:
        return _by_page(document, chunker, size, overlap, embed)
    if chunker == "fixed":
        found: Iterable[Chunk] = _fixed(document, size, overlap)
    elif chunker == "hierarchical":
        found = _hierarchical(document, size)
    elif chunker == "semantic":
        if embed is None:
            raise InputError("chunker='semantic' compares sentences by their vectors: give embed an embedding model's")
        found = (_chunk(document, heading, part) for heading, part in semantic(document, size, embed))
    else:
        found = (_chunk(document, heading, part) for heading, part in _paragraph(document, size))
    return list(found)


def _by_page(document: LoadedDocument, chunker: str, size: int, overlap: int, embed: Embed | None) -> list[Chunk]:
    """Cut each page by itself, so that a chunk, and what is quoted from it, stands on the page it names."""
    found: list[Chunk] = []
    bounds = pairwise([*document.pages, len(document.text)])
    for number, (start, end) in enumerate(bounds, start=1):
        page = replace(document, text=document.text[start:end], pages=())
        for piece in chunk(page, chunker=chunker, size=size, overlap=overlap, embed=embed):
            parent = piece.parent and (piece.parent[0] + start, piece.parent[1] + start)
            found.append(replace(piece, start=piece.start + start, end=piece.end + start, parent=parent, page=number))
    return found


def _checked_size(chunker: str, size: int | None, overlap: int) -> int:
    if chunker not in CHUNKERS:
        raise InputError(f"unknown chunker {chunker!r}; choose one of {', '.join(CHUNKERS)}")
    size = CHUNKERS[chunker] if size is None else size
    if size < 1 or not 0 <= overlap < size:
        raise InputError(f"chunk size={size!r} and overlap={overlap!r}; need size >= 1 and 0 <= overlap < size")
    if overlap and chunker != "fixed":
        raise InputError(f"overlap={overlap!r} is for chunker 'fixed' only, not {chunker!r}: leave one of them out")
    return size


def _fixed(document: LoadedDocument, size: int, overlap: int) -> Iterator[Chunk]:
    text = document.text
    end = 0
    while _ink(text, end) < len(text):
        start = _ink(text, max(0, end - overlap))
        end = min(start + size, len(text))
        last = start + len(text[start:end].rstrip())
        yield Chunk(text[start:last], start, last, document.title)


def _paragraph(document: LoadedDocument, size: int) -> Iterator[tuple[str, Part]]:
    for heading, blocks in sections(document):
        for part in merged((part for block in blocks for part in parts(document.text, block, size)), size):
            yield heading, part


def _hierarchical(document: LoadedDocument, size: int) -> Iterator[Chunk]:
    """Yield the children of each parent in order; a child lies within its parent."""
    text, parent_size = document.text, max(size, PARENT_SIZE)
    for heading, blocks in sections(document):
        for parent in merged((part for block in blocks for part in parts(text, block, parent_size)), parent_size):
            span = parent.start, parent.end
            for part in children(text, parent, blocks, size):
                yield replace(_chunk(document, heading, part), parent=span, parent_header=parent.header)


def _chunk(document: LoadedDocument, heading: str, part: Part) -> Chunk:
    return Chunk(part.text(document.text), part.start, part.end, heading)


def _ink(text: str, position: int) -> int:
    """Return where the next character stands that is not space, or the text's length."""
    match = _INK.search(text, position)
    return match.start() if match else len(text)
