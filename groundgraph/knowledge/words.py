"""The keyword index inside the SQLite file: the words that each chunk is found by, made anew if words change."""

import sqlite3
from pathlib import Path

from groundgraph.knowledge.database import WORDS, connect, transaction
from groundgraph.knowledge.keywords import index_terms


def index_words(db: sqlite3.Connection, chunk: int, heading: str, text: str) -> None:
    """Make a chunk findable by the words of its heading and text."""
    words = " ".join(index_terms(f"{heading}\n{text}"))
    db.execute("INSERT INTO keywords (rowid, tokens) VALUES (?, ?)", (chunk, words))


def words_are_current(db: sqlite3.Connection) -> bool:
    """Tell whether the keyword index holds words as `index_terms` gives them today."""
    (version,) = db.execute("SELECT max(value) FROM settings WHERE name = 'words'").fetchone()
    return bool(version == WORDS)


def bring_words_up_to_date(file: Path) -> None:
    """Make the keyword index anew from the texts if it holds words of another version; all of it or none.

    Raises:
        CollectionError: The file cannot be written, or the disk is full.
    """
    with connect(file, write=True) as db, transaction(db):
        if words_are_current(db):
            return
        db.execute("DELETE FROM keywords")
        for chunk, heading, text in db.execute("SELECT id, heading, text FROM chunks"):
            index_words(db, chunk, heading, text)
        db.execute("INSERT OR REPLACE INTO settings VALUES ('words', ?)", (WORDS,))
