"""The vectors of sentences that the semantic chunker compares, kept beside a collection so as to be made once."""

import hashlib
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from groundgraph.knowledge.cache_file import CacheFile
from groundgraph.knowledge.semantic import Embed
from groundgraph.knowledge.store import Progress, Vectors
from groundgraph.models import embedding_model

_BATCH = 64
"""Sentences embedded before their vectors are kept."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS sentences (
    source TEXT NOT NULL, digest BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (source, digest)
)
"""


class SentenceVectors:
    """Gives the sentences of documents their vectors, and keeps them in half precision.

    The file is no part of the collection: if it is missing, damaged or cannot be written, sentences are embedded
    again, and nothing else is lost.
    """

    def __init__(self, folder: Path, model: str, progress: Progress | None) -> None:
        self._cache = CacheFile(folder / "sentences.sqlite", _SCHEMA)
        self._model = model
        self._progress = progress
        self._done = self._total = 0

    @contextmanager
    def of(self, source: str) -> Iterator[Embed]:
        """Lend what embeds the sentences of one document; in the end, those that it did not ask for are dropped.

        Vectors are kept a batch at a time, so that an interrupt loses little.
        """
        asked: set[bytes] = set()
        yield partial(self._embedded, source, asked)
        if asked:
            self._cache.use(partial(_keep_digests, source, asked))

    def keep_only(self, sources: Collection[str]) -> None:
        """Drop the sentences of all documents but these."""
        if not sources:
            self._cache.drop()
        elif self._cache.file.exists():
            self._cache.use(partial(_keep_sources, sources))

    def _embedded(self, source: str, asked: set[bytes], sentences: Sequence[str]) -> Vectors:
        digests = [_digest(self._model, sentence) for sentence in sentences]
        texts = dict(zip(digests, sentences, strict=True))
        asked.update(texts)
        model = embedding_model(self._model)
        vectors = self._cache.use(partial(_kept, source, texts, model.dimension)) or {}
        missing = [digest for digest in texts if digest not in vectors]
        self._report(len(texts) - len(missing), of=len(texts))
        for start in range(0, len(missing), _BATCH):
            part = missing[start : start + _BATCH]
            embedded = model.embed_passages([texts[digest] for digest in part]).astype("<f2")
            new = dict(zip(part, embedded, strict=True))
            self._cache.use(partial(_keep, source, new))
            vectors |= new
            self._report(len(part))
        return np.array([vectors[digest] for digest in digests], np.float32)

    def _report(self, done: int, *, of: int = 0) -> None:
        self._done, self._total = self._done + done, self._total + of
        if self._progress:
            self._progress("compare", self._done, self._total)


def _digest(model: str, sentence: str) -> bytes:
    return hashlib.sha256(f"{model}\0{sentence}".encode()).digest()[:16]


def _kept(source: str, digests: Iterable[bytes], dimension: int, db: sqlite3.Connection) -> dict[bytes, Vectors]:
    query = "SELECT vector FROM sentences WHERE source = ? AND digest = ? AND length(vector) = ?"
    rows = ((digest, db.execute(query, (source, digest, 2 * dimension)).fetchone()) for digest in digests)
    return {digest: np.frombuffer(row[0], "<f2") for digest, row in rows if row}


def _keep(source: str, vectors: Mapping[bytes, Vectors], db: sqlite3.Connection) -> None:
    rows = ((source, digest, vector.tobytes()) for digest, vector in vectors.items())
    db.executemany("INSERT OR REPLACE INTO sentences VALUES (?, ?, ?)", rows)


def _keep_digests(source: str, digests: Collection[bytes], db: sqlite3.Connection) -> None:
    found = [row[0] for row in db.execute("SELECT digest FROM sentences WHERE source = ?", (source,))]
    gone = ((source, digest) for digest in found if digest not in digests)
    db.executemany("DELETE FROM sentences WHERE source = ? AND digest = ?", gone)


def _keep_sources(sources: Collection[str], db: sqlite3.Connection) -> None:
    found = [row[0] for row in db.execute("SELECT DISTINCT source FROM sentences")]
    db.executemany("DELETE FROM sentences WHERE source = ?", ((source,) for source in found if source not in sources))
