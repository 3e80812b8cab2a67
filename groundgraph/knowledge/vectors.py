"""The vector leg: a FAISS index derived from the SQLite file, kept beside it and in memory."""

import hashlib
import logging
import os
import sqlite3
import threading
from pathlib import Path
from typing import Any

import numpy as np

from groundgraph.errors import CollectionError
from groundgraph.knowledge.database import FILE, connect, transaction
from groundgraph.knowledge.store import Vectors

logger = logging.getLogger(__name__)

_ROWS = 8192


class VectorIndex:
    """The FAISS index of one collection.

    It is used only if it carries the SQLite file's identity and generation, and its file only if the checksum in the
    SQLite file fits; else it is made anew from the vectors there. So a file that is missing, old, cut short or
    tampered with does no harm, and a kill at any moment loses nothing.
    """

    def __init__(self, folder: Path) -> None:
        self._database = folder / FILE
        self._file = folder / "vectors.faiss"
        self._lock = threading.Lock()
        self._state = ""
        self._index: Any = None

    def search(self, vector: Vectors, k: int) -> list[tuple[int, float]]:
        """Return at most `k` (chunk, inner product) for a vector of shape (dimension,), best first."""
        index = self.current()
        if index is None:
            return []
        scores, chunks = index.search(np.ascontiguousarray(vector, np.float32)[None], min(k, index.ntotal))
        return [(int(chunk), float(score)) for chunk, score in zip(chunks[0], scores[0], strict=True) if chunk >= 0]

    def current(self) -> Any:
        """Return the index of the SQLite file as it is now; None if there is no vector."""
        with connect(self._database) as db:
            if _state(db) == self._state:
                return self._index
            with self._lock, transaction(db, write=False):
                state = _state(db)
                if state != self._state:
                    self._index = self._load(db, state) or self._build(db, state)
                    self._state = state
                return self._index

    def _load(self, db: sqlite3.Connection, state: str) -> Any:
        """Return the index in the file, or None if the file is not the one that was saved for this state."""
        import faiss

        saved = db.execute("SELECT value FROM settings WHERE name = 'vector_file'").fetchone()
        if not saved or not self._file.exists() or saved[0] != f"{state} {_checksum(self._file)}":
            return None
        return faiss.read_index(str(self._file))

    def _build(self, db: sqlite3.Connection, state: str) -> Any:
        import faiss

        dimension = db.execute("SELECT value FROM settings WHERE name = 'dimension'").fetchone()[0]
        rows = db.execute("SELECT chunk, vector FROM vectors ORDER BY chunk")
        index: Any = None
        while part := rows.fetchmany(_ROWS):
            index = index or faiss.index_factory(dimension, "IDMap,Flat", faiss.METRIC_INNER_PRODUCT)
            vectors = np.frombuffer(b"".join(blob for _, blob in part), "<f4").reshape(-1, dimension)
            index.add_with_ids(vectors, np.array([chunk for chunk, _ in part], np.int64))
        if index is not None:
            self._save(index, state)
        return index

    def _save(self, index: Any, state: str) -> None:
        """Save the index if nothing has changed and nobody is writing; whoever needs it next can make it again."""
        import faiss

        half = self._file.with_suffix(".half")
        try:
            with connect(self._database, busy_seconds=0) as db, transaction(db):
                if _state(db) != state:
                    return
                faiss.write_index(index, str(half))
                checksum = _checksum(half)
                os.replace(half, self._file)
                db.execute("INSERT OR REPLACE INTO settings VALUES ('vector_file', ?)", (f"{state} {checksum}",))
        except (CollectionError, OSError, RuntimeError) as error:
            logger.info("vector index not saved, it will be made again when needed: %s", error)


def _state(db: sqlite3.Connection) -> str:
    """Return what changes whenever the vectors may have."""
    values = dict(db.execute("SELECT name, value FROM settings WHERE name IN ('identity', 'generation')"))
    return f"{values['identity']} {values['generation']}"


def _checksum(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
