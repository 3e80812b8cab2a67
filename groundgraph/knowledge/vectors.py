"""The vector leg: a FAISS index derived from the SQLite file, kept beside it and in memory."""

import hashlib
import logging
import os
import sqlite3
import threading
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundgraph.errors import CollectionError
from groundgraph.knowledge.database import FILE, connect, transaction
from groundgraph.knowledge.store import Vectors

logger = logging.getLogger(__name__)

_ROWS = 8192


class LoadedVectors(NamedTuple):
    """The vectors of a collection at one moment."""

    state: str
    index: Any
    """A `faiss.IndexFlatIP`. Its `IndexIDMap` would bring the ids along, but starts all cores for a single question."""
    chunks: NDArray[np.int64]
    """Chunk of each position in the index."""

    @property
    def dimension(self) -> int:
        """Return the components of a vector; 0 if there is none."""
        return self.index.d if len(self.chunks) else 0

    def search(self, vector: Vectors, k: int) -> list[tuple[int, float]]:
        """Return at most `k` (chunk, inner product) for a vector of shape (dimension,), best first."""
        if not len(self.chunks):
            return []
        scores, positions = self.index.search(np.ascontiguousarray(vector, np.float32)[None], min(k, len(self.chunks)))
        return list(zip(self.chunks[positions[0]].tolist(), scores[0].tolist(), strict=True))


class VectorIndex:
    """Holds the FAISS index of one collection.

    It is used only if it carries the SQLite file's identity and generation, and its file only if the checksum in the
    SQLite file fits; else it is made anew from the vectors there. So a file that is missing, old, cut short or
    tampered with does no harm, and a kill at any moment loses nothing.
    """

    def __init__(self, folder: Path) -> None:
        self._database = folder / FILE
        self._file = folder / "vectors.faiss"
        self._lock = threading.Lock()
        self._loaded = LoadedVectors("", None, np.empty(0, np.int64))

    def current(self) -> LoadedVectors:
        """Return the index of the SQLite file as it is now."""
        with connect(self._database) as db:
            loaded = self._loaded
            if _state(db) == loaded.state:
                return loaded
            with self._lock, transaction(db, write=False):
                if (state := _state(db)) != self._loaded.state:
                    chunks = np.array(
                        [row[0] for row in db.execute("SELECT chunk FROM vectors ORDER BY chunk")], np.int64
                    )
                    index = (self._load(db, state) or self._build(db, state)) if len(chunks) else None
                    self._loaded = LoadedVectors(state, index, chunks)
                return self._loaded

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
        index = faiss.IndexFlatIP(dimension)
        rows = db.execute("SELECT vector FROM vectors ORDER BY chunk")
        while part := rows.fetchmany(_ROWS):
            index.add(np.frombuffer(b"".join(blob for (blob,) in part), "<f4").reshape(-1, dimension))
        self._save(index, state)
        return index

    def _save(self, index: Any, state: str) -> None:
        """Save the index if nothing has changed and nobody is writing; whoever needs it next can make it again."""
        import faiss

        half = self._file.with_suffix(".half")
        try:
            with connect(self._database, busy_seconds=0, write=True) as db, transaction(db):
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
