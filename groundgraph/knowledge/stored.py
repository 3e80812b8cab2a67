"""Rows of a collection's tables: how a document is written into them, and how many values are asked for at once."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from groundgraph.errors import CollectionError
from groundgraph.knowledge.attributes import date_of, fields_of, language_of
from groundgraph.knowledge.chunk import Chunk
from groundgraph.knowledge.store import Entry, Vectors
from groundgraph.knowledge.words import index_words

_VARIABLES = 500
"""Values bound to one statement."""


def settings_of(db: sqlite3.Connection) -> dict[str, Any]:
    """Return the collection's settings by name."""
    return dict(db.execute("SELECT name, value FROM settings"))


def select(db: sqlite3.Connection, query: str, values: Iterable[str | int]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query over any number of values, for which `{}` stands in it."""
    distinct = list(dict.fromkeys(values))
    for start in range(0, len(distinct), _VARIABLES):
        part = distinct[start : start + _VARIABLES]
        yield from db.execute(query.format(", ".join("?" * len(part))), part)


def check_dimension(db: sqlite3.Connection, name: str, vectors: Sequence[Vectors]) -> None:
    """Take the dimension of the first vectors as the collection's, and hold all others to it.

    Raises:
        CollectionError: The vectors have another dimension.
    """
    settings = settings_of(db)
    for dimension in {len(vector) for vector in vectors}:
        if not settings["dimension"]:
            settings["dimension"] = dimension
            db.execute("UPDATE settings SET value = ? WHERE name = 'dimension'", (dimension,))
        elif dimension != settings["dimension"]:
            raise CollectionError(
                f"collection {name!r} holds vectors of {settings['dimension']} dimensions from "
                f"{settings['embedding_model']!r}, not {dimension}: use the stored model or another --collection"
            )


def insert(db: sqlite3.Connection, entry: Entry) -> None:
    """Write a document with its parents, its chunks, and their vectors and words."""
    document = _insert_document(db, entry)
    parents = {span: _insert_piece(db, "parents", document, piece) for span, piece in entry.parents.items()}
    for chunk, digest, vector in zip(entry.chunks, entry.chunk_digests, entry.vectors, strict=True):
        parent = None if chunk.parent is None else parents[chunk.parent]
        number = _insert_piece(db, "chunks", document, chunk, digest=digest, parent=parent)
        db.execute("INSERT INTO vectors VALUES (?, ?)", (number, vector.astype("<f4").tobytes()))
        index_words(db, number, chunk.heading, chunk.text)


def _insert_document(db: sqlite3.Connection, entry: Entry) -> int:
    document = entry.document
    row = {
        "source": document.source,
        "origin": document.origin,
        "title": document.title,
        "metadata": json.dumps(document.metadata),
        "digest": entry.digest,
        "language": language_of("\n".join(chunk.text for chunk in entry.chunks[:5]), document.metadata),
        "date": date_of(document.metadata),
    }
    number = _insert_row(db, "documents", row)
    fields = ((key, value, number) for key, value in fields_of(document.metadata))
    db.executemany("INSERT OR IGNORE INTO fields VALUES (?, ?, ?)", fields)
    return number


def _insert_piece(db: sqlite3.Connection, table: str, document: int, piece: Chunk, **others: str | int | None) -> int:
    row = {"text": piece.text, "heading": piece.heading, "page": piece.page, "start": piece.start, "end": piece.end}
    return _insert_row(db, table, {"document": document, **row, **others})


def _insert_row(db: sqlite3.Connection, table: str, row: Mapping[str, str | int | None]) -> int:
    columns = ", ".join(f'"{column}"' for column in row)
    values = ", ".join("?" * len(row))
    return int(db.execute(f"INSERT INTO {table} ({columns}) VALUES ({values})", [*row.values()]).lastrowid or 0)


def next_generation(db: sqlite3.Connection) -> None:
    """Say that the collection holds something else now, so that what is derived from it is made anew."""
    db.execute("UPDATE settings SET value = value + 1 WHERE name = 'generation'")
