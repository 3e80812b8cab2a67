"""Chunks in any number: real ones, and beyond them made-up ones between two real ones each."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np

from groundgraph.knowledge.chunk import Chunk
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.store import Entry, Vectors

_BLOCK = 5_000
_CHUNKS = 10
"""Chunks of one document."""
_HALF = 150
"""Most characters that a made-up text takes from each of its two real ones."""
_NOISE = 0.01
"""Standard deviation that is added to each component of a made-up vector."""


class Block(NamedTuple):
    """Some chunks with their vectors, shape (len(texts), dimension)."""

    texts: list[str]
    vectors: Vectors


class Chunks:
    """The same chunks every time, in blocks, so that a million need no memory."""

    def __init__(self, folder: Path) -> None:
        """Take the real chunks from a folder that `save` filled."""
        self.texts: list[str] = json.loads((folder / "texts.json").read_text("utf-8"))
        self.vectors: Vectors = np.load(folder / "vectors.npy")

    @staticmethod
    def save(folder: Path, texts: Sequence[str], vectors: Vectors) -> None:
        """Put real chunks and their vectors, shape (len(texts), dimension), into a folder."""
        (folder / "texts.json").write_text(json.dumps(texts), "utf-8")
        np.save(folder / "vectors.npy", vectors)

    def blocks(self, count: int) -> Iterator[Block]:
        """Yield `count` chunks in blocks."""
        random = np.random.default_rng(0)
        real = min(count, len(self.texts))
        yield Block(self.texts[:real], self.vectors[:real])
        for start in range(real, count, _BLOCK):
            yield self._made_up(min(_BLOCK, count - start), random)

    def _made_up(self, count: int, random: np.random.Generator) -> Block:
        """Return chunks that are a mixture of two real ones: both of their vectors and of their texts."""
        first, second = random.integers(len(self.texts), size=(2, count))
        share = random.uniform(0.3, 0.7, (count, 1)).astype(np.float32)
        vectors = share * self.vectors[first] + (1 - share) * self.vectors[second]
        vectors += random.normal(0, _NOISE, vectors.shape).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        pairs = zip(first, second, strict=True)
        texts = [f"{self._part(one, random)} {self._part(other, random)}" for one, other in pairs]
        return Block(texts, vectors)

    def _part(self, place: int, random: np.random.Generator) -> str:
        text = self.texts[place]
        start = int(random.integers(max(1, len(text) - _HALF)))
        return text[start : start + _HALF]


def entries(block: Block, name: str) -> list[Entry]:
    """Return the chunks of a block, which has a name of its own, as documents ready for `Store.put`."""
    starts = range(0, len(block.texts), _CHUNKS)
    parts = [(f"{name}-{start}", slice(start, start + _CHUNKS)) for start in starts]
    return [_entry(source, block.texts[part], block.vectors[part]) for source, part in parts]


def _entry(source: str, texts: Sequence[str], vectors: Vectors) -> Entry:
    ends = list(accumulate(len(text) for text in texts))
    chunks = [Chunk(text, end - len(text), end) for text, end in zip(texts, ends, strict=True)]
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    return Entry(LoadedDocument(source, "".join(texts)), digests[0], chunks, digests, list(vectors))
