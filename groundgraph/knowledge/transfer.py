"""Read a collection from a file that anybody may have made."""

import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from groundgraph.errors import CollectionError, InputError
from groundgraph.knowledge.attributes import LONGEST_LANGUAGE, date_of, fields_of
from groundgraph.knowledge.checksum import is_intact
from groundgraph.knowledge.chunk import CHUNKERS
from groundgraph.knowledge.database import (
    FILE,
    VERSION,
    connect,
    create_schema,
    make_folder,
    remove,
    transaction,
    version,
)
from groundgraph.knowledge.ingest import text_digest
from groundgraph.knowledge.rows import is_shallow
from groundgraph.knowledge.sources import CONTROL, LONGEST_SOURCE
from groundgraph.knowledge.store import DESCRIPTION_SIZE
from groundgraph.knowledge.words import index_words

_Check = Callable[[Any], bool]
_MOST = 2**53
"""Numbers from here on leave no room for later ones."""
_SHOWN = 40
"""Characters of a value that an error shows."""
_WIDEST = 65_536
"""Most components of a vector."""
_LENGTH_ERROR = 1e-3
"""How far the length of a vector may be from 1, which rounding explains."""
_DIGEST = re.compile("[0-9a-f]{64}")


class _Unfit(Exception):
    """Something in the file that cannot be in a collection."""


def _text(value: object) -> bool:
    return isinstance(value, str)


def _line(most: int, least: int = 0) -> _Check:
    """Return a check for one line of text without control characters, not blank if it must have any."""
    return lambda value: (
        isinstance(value, str) and len(value.strip()) >= least and len(value) <= most and not CONTROL.search(value)
    )


def _digest(value: object) -> bool:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def _date(value: object) -> bool:
    return value == "" or (isinstance(value, str) and date_of({"date": value}) == value)


def _count(value: object) -> bool:
    return isinstance(value, int) and 0 <= value < _MOST


def _number(value: object) -> bool:
    return _count(value) and value != 0


def _number_or_nothing(value: object) -> bool:
    return value is None or _number(value)


_PIECE: dict[str, _Check] = {
    "id": _number,
    "document": _number,
    "text": _text,
    "heading": _text,
    "page": _number_or_nothing,
    "start": _count,
    "end": _count,
}
_DOCUMENT: dict[str, _Check] = {
    "id": _number,
    **dict.fromkeys(("source", "origin"), _line(LONGEST_SOURCE, least=1)),
    **dict.fromkeys(("title", "metadata"), _text),
    "digest": _digest,
    "language": _line(LONGEST_LANGUAGE),
    "date": _date,
}
_TABLES: dict[str, dict[str, _Check]] = {
    "documents": _DOCUMENT,
    "parents": _PIECE,
    "chunks": _PIECE | {"digest": _digest, "parent": _number_or_nothing},
    "vectors": {"chunk": _number, "vector": lambda value: isinstance(value, bytes)},
}
"""What each table that is copied has in its columns."""


def import_file(file: Path, folder: Path, embedding_model: str) -> None:
    """Make a collection in a folder from an exported file, all of it or, after an error, none.

    Nothing in the file is trusted. It is opened for reading only, its tables must be those of a collection to the
    letter, and their rows are checked one by one and copied into a collection of our own making; the keyword index is
    made anew from the texts. So no trigger, view or function that somebody put there ever runs.

    Args:
        file: What `database.export` wrote.
        folder: Where the collection is to be.
        embedding_model: The one that the file must have been made with, since questions will be sent to it.

    Raises:
        InputError: There is no such file.
        CollectionError: The file is no export of this format or of another model, something in it does not fit, or
            the folder has a collection already.
    """
    if not file.is_file():
        raise InputError(f"no such file: {str(file)!r}; give one that groundgraph collections export wrote")
    if version(folder):
        raise _taken(folder)
    make_folder(folder)
    try:
        with _untrusted(file) as source:
            settings = _settings(source, embedding_model)
            with connect(folder / FILE, write=True, create=True) as db, transaction(db):
                if db.execute("PRAGMA user_version").fetchone()[0]:
                    raise _taken(folder)
                create_schema(db, {name: settings[name] for name in ("description", "embedding_model", "chunker")})
                _copy(source, db, settings["dimension"])
                if not is_intact(source):
                    raise _Unfit("its checksum is another: it was damaged on its way")
    except BaseException as error:
        if not version(folder):
            remove(folder)
        if isinstance(error, _Unfit):
            raise CollectionError(f"{str(file)!r} is no whole collection ({error}): export it again") from error
        raise


def _taken(folder: Path) -> CollectionError:
    return CollectionError(f"collection {folder.name!r} exists: delete it first, or import under another name")


@contextmanager
def _untrusted(file: Path) -> Iterator[sqlite3.Connection]:
    """Open a file for reading, without its journals, after a look at its format and tables."""
    uri = f"{file.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as source:
            source.execute("PRAGMA trusted_schema = OFF")
            source.execute("PRAGMA cell_size_check = ON")
            found = source.execute("PRAGMA user_version").fetchone()[0]
            if found != VERSION:
                raise _Unfit(f"format {found} instead of {VERSION}")
            with closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
                create_schema(model, {})
                if _tables(source) != _tables(model):
                    raise _Unfit("other tables than a collection has")
            yield source
    except sqlite3.DatabaseError as error:
        raise _Unfit(str(error)) from error


