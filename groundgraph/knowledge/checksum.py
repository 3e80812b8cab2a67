"""The checksum of all that a collection holds, by which an exported file shows that it arrived as it was sent."""

import hashlib
import json
import sqlite3

_CONTENT = (
    "SELECT name, value FROM settings WHERE name IN ('chunker', 'description', 'dimension', 'embedding_model') "
    "ORDER BY name",
    "SELECT * FROM documents ORDER BY id",
    "SELECT * FROM parents ORDER BY id",
    "SELECT * FROM chunks ORDER BY id",
    "SELECT * FROM vectors ORDER BY chunk",
)
"""What is copied by an import; the rest is made anew."""


def checksum(db: sqlite3.Connection) -> str:
    """Return the SHA-256 of the rows of a collection, as 64 hexadecimal digits.

    It tells damage, not forgery: whoever changes a file can change its checksum.
    """
    digest = hashlib.sha256()
    for query in _CONTENT:
        for row in db.execute(query):
            blobs = [value for value in row if isinstance(value, bytes)]
            digest.update(json.dumps([len(value) if isinstance(value, bytes) else value for value in row]).encode())
            digest.update(b"".join(blobs))
    return digest.hexdigest()


def seal(db: sqlite3.Connection) -> None:
    """Put the checksum of a collection among its settings."""
    db.execute("INSERT OR REPLACE INTO settings VALUES ('checksum', ?)", (checksum(db),))


def is_intact(db: sqlite3.Connection) -> bool:
    """Tell whether a collection fits its checksum; one of an earlier version that has none may."""
    sealed = db.execute("SELECT value FROM settings WHERE name = 'checksum'").fetchone()
    return sealed is None or sealed[0] == checksum(db)
