"""The vector leg: a FAISS index derived from the SQLite file, kept beside it and in memory."""

import hashlib
import json
import logging
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from filelock import FileLock

from groundgraph.errors import CollectionError
from groundgraph.knowledge.database import FILE, connect, transaction
from groundgraph.knowledge.partition import (
    EXACT_UP_TO,
    Chunks,
    Partition,
    approximate,
    exact,
    read,
    sample_size,
    write,
)
from groundgraph.knowledge.store import Progress, Vectors

logger = logging.getLogger(__name__)

_ROWS = 8192
_OUTDATED = 0.1
"""Share of vectors added and removed since a file was made from which it is made anew."""
_NO_CHUNKS: Chunks = np.empty(0, np.int64)


class _State(NamedTuple):
    """What changes whenever the vectors may have; `removals` counts the chunks ever removed."""

    identity: str
    generation: int
    removals: int
    chunks: int
    dimension: int


class LoadedVectors(NamedTuple):
    """The vectors of a collection at one moment."""

    state: _State
    made: _State
    """State that the base was made of."""
    base: Partition | None
    """What is in the file."""
    recent: Partition | None
    """What was added since."""
    gone: Chunks
    """Chunks of these that are there no more, ascending."""

    @property
    def dimension(self) -> int:
        """Return the components of a vector; 0 if there is none."""
        return self.state.dimension if self.state.chunks else 0

    @property
    def partitions(self) -> list[Partition]:
        """Return what is to be searched; later partitions hold later chunks."""
        return [partition for partition in (self.base, self.recent) if partition]

    def search(self, vector: Vectors, k: int, allowed: Chunks | None = None) -> list[tuple[int, float]]:
        """Return at most `k` (chunk, inner product) for a vector of shape (dimension,), best first.

        Only chunks in `allowed`, ascending, are looked at if it is given.
        """
        found = [hit for partition in self.partitions for hit in partition.search(vector, k, allowed, self.gone)]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:k]

    def is_outdated(self, state: _State) -> bool:
        """Tell whether so much was added and removed until `state` that the base is to be made anew."""
        removed = state.removals - self.made.removals
        added = state.chunks - self.made.chunks + removed
        return added + removed > _OUTDATED * state.chunks


class VectorIndex:
    """Holds the FAISS index of one collection.

    The file holds the vectors of some generation of the SQLite file. What was added later is read from there and
    searched beside it, what was removed is passed over; when both grow to a tenth, the file is made anew. It is used
    only if it carries the SQLite file's identity and its checksum fits; else it is made anew as well. So a file that is
    missing, old, cut short or tampered with does no harm, and a kill at any moment loses nothing.
    """

    def __init__(self, folder: Path) -> None:
        self._database = folder / FILE
        self._file = folder / "vectors.faiss"
        self._lock = threading.Lock()
        self._loaded = _nothing("")

    def current(self, *, thorough: bool = False, progress: Progress | None = None) -> LoadedVectors:
        """Return the index of the SQLite file as it is now.

        Args:
            thorough: Whether to make an outdated index anew even if that takes long, because it is approximate.
            progress: Told how much of an approximate index is made.
        """
        with connect(self._database) as db:
            loaded = self._loaded
            if _state(db) == loaded.state and not thorough:
                return loaded
            with self._lock, transaction(db, write=False):
                self._loaded = self._brought_up(db, _state(db), thorough, progress)
                return self._loaded

    def _brought_up(
        self, db: sqlite3.Connection, state: _State, thorough: bool, progress: Progress | None
    ) -> LoadedVectors:
        loaded = self._loaded if self._loaded.state.identity == state.identity else _nothing(state.identity)
        if not state.chunks:
            return _nothing(state.identity)._replace(state=state)
        if loaded.is_outdated(state):
            loaded = self._load(db, state) or loaded
        if loaded.is_outdated(state) and (thorough or not loaded.base or state.chunks <= EXACT_UP_TO):
            base = _build(db, state, progress)
            self._save(base, state)
            return LoadedVectors(state, state, base, None, _NO_CHUNKS)
        return _caught_up(db, loaded, state)

    def _load(self, db: sqlite3.Connection, state: _State) -> LoadedVectors | None:
        """Return what is in the file, or None if the file is not the one that was saved for this collection."""
        saved = db.execute("SELECT value FROM settings WHERE name = 'vector_file'").fetchone()
        record = json.loads(saved[0]) if saved else {}
        if record.get("identity") != state.identity or not self._is_as_saved(record):
            return None
        made = _State(*(record[field] for field in _State._fields))
        try:
            return LoadedVectors(made, made, read(self._file), None, _NO_CHUNKS)
        except RuntimeError:  # what FAISS raises for a file that it cannot read: to be made anew
            return None

    def _is_as_saved(self, record: dict[str, object]) -> bool:
        """Tell whether the file is untouched; only if its stamp differs, all of it is read for its checksum."""
        try:
            stamp = _stamp(self._file)
            if stamp == record["stamp"]:
                return True
            if _checksum(self._file) != record["checksum"]:
                return False
        except OSError:
            return False
        self._keep({**record, "stamp": stamp})
        return True

    def _keep(self, record: Mapping[str, object]) -> None:
        """Keep a new stamp of the same file, so that the next process need not read all of it."""
        change = "UPDATE settings SET value = ? WHERE name = 'vector_file' AND json_extract(value, '$.checksum') = ?"
        try:
            with connect(self._database, busy_seconds=0, write=True) as db:
                db.execute(change, (json.dumps(record), record["checksum"]))
        except CollectionError as error:
            logger.info("stamp of the vector index not saved, the next process reads all of it: %s", error)

    def _save(self, base: Partition, state: _State) -> None:
        """Save the index unless another process is just doing so; whoever needs it next can make it again."""
        half = self._file.with_suffix(".half")
        try:
            with FileLock(self._file.with_suffix(".lock"), timeout=0):
                write(base, half)
                checksum = _checksum(half)
                with connect(self._database, busy_seconds=1, write=True) as db, transaction(db):
                    if _state(db).identity == state.identity:
                        os.replace(half, self._file)
                        record = {**state._asdict(), "stamp": _stamp(self._file), "checksum": checksum}
                        db.execute("INSERT OR REPLACE INTO settings VALUES ('vector_file', ?)", (json.dumps(record),))
        except (CollectionError, OSError, RuntimeError) as error:
            logger.info("vector index not saved, it will be made again when needed: %s", error)