def _tables(db: sqlite3.Connection) -> dict[str, tuple[str, str]]:
    """Return type and definition of all there is, but for what FTS5 keeps its index in, which is never read."""
    query = "SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'keywords\\_%' ESCAPE '\\'"
    return {name: (kind, sql) for name, kind, sql in db.execute(query)}


def _settings(source: sqlite3.Connection, embedding_model: str) -> dict[str, Any]:
    settings = dict(source.execute("SELECT name, value FROM settings"))
    lines = {"description": _line(DESCRIPTION_SIZE), "embedding_model": _line(LONGEST_SOURCE, least=1)}
    for name, fits in lines.items():
        if not fits(settings.get(name)):
            raise _Unfit(f"row {name!r} of settings: value is {_shown(settings.get(name))}")
    if settings.get("chunker") not in CHUNKERS:
        raise _Unfit(f"unknown chunker {settings.get('chunker')!r}")
    if not _count(settings.get("dimension")) or settings["dimension"] > _WIDEST:
        raise _Unfit(f"vectors of {settings.get('dimension')!r} dimensions")
    made_with = settings["embedding_model"]
    if made_with != embedding_model:
        raise CollectionError(
            f"the collection was made with {made_with!r}, not {embedding_model!r}, and questions would be sent to it: "
            f"if you trust it, import with --embedding-model {made_with}"
        )
    return settings


def _copy(source: sqlite3.Connection, db: sqlite3.Connection, dimension: int) -> None:
    """Copy what makes a collection, checking every row."""
    for row in _rows(source, "documents"):
        metadata = _metadata(row["metadata"], row["id"])
        _insert(db, "documents", row)
        fields = ((key, value, row["id"]) for key, value in fields_of(metadata))
        db.executemany("INSERT OR IGNORE INTO fields VALUES (?, ?, ?)", fields)
    parents: dict[int | None, int] = {}
    for row in _rows(source, "parents"):
        parents[row["id"]] = row["document"]
        _insert(db, "parents", row)
    for row in _rows(source, "chunks"):
        if row["parent"] is not None and parents.get(row["parent"]) != row["document"]:
            raise _Unfit(f"row {row['id']} of chunks: parent {row['parent']} is not there")
        if row["digest"] != text_digest(f"{row['heading']}\n{row['text']}" if row["heading"] else row["text"]):
            raise _Unfit(f"row {row['id']} of chunks: digest is not that of heading and text")
        _insert(db, "chunks", row)
        index_words(db, row["id"], row["heading"], row["text"])
    for row in _rows(source, "vectors"):
        if not _is_unit_vector(row["vector"], dimension):
            raise _Unfit(f"row {row['chunk']} of vectors: vector is not {dimension} numbers of length 1")
        _insert(db, "vectors", row)
    unpaired = "SELECT min(chunks.id) FROM chunks LEFT JOIN vectors ON vectors.chunk = chunks.id WHERE vector IS NULL"
    if chunk := db.execute(unpaired).fetchone()[0]:
        raise _Unfit(f"row {chunk} of chunks: there is no vector for it")
    db.execute("UPDATE settings SET value = ? WHERE name = 'dimension'", (dimension,))
    db.execute("UPDATE settings SET value = 1 WHERE name = 'generation'")


def _is_unit_vector(blob: bytes, dimension: int) -> bool:
    if not dimension or len(blob) != 4 * dimension:
        return False
    length = np.linalg.norm(np.frombuffer(blob, "<f4").astype(np.float64))
    return bool(abs(length - 1) <= _LENGTH_ERROR)  # not so if it is no number


def _rows(source: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    columns = _TABLES[table]
    names = ", ".join(f'"{name}"' for name in columns)
    try:
        for values in source.execute(f"SELECT {names} FROM {table}"):
            row = dict(zip(columns, values, strict=True))
            for name, fits in columns.items():
                if not fits(row[name]):
                    raise _Unfit(f"row {_shown(values[0])} of {table}: {name} is {_shown(row[name])}")
            if row.get("end", 0) < row.get("start", 0):
                raise _Unfit(f"row {values[0]} of {table}: end {row['end']} lies before start {row['start']}")
            yield row
    except sqlite3.DatabaseError as error:
        raise _Unfit(str(error)) from error


def _insert(db: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> None:
    names = ", ".join(f'"{name}"' for name in row)
    try:
        db.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", [*row.values()])
    except sqlite3.IntegrityError as error:
        raise _Unfit(f"row {next(iter(row.values()))} of {table}: {error}") from error


def _shown(value: object) -> str:
    """Return a value as a line shows it, were it long or several lines."""
    return repr(value if isinstance(value, int | None) else str(value)[:_SHOWN])


def _metadata(text: str, document: int) -> dict[str, Any]:
    try:
        metadata = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _Unfit(f"row {document} of documents: metadata is no JSON ({error})") from error
    if not isinstance(metadata, dict) or not is_shallow(metadata):
        raise _Unfit(f"row {document} of documents: metadata is no JSON object, or nested too deeply")
    return metadata
