"""A FAISS index with the chunk of each of its vectors: exact while it is small, approximate when it is large."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundgraph.knowledge.store import Vectors

EXACT_UP_TO = 100_000
"""Vectors compared one by one; more are put into lists by k-means, and only the nearest lists are looked through."""
_TRAINED_ON = 64
"""Vectors a list that k-means sees."""
_PROBED = 128
"""Lists that a question looks through."""

Chunks = NDArray[np.int64]


class Partition(NamedTuple):
    """Vectors that can be searched; never changed, so that any number of threads can search it."""

    index: Any
    """A `faiss.IndexFlatIP` or `IndexIVFFlat` that numbers its vectors from 0."""
    chunks: Chunks
    """Chunk of each vector, ascending."""
    owner: Any
    """The `faiss.IndexIDMap` around the index. Its own search starts all cores for a single question."""

    def search(self, vector: Vectors, k: int, allowed: Chunks | None, gone: Chunks) -> list[tuple[int, float]]:
        """Return at most `k` (chunk, inner product), best first, of the chunks allowed and not gone."""
        mask = self._mask(allowed, gone)
        searched = len(self.chunks) if mask is None else int(mask.sum())
        if not searched:
            return []
        question = np.ascontiguousarray(vector, np.float32)[None]
        scores, positions = self.index.search(question, min(k, searched), params=self._parameters(mask, searched))
        found = positions[0] >= 0
        return list(zip(self.chunks[positions[0][found]].tolist(), scores[0][found].tolist(), strict=True))

    def joined(self, other: "Partition") -> "Partition":
        """Return a partition of both's vectors; both are exact, and the other's chunks come later."""
        vectors = (one.index.reconstruct_n(0, one.index.ntotal) for one in (self, other))
        return exact(np.concatenate([self.chunks, other.chunks]), vectors, self.index.d)

    def _mask(self, allowed: Chunks | None, gone: Chunks) -> NDArray[np.bool_] | None:
        """Return which vectors are to be looked at; None if all are."""
        if allowed is None and not len(gone):
            return None
        mask = np.full(len(self.chunks), allowed is None)
        if allowed is not None:
            mask[self._positions(allowed)] = True
        mask[self._positions(gone)] = False
        return mask

    def _positions(self, chunks: Chunks) -> NDArray[np.intp]:
        """Return where those of some chunks stand that are here."""
        positions = np.searchsorted(self.chunks, chunks)
        positions[positions == len(self.chunks)] = 0
        here: NDArray[np.intp] = positions[self.chunks[positions] == chunks]
        return here

    def _parameters(self, mask: NDArray[np.bool_] | None, searched: int) -> Any:
        """Return how to search: the fewer vectors are looked at, the more lists, up to all of them."""
        import faiss

        chosen = {} if mask is None else {"sel": faiss.IDSelectorBitmap(np.packbits(mask, bitorder="little"))}
        if not isinstance(self.index, faiss.IndexIVF):
            return faiss.SearchParameters(**chosen) if chosen else None
        lists = self.index.nlist
        probed = round(_PROBED * len(self.chunks) / searched)
        return faiss.SearchParametersIVF(nprobe=min(lists, probed), **chosen)


def exact(chunks: Chunks, vectors: Iterable[Vectors], dimension: int) -> Partition:
    """Return a partition that compares every vector; `vectors` come in parts of the shape (any, dimension)."""
    import faiss

    return _filled(faiss.IndexFlatIP(dimension), chunks, vectors)


def approximate(chunks: Chunks, vectors: Iterable[Vectors], sample: Vectors) -> Partition:
    """Return a partition that compares the vectors of the lists nearest to the question.

    Args:
        chunks: Chunk of each vector, ascending.
        vectors: In parts of the shape (any, dimension).
        sample: Some of the vectors, about `sample_size` of them, to learn the lists from.
    """
    import faiss

    dimension = sample.shape[1]
    index = faiss.IndexIVFFlat(faiss.IndexFlatIP(dimension), dimension, _lists(len(chunks)), faiss.METRIC_INNER_PRODUCT)
    index.cp.spherical = True
    index.cp.niter = 8
    index.cp.max_points_per_centroid = _TRAINED_ON
    index.cp.min_points_per_centroid = 1  # a sample that is somewhat short is no reason to write to stderr
    index.train(sample)
    return _filled(index, chunks, vectors)


def sample_size(count: int) -> int:
    """Return how many of `count` vectors the lists are learnt from."""
    return _TRAINED_ON * _lists(count)


def write(partition: Partition, file: Path) -> None:
    """Write a partition to the disk, and wait until it is there."""
    import faiss

    faiss.write_index(partition.owner, str(file))
    with file.open("rb") as stream:
        os.fsync(stream.fileno())


def read(file: Path) -> Partition:
    """Return the partition in a file; the vectors of an approximate one stay on the disk, mapped into memory."""
    import faiss

    owner = faiss.read_index(str(file), faiss.IO_FLAG_MMAP)
    index = faiss.downcast_index(owner.index)
    if isinstance(index, faiss.IndexIVF):
        faiss.downcast_InvertedLists(index.invlists).prefetch_nthread = 0  # the pages are mostly in memory already
    return Partition(index, faiss.vector_to_array(owner.id_map).astype(np.int64), owner)


def _lists(count: int) -> int:
    return int(2 * count**0.5)


def _filled(index: Any, chunks: Chunks, vectors: Iterable[Vectors]) -> Partition:
    import faiss

    owner = faiss.IndexIDMap(index)
    done = 0
    for part in vectors:
        owner.add_with_ids(part, chunks[done : done + len(part)])
        done += len(part)
    return Partition(index, chunks, owner)