def _nothing(identity: str) -> LoadedVectors:
    state = _State(identity, 0, 0, 0, 0)
    return LoadedVectors(state, state, None, None, _NO_CHUNKS)


def _caught_up(db: sqlite3.Connection, loaded: LoadedVectors, state: _State) -> LoadedVectors:
    """Return the vectors with what was added and removed since; chunk ids only grow and are never used again."""
    recent, gone = loaded.recent, loaded.gone
    last = int(loaded.partitions[-1].chunks[-1]) if loaded.partitions else 0
    if parts := list(_parts(db, state, last)):
        chunks = np.concatenate([part for part, _ in parts])
        added = exact(chunks, (vectors for _, vectors in parts), state.dimension)
        recent = recent.joined(added) if recent else added
    caught_up = loaded._replace(state=state, recent=recent)
    if state.removals != loaded.state.removals:
        known = np.concatenate([partition.chunks for partition in caught_up.partitions])
        gone = np.setdiff1d(known, _chunks(db), assume_unique=True)
    return caught_up._replace(gone=gone)


def _build(db: sqlite3.Connection, state: _State, progress: Progress | None) -> Partition:
    chunks = _chunks(db)
    vectors: Iterable[Vectors] = (part for _, part in _parts(db, state))
    if len(chunks) <= EXACT_UP_TO:
        return exact(chunks, vectors, state.dimension)
    if progress:
        progress("build", 0, len(chunks))
        vectors = _reported(vectors, len(chunks), progress)
    step = max(1, len(chunks) // sample_size(len(chunks)))
    sample = np.concatenate([part for _, part in _parts(db, state, step=step)])
    return approximate(chunks, vectors, sample)


def _reported(parts: Iterable[Vectors], total: int, progress: Progress) -> Iterator[Vectors]:
    """Yield what is put into an index, and report what is in."""
    done = 0
    for part in parts:
        yield part
        done += len(part)
        progress("build", done, total)


def _chunks(db: sqlite3.Connection) -> Chunks:
    return np.sort(np.fromiter((row[0] for row in db.execute("SELECT id FROM chunks")), np.int64))


def _parts(db: sqlite3.Connection, state: _State, after: int = 0, step: int = 1) -> Iterator[tuple[Chunks, Vectors]]:
    """Yield chunks after one, each `step`th of their numbers, with their vectors."""
    query = "SELECT chunk, vector FROM vectors WHERE chunk > ? AND chunk % ? = 0 ORDER BY chunk"
    rows = db.execute(query, (after, step))
    while part := rows.fetchmany(_ROWS):
        vectors = np.frombuffer(b"".join(blob for _, blob in part), "<f4").reshape(-1, state.dimension)
        yield np.array([chunk for chunk, _ in part], np.int64), vectors


def _state(db: sqlite3.Connection) -> _State:
    names = ", ".join(f"'{name}'" for name in _State._fields)
    values = dict(db.execute(f"SELECT name, value FROM settings WHERE name IN ({names})"))
    return _State(**values)


def _stamp(file: Path) -> list[int]:
    """Return what changes when a file is written to: size, and both times, since one of them can be set back."""
    status = file.stat()
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns]


def _checksum(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
