"""Cut a document where its subject changes: where the embeddings of neighbouring sentences part."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from groundgraph.errors import InputError
from groundgraph.knowledge.blocks import Block
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.parts import Part, parts, pieces, sections, units

Floats = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Floats]
"""Turns texts into vectors of length 1, shape (len(texts), dimension)."""

PERCENTILE = 90
"""Of all neighbouring sentences, these percent are near enough each other to stay together."""
_WINDOW = 2
"""Sentences on each side of a place whose mean vectors are compared; one sentence alone says too little."""


def semantic(document: LoadedDocument, size: int, embed: Embed) -> Iterator[tuple[str, Part]]:
    """Yield the parts of a document with the heading of each; a part is of one section and fits into `size`.

    A section is cut where what stands before and what stands after are further apart than at 90 percent of the places
    of the document, and where a part is still too long, at its widest gap. Sentences, and other blocks that fit, are
    never cut; a part of less than a quarter of `size` joins a neighbour where both fit.

    Vectors are rounded to half precision, in which they may have been kept, so that a document is always cut alike.

    Raises:
        InputError: The embedding model gives another number of vectors than it was given texts.
    """
    text = document.text
    found = [
        (heading, [unit for block in blocks for unit in _units(text, block, size)])
        for heading, blocks in sections(document)
    ]
    long = [section for _, section in found if section[-1].end - section[0].start > size // 2]
    vectors = _embedded([unit.text(text) for section in long for unit in section], embed)
    ends = np.cumsum([len(section) for section in long], dtype=int)
    gaps = {section[0].start: _gaps(part) for section, part in zip(long, np.split(vectors, ends), strict=False)}
    every = np.concatenate([np.zeros(1, np.float32), *gaps.values()])[1:]
    widest_kept = float(np.percentile(every, PERCENTILE)) if len(every) else 0.0
    for heading, section in found:
        between = gaps.get(section[0].start, np.zeros(len(section) - 1, np.float32))
        for part in _joined(_groups(section, between, widest_kept, size), size):
            yield heading, part


def _units(text: str, block: Block, size: int) -> Iterator[Part]:
    if block.kind == "paragraph":
        return pieces(text, units(text, block.start, block.end), size)
    return parts(text, block, size)


def _embedded(texts: Sequence[str], embed: Embed) -> Floats:
    if not texts:
        return np.zeros((0, 1), np.float32)
    vectors = np.asarray(embed(texts), np.float32)
    if vectors.ndim != 2 or len(vectors) != len(texts):
        raise InputError(f"embed gave vectors of shape {vectors.shape} for {len(texts)} texts: give one vector a text")
    return vectors.astype(np.float16).astype(np.float32)


def _gaps(vectors: Floats) -> Floats:
    """Return the cosine distance at each place between two of n units, shape (n - 1,)."""
    sums = np.concatenate([np.zeros((1, vectors.shape[1]), np.float32), np.cumsum(vectors, axis=0)])
    places = np.arange(1, len(vectors))
    before = sums[places] - sums[np.maximum(places - _WINDOW, 0)]
    after = sums[np.minimum(places + _WINDOW, len(vectors))] - sums[places]
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    cosines = np.einsum("ij,ij->i", before, after) / np.maximum(lengths, 1e-9)
    distances: Floats = (1 - cosines).astype(np.float32)
    return distances


def _groups(section: Sequence[Part], gaps: Floats, widest_kept: float, size: int) -> Iterator[Part]:
    """Yield the units of a section joined between wide gaps, groups longer than `size` cut at their widest gap."""
    cuts = [place + 1 for place, gap in enumerate(gaps) if gap > widest_kept or _stands_alone(section, place)]
    pending = [*zip([0, *cuts], [*cuts, len(section)], strict=True)][::-1]
    while pending:
        first, last = pending.pop()
        if last - first == 1:
            yield section[first]
        elif section[last - 1].end - section[first].start <= size:
            yield Part(section[first].start, section[last - 1].end)
        else:
            cut = first + 1 + int(np.argmax(gaps[first : last - 1]))
            pending += [(cut, last), (first, cut)]


def _stands_alone(section: Sequence[Part], place: int) -> bool:
    """Tell whether a part with a header stands at a place between two parts; it cannot be joined."""
    return bool(section[place].header or section[place + 1].header)


def _joined(groups: Iterator[Part], size: int) -> Iterator[Part]:
    """Join a short part to the one before it, or the one after it, where both fit into `size`."""
    held: Part | None = None
    for part in groups:
        if held and not held.header and not part.header and part.end - held.start <= size:
            if min(held.end - held.start, part.end - part.start) < size // 4:
                held = Part(held.start, part.end)
                continue
        if held:
            yield held
        held = part
    if held:
        yield held
