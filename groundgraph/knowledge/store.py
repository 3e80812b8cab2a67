"""The seam where what keeps a collection can be exchanged: SQLite here, Postgres or Qdrant elsewhere."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from groundgraph.knowledge.chunk import Chunk
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.filter import Filter
from groundgraph.knowledge.passage import Passage

Vectors = NDArray[np.float32]
Progress = Callable[[str, int, int], None]
"""Told what is being done, how many are done, of how many.

Stages are `load` files, `compare` sentences (their number grows as documents are read), `embed` chunks, and `build`
the index of many.
"""

DESCRIPTION_SIZE = 500
"""Most characters of a collection's description."""


@dataclass(frozen=True)
class CollectionInfo:
    """What a collection is and holds."""

    name: str
    description: str
    documents: int
    chunks: int
    embedding_model: str
    dimension: int
    """Components of a vector; 0 while there is none."""
    chunker: str
    generation: int
    """Grows with every change of the content."""
    path: Path


@dataclass(frozen=True)
class Unusable:
    """A collection that is there but cannot be opened, and why, with the remedy."""

    name: str
    path: Path
    reason: str


@dataclass(frozen=True)
class Entry:
    """A document ready to be kept."""

    document: LoadedDocument
    digest: str
    """Changes with anything of the document that would change its chunks."""
    chunks: Sequence[Chunk]
    chunk_digests: Sequence[str]
    """What identifies the embedded text of each chunk, so that its vector can be used again."""
    vectors: Sequence[Vectors]
    """One a chunk, shape (dimension,)."""
    parents: Mapping[tuple[int, int], Chunk] = field(default_factory=dict)
    """What is returned in place of the chunks that name its span."""


class Kept(NamedTuple):
    """What is known of a kept document."""

    digest: str
    origin: str
    """File or address that it came from."""


class Hit(NamedTuple):
    """A chunk found by one leg, or the parent of one; higher scores are better."""

    id: str
    score: float


class Store(Protocol):
    """Keeps one collection; safe to use from many threads and processes at once."""

    def info(self) -> CollectionInfo:
        """Return what the collection is and holds now."""
        ...

    def configure(self, **settings: str) -> None:
        """Change `description`, `chunker`, or `embedding_model` while there are no chunks."""
        ...

    def kept(self) -> dict[str, Kept]:
        """Return the kept documents by source."""
        ...

    def known_vectors(self, chunk_digests: Iterable[str]) -> dict[str, Vectors]:
        """Return the vectors that are there already, by chunk digest."""
        ...

    def put(self, entries: Sequence[Entry]) -> None:
        """Keep documents in place of those of the same source; all of them or, after an error, none."""
        ...

    def forget(self, sources: Sequence[str]) -> int:
        """Remove documents with their chunks and return how many there were."""
        ...

    def nearest(self, vector: Vectors, k: int, where: Filter | None = None) -> list[Hit]:
        """Return at most `k` chunks, or parents, by inner product with `vector`, shape (dimension,), best first."""
        ...

    def matching(self, question: str, k: int, where: Filter | None = None) -> list[Hit]:
        """Return at most `k` chunks, or parents, that share a word with the question, by BM25, best first."""
        ...

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """Return chunks and parents in the order of `ids`, leaving out those that are gone."""
        ...

    def passage_ids(self) -> dict[str, list[str]]:
        """Return the ids of each document's passages, in order, by source: chunks, or the parents they have."""
        ...

    def vectors(self, ids: Sequence[str]) -> Vectors:
        """Return the vectors of chunks and parents, shape (len(ids), dimension); a parent's is its chunks' mean.

        Raises:
            CollectionError: A chunk is gone.
        """
        ...

    def sample(self, count: int) -> Vectors:
        """Return the vectors of at most `count` chunks spread over the collection, shape (n, dimension)."""
        ...

    def refresh(self, progress: Progress | None = None) -> None:
        """Bring derived files up to date now, so that the next search need not; `progress` is told if it takes long."""
        ...

    def export(self, file: Path) -> None:
        """Write all of it into one new file."""
        ...

    def delete(self) -> None:
        """Remove all of it."""
        ...
