"""A small deterministic embedding model: texts are near each other when they share words."""

from collections.abc import Sequence
from zlib import crc32

import numpy as np
import pytest
from numpy.typing import NDArray

from groundgraph.errors import ModelUnavailable
from groundgraph.knowledge.keywords import tokens
from groundgraph.models import EMBEDDING_PROVIDERS
from groundgraph.settings import get_settings


class BagEmbedder:
    """Counts words into `dimension` bins; remembers what it embedded, and fails on demand."""

    def __init__(self, dimension: int) -> None:
        self.name = f"bag:{dimension}"
        self.dimension = dimension
        self.embedded: list[str] = []
        self.fails = ""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        if self.fails:
            raise ModelUnavailable(self.fails)
        return self._vectors([text])[0]

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.fails:
            raise ModelUnavailable(self.fails)
        self.embedded += texts
        return self._vectors(texts)

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.full((len(texts), self.dimension), 1e-6, np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for word in tokens(text):
                vector[crc32(word.encode()) % self.dimension] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def use_bag_embedder(monkeypatch: pytest.MonkeyPatch, dimension: int = 64) -> BagEmbedder:
    """Make a bag of words the default embedding model; `bag:N` names one of N dimensions."""
    embedder = BagEmbedder(dimension)
    monkeypatch.setitem(
        EMBEDDING_PROVIDERS, "bag", lambda model: embedder if model == str(dimension) else BagEmbedder(int(model))
    )
    monkeypatch.setenv("GROUNDGRAPH_EMBEDDING_MODEL", embedder.name)
    get_settings.cache_clear()
    return embedder
