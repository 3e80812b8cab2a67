"""A collection as one file: write it, and read one that anybody may have made."""

import json
import math
import os
import sqlite3
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from groundgraph.errors import CollectionError, InputError
from groundgraph.knowledge.database import FILE, VERSION, clear_errors, connect, create_schema, transaction
from groundgraph.knowledge.sqlite_store import index_words

_TEXTS = ("description", "embedding_model", "chunker")
_TABLES: dict[str, tuple[tuple[str, type], ...]] = {
    "documents": (
        ("id", int), ("source", str), ("origin", str), ("title", str), ("metadata", str), ("digest", str),
        ("language", str), ("date", str),
    ),
    "fields": (("key", str), ("value", str), ("document", int)),
    "parents": (
        ("id", int), ("document", int), ("text", str), ("heading", str), ("page", object), ("start", int), ("end", int),
    ),
    "chunks": (
        ("id", int), ("document", int), ("text", str), ("heading", str), ("page", object), ("start", int), ("end", int),
        ("digest", str), ("parent", object),
    ),
    "vectors": (("chunk", int), ("vector", bytes)),
}  # fmt: skip
"""Columns of what makes a collection, with their types; `object` is a number or nothing."""
_NEVER_RUN = sqlite3.SQLITE_DENY


def export_file(folder: Path, file: Path) -> None:
    """Write the collection in a folder, as it is at this moment, into one new file.

    Raises:
        InputError: The file is there already, or cannot be written.
        CollectionError: The disk is full, or the collection is damaged.
    """
    half = file.with_name(f".{file.name}.{uuid.uuid4().hex[:8]}")
    try:
        with connect(folder / FILE) as db:
            db.execute("VACUUM INTO ?", (str(half),))
        os.link(half, file)  # unlike a renaming, it never replaces what is there
    except FileExistsError:
        raise InputError(f"{str(file)!r} exists: give the name of a new file") from None
    except OSError as error:
        raise InputError(f"{str(file)!r} cannot be written ({error.strerror}): choose another place") from error
    finally:
        half.unlink(missing_ok=True)


def import_file(file: Path, folder: Path) -> None:
    """Make a collection in a folder from an exported file, all of it or, after an error, none.

    The file is trusted in nothing. It is opened for reading only and must have the tables of a collection and nothing
    else; its rows are checked one by one and copied into a collection of our own making, and the keyword index is made
    from the texts. So no trigger, view, function or index of the file ever works here.

    Raises:
        InputError: There is no such file.
        CollectionError: It is no export of this format, something in it does not fit, or the folder has a collection.
    """
    if not file.is_file():
        raise InputError(f"no such file: {str(file)!r}; give one that `groundgraph collections export` wrote")
    folder.mkdir(parents=True, exist_ok=True)
    with _untrusted(file) as source, connect(folder / FILE, write=True, create=True) as db, transaction(db):
        if db.execute("PRAGMA user_version").fetchone()[0]:
            raise CollectionError(f"a collection {folder.name!r} exists: delete it first, or import under another name")
        ...
