"""Connections to the SQLite file of a collection, and its errors in plain words."""

import os
import shutil
import sqlite3
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_fixed

from groundgraph.errors import CollectionError, InputError
from groundgraph.knowledge.checksum import seal
from groundgraph.knowledge.connections import BUSY_SECONDS, open_file, read_connections

FILE = "collection.sqlite"
VERSION = 2
WORDS = 3
"""Version of the words in the keyword index; another one is made anew from the texts."""

_COUNTERS = ("generation", "dimension", "documents", "chunks", "removals")

# Our tokens hold no space, so the tokenizer only cuts at spaces (all other categories are letters) and stems English.
_SCHEMA = f"""
PRAGMA user_version = {VERSION};
CREATE TABLE settings (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (
    id INTEGER PRIMARY KEY, source TEXT NOT NULL UNIQUE, origin TEXT NOT NULL, title TEXT NOT NULL,
    metadata TEXT NOT NULL, digest TEXT NOT NULL, language TEXT NOT NULL, date TEXT NOT NULL
);
CREATE TABLE fields (
    "key" TEXT NOT NULL, value TEXT NOT NULL, document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    PRIMARY KEY ("key", value, document)
) WITHOUT ROWID;
CREATE INDEX fields_document ON fields (document);
CREATE TABLE parents (
    id INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    text TEXT NOT NULL, heading TEXT NOT NULL, page INTEGER, "start" INTEGER NOT NULL, "end" INTEGER NOT NULL
);
CREATE INDEX parents_document ON parents (document);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    text TEXT NOT NULL, heading TEXT NOT NULL, page INTEGER, "start" INTEGER NOT NULL, "end" INTEGER NOT NULL,
    digest TEXT NOT NULL, parent INTEGER
);
CREATE INDEX chunks_parent ON chunks (parent) WHERE parent IS NOT NULL;
CREATE INDEX chunks_document ON chunks (document);
CREATE INDEX chunks_digest ON chunks (digest);
CREATE TABLE vectors (chunk INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE, vector BLOB NOT NULL);
CREATE VIRTUAL TABLE keywords USING fts5 (
    tokens, tokenize = "porter unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'"
);
CREATE TRIGGER document_added AFTER INSERT ON documents BEGIN
    UPDATE settings SET value = value + 1 WHERE name = 'documents';
END;
CREATE TRIGGER document_removed AFTER DELETE ON documents BEGIN
    UPDATE settings SET value = value - 1 WHERE name = 'documents';
END;
CREATE TRIGGER chunk_added AFTER INSERT ON chunks BEGIN
    UPDATE settings SET value = value + 1 WHERE name = 'chunks';
END;
CREATE TRIGGER chunk_removed AFTER DELETE ON chunks BEGIN
    UPDATE settings SET value = value - 1 WHERE name = 'chunks';
    UPDATE settings SET value = value + 1 WHERE name = 'removals';
    DELETE FROM keywords WHERE rowid = old.id;
END;
"""


def create(folder: Path, settings: Mapping[str, str]) -> None:
    """Make the SQLite file of a collection, unless another process just did.

    Raises:
        CollectionError: The folder cannot be made, or the disk is full.
    """
    make_folder(folder)
    with connect(folder / FILE, write=True, create=True) as db, transaction(db):
        if not db.execute("PRAGMA user_version").fetchone()[0]:
            create_schema(db, settings)


