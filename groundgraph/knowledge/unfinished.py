"""The vectors of a large document that is being embedded, so that an interrupt does not cost them."""

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from groundgraph.knowledge.cache_file import CacheFile
from groundgraph.knowledge.store import Vectors
from groundgraph.models import embedding_model

_SCHEMA = "CREATE TABLE IF NOT EXISTS unfinished (digest BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
_FILE = "unfinished.sqlite"


class UnfinishedVectors:
    """Keeps vectors by the digest of what was embedded, outside the collection, until their document is whole."""

    def __init__(self, folder: Path, model: str) -> None:
        self._cache = CacheFile(folder / _FILE, _SCHEMA)
        self._model = model

    def known(self, digests: Iterable[str]) -> dict[str, Vectors]:
        """Return the vectors that an interrupted run left, by digest."""
        if not self._cache.file.exists():
            return {}
        keys = {digest: self._key(digest) for digest in digests}
        return self._cache.use(partial(_known, keys, embedding_model(self._model).dimension)) or {}

    def keep(self, vectors: Mapping[str, Vectors]) -> None:
        """Keep vectors by their digests."""
        rows = [(self._key(digest), vector.astype("<f4").tobytes()) for digest, vector in vectors.items()]
        self._cache.use(lambda db: db.executemany("INSERT OR REPLACE INTO unfinished VALUES (?, ?)", rows))

    def drop(self) -> None:
        """Remove all of them, since every document is whole."""
        self._cache.drop()

    def _key(self, digest: str) -> bytes:
        return hashlib.sha256(f"{self._model}\0{digest}".encode()).digest()[:16]


def is_unfinished(folder: Path) -> bool:
    """Tell whether the collection in a folder has vectors of a document that is not whole."""
    return (folder / _FILE).exists()


def _known(keys: Mapping[str, bytes], dimension: int, db: sqlite3.Connection) -> dict[str, Vectors]:
    query = "SELECT vector FROM unfinished WHERE digest = ? AND length(vector) = ?"
    rows = ((digest, db.execute(query, (key, 4 * dimension)).fetchone()) for digest, key in keys.items())
    return {digest: np.frombuffer(row[0], "<f4") for digest, row in rows if row}
