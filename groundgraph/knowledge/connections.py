"""Read connections to SQLite files, kept open from one reading to the next."""

import atexit
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import NamedTuple

BUSY_SECONDS = 30.0
_MOST_IDLE = 16
"""Connections kept; each holds two open files and up to 2 MB of pages."""

_Stamp = tuple[int, int, int, int]


class _Idle(NamedTuple):
    file: Path
    stamp: _Stamp | None
    db: sqlite3.Connection


class ReadConnections:
    """Lends connections to any thread, each to one at a time.

    To open a file costs SQLite a third of a millisecond, most of it for its first statement. A connection is lent again
    only while its file is the very one that it opened; it is closed when the file was deleted, exchanged or written to
    otherwise than through the journal, after an error, when too many are idle, before a fork, and at the end of the
    process.
    """

    def __init__(self) -> None:
        self._idle: list[_Idle] = []
        self._lock = Lock()

    @contextmanager
    def lend(self, file: Path) -> Iterator[sqlite3.Connection]:
        """Lend a connection to an existing file; no statement of the borrower may be left half read.

        Raises:
            sqlite3.DatabaseError: There is no such file, or it cannot be read.
        """
        stamp = _stamp(file)
        db = self._take(file, stamp) or open_file(file)
        try:
            yield db
        except BaseException:
            db.close()
            raise
        self._keep(_Idle(file, stamp, db))

    def close(self, file: Path | None = None) -> None:
        """Close the idle connections to a file, or all of them."""
        with self._lock:
            self._drop([one for one in self._idle if file in {None, one.file}])

    def before_fork(self) -> None:
        """Close all and lend none until `after_fork`, since a child must not touch its parent's connections."""
        self._lock.acquire()
        self._drop(self._idle)

    def after_fork(self) -> None:
        """Lend again, in the parent and in the child."""
        self._lock.release()

    def _take(self, file: Path, stamp: _Stamp | None) -> sqlite3.Connection | None:
        with self._lock:
            own = [one for one in self._idle if one.file == file]
            self._drop([one for one in own if one.stamp != stamp])
            usable = [one for one in own if one.stamp == stamp]
            if not usable:
                return None
            self._idle.remove(usable[-1])
            return usable[-1].db

    def _keep(self, used: _Idle) -> None:
        with self._lock:
            self._idle.append(used)
            is_current = used.stamp == _stamp(used.file)
            self._drop([used] if not is_current else self._idle[:-_MOST_IDLE])

    def _drop(self, connections: list[_Idle]) -> None:
        self._idle = [one for one in self._idle if one not in connections]
        for one in connections:
            one.db.close()


def open_file(file: Path, mode: str = "rw", busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """Return a new connection in one of SQLite's modes (`ro`, `rw`, `rwc`), to be used by one thread at a time."""
    uri = f"{file.as_uri()}?mode={mode}"
    return sqlite3.connect(uri, timeout=busy_seconds, isolation_level=None, check_same_thread=False, uri=True)


def _stamp(file: Path) -> _Stamp | None:
    """Return what tells a file from any other, and its writing in place; None if there is none."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


read_connections = ReadConnections()
"""Those of this process."""
atexit.register(read_connections.close)
os.register_at_fork(
    before=read_connections.before_fork,
    after_in_parent=read_connections.after_fork,
    after_in_child=read_connections.after_fork,
)