def make_folder(folder: Path) -> None:
    """Make the folder of a collection, unless it is there.

    Raises:
        CollectionError: It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CollectionError(
            f"folder {str(folder)!r} cannot be made ({str(error.strerror).lower()}): "
            "mend the permissions, or set GROUNDGRAPH_HOME to a folder that can be written"
        ) from error


def create_schema(db: sqlite3.Connection, settings: Mapping[str, str]) -> None:
    """Make the tables of a collection, empty but for its settings.

    Raises:
        sqlite3.OperationalError: They are there already.
    """
    for statement in _statements(_SCHEMA):
        db.execute(statement)
    values = {**settings, "identity": uuid.uuid4().hex, "words": WORDS} | dict.fromkeys(_COUNTERS, 0)
    db.executemany("INSERT INTO settings VALUES (?, ?)", values.items())


def export(folder: Path, file: Path) -> None:
    """Write the collection in a folder, as it is at this moment, into one new file.

    Raises:
        InputError: There is something of that name, or no folder for it.
        CollectionError: The disk is full, or the collection is damaged.
    """
    if file.exists() or not file.absolute().parent.is_dir():
        raise InputError(f"cannot export to {str(file)!r}: give the name of a new file in a folder that exists")
    half = file.absolute().with_name(f"{file.name}.half")
    half.unlink(missing_ok=True)
    try:
        with connect(folder / FILE) as db, clear_errors(half):
            db.execute("VACUUM INTO ?", (str(half),))
            with closing(open_file(half, "rw", BUSY_SECONDS)) as copy:
                seal(copy)
        os.replace(half, file)
    finally:
        half.unlink(missing_ok=True)


def remove(folder: Path) -> None:
    """Remove a collection with its folder, so that it is there as a whole until it is gone.

    Raises:
        CollectionError: Something else is in the folder.
    """
    own = (FILE, "vectors.", "sentences.", "unfinished.")
    if others := [file.name for file in folder.iterdir() if not file.name.startswith(own)]:
        raise CollectionError(
            f"{str(folder)!r} holds {others[0]!r}, which is not ours: move it away, then delete again"
        )
    gone = folder.with_name(f".{folder.name}.{uuid.uuid4().hex[:8]}")
    read_connections.close(folder / FILE)
    os.replace(folder, gone)
    shutil.rmtree(gone)


def version(folder: Path) -> int:
    """Return the format of the collection in a folder; 0 if there is none, or its making was cut short.

    Raises:
        CollectionError: It is damaged, or cannot be read.
    """
    try:
        (folder / FILE).stat()
    except (FileNotFoundError, NotADirectoryError):
        return 0
    except OSError as error:
        reason = str(error.strerror).lower()
        raise CollectionError(f"{str(folder)!r} cannot be read ({reason}): check its permissions") from error
    with connect(folder / FILE) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def connect(
    file: Path, *, write: bool = False, create: bool = False, busy_seconds: float = BUSY_SECONDS
) -> Iterator[sqlite3.Connection]:
    """Lend a connection to the SQLite file for a moment, whose errors become `CollectionError`.

    Args:
        file: Path of the SQLite file.
        write: Whether to write through it; such a connection is new, and closed in the end.
        create: Whether to make the file if there is none.
        busy_seconds: How long to wait for another writer.
    """
    with clear_errors(file):
        if not write:
            with read_connections.lend(file) as db:
                yield db
            return
        with closing(open_file(file, "rwc" if create else "rw", busy_seconds)) as db:
            if create:
                _write_ahead(db, busy_seconds)
            db.execute("PRAGMA foreign_keys = ON")
            db.execute("PRAGMA synchronous = NORMAL")
            yield db


def _write_ahead(db: sqlite3.Connection, seconds: float) -> None:
    """Turn the write-ahead log on; SQLite itself does not wait where two processes do so at once."""
    retrying = Retrying(
        retry=retry_if_exception(lambda error: isinstance(error, sqlite3.OperationalError) and "locked" in str(error)),
        stop=stop_after_delay(seconds),
        wait=wait_fixed(0.05),
        reraise=True,
    )
    retrying(db.execute, "PRAGMA journal_mode = WAL")


@contextmanager
def transaction(db: sqlite3.Connection, *, write: bool = True) -> Iterator[None]:
    """Commit what is done inside, or undo all of it after an error."""
    db.execute("BEGIN IMMEDIATE" if write else "BEGIN")
    try:
        yield
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


@contextmanager
def clear_errors(file: Path) -> Iterator[None]:
    """Turn what SQLite complains about into one line with its remedy."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        said = str(error)
        if file.name == FILE and not file.exists():
            text = f"collection {file.parent.name!r} was deleted while it was in use: index its documents again"
        elif "full" in said or "I/O" in said:
            text = (
                f"disk full or failing at {str(file)!r} ({said}): free some space and run again; what is there is kept"
            )
        elif "locked" in said:
            text = f"{str(file)!r} has been busy for {BUSY_SECONDS:.0f} s: another process is writing; run again later"
        elif "readonly" in said or "unable to open" in said:
            text = f"{str(file)!r} cannot be opened for writing ({said}): check the permissions of its folder"
        elif file.name != FILE:
            text = f"{str(file)!r} cannot be written ({said}): the collection may be damaged; index again"
        else:
            text = (
                f"{str(file)!r} is damaged ({said}): groundgraph collections delete {file.parent.name}, "
                "then index again"
            )
        raise CollectionError(text) from error


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script, which `executescript` would commit one by one."""
    statement = ""
    for line in script.strip().splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
