"""A collection in one SQLite file: the truth, the keyword index inside it, and the FAISS index derived from it."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from groundgraph.errors import CollectionError
from groundgraph.knowledge.database import FILE, connect, transaction
from groundgraph.knowledge.keywords import match_expression, tokens
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.store import CollectionInfo, Entry, Hit, Kept, Vectors
from groundgraph.knowledge.vectors import VectorIndex

_VARIABLES = 500
"""Values bound to one statement."""
_PASSAGE = """
SELECT chunks.id, text, heading, page, "start", "end", source, title, metadata
FROM chunks JOIN documents ON documents.id = chunks.document WHERE chunks.id IN ({})
"""

_INFO_FIELDS = ("description", "documents", "chunks", "embedding_model", "dimension", "chunker", "generation")

vector_index = lru_cache(maxsize=None)(VectorIndex)
"""The one vector index of a collection's folder in this process."""


class SQLiteStore:
    """Keeps a collection in a folder; a `Store`."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self._file = folder / FILE

    def info(self) -> CollectionInfo:
        """Return what the collection is and holds now."""
        with connect(self._file) as db:
            settings = _settings(db)
        return CollectionInfo(name=self.name, path=self.folder, **{field: settings[field] for field in _INFO_FIELDS})

    def configure(self, **settings: str) -> None:
        """Change `description`, or `embedding_model` while there are no chunks."""
        with connect(self._file, write=True) as db, transaction(db):
            db.executemany("UPDATE settings SET value = ? WHERE name = ?", ((v, k) for k, v in settings.items()))

    def kept(self) -> dict[str, Kept]:
        """Return the kept documents by source."""
        with connect(self._file) as db:
            return {source: Kept(*rest) for source, *rest in db.execute("SELECT source, digest, origin FROM documents")}

    def known_vectors(self, chunk_digests: Iterable[str]) -> dict[str, Vectors]:
        """Return the vectors that are there already, by chunk digest."""
        query = "SELECT digest, vector FROM chunks JOIN vectors ON vectors.chunk = chunks.id WHERE digest IN ({})"
        with connect(self._file) as db:
            return {digest: np.frombuffer(blob, "<f4") for digest, blob in _select(db, query, chunk_digests)}

    def put(self, entries: Sequence[Entry]) -> None:
        """Keep documents in place of those of the same source; all of them or, after an error, none.

        Raises:
            CollectionError: The vectors have another dimension than those that are there.
        """
        with connect(self._file, write=True) as db, transaction(db):
            for entry in entries:
                _check_dimension(db, self.name, entry.vectors)
                db.execute("DELETE FROM documents WHERE source = ?", (entry.document.source,))
                _insert(db, entry)
            _next_generation(db)

    def forget(self, sources: Sequence[str]) -> int:
        """Remove documents with their chunks and return how many there were."""
        with connect(self._file, write=True) as db, transaction(db):
            removed = sum(db.execute("DELETE FROM documents WHERE source = ?", (one,)).rowcount for one in sources)
            if removed:
                _next_generation(db)
        return removed

    def nearest(self, vector: Vectors, k: int) -> list[Hit]:
        """Return at most `k` chunks by inner product with `vector`, shape (dimension,), best first."""
        loaded = vector_index(self.folder).current()
        if loaded.dimension not in {0, len(vector)}:
            raise CollectionError(
                f"collection {self.name!r} holds vectors of {loaded.dimension} dimensions from "
                f"{self.info().embedding_model!r}, the question has {len(vector)}: ask with the stored model"
            )
        return [Hit(self._id(chunk), score) for chunk, score in loaded.search(vector, k)]

    def matching(self, question: str, k: int) -> list[Hit]:
        """Return at most `k` chunks that share a word with the question, by BM25, best first."""
        expression = match_expression(question)
        if expression is None:
            return []
        query = "SELECT rowid, rank FROM keywords WHERE keywords MATCH ? ORDER BY rank LIMIT ?"
        with connect(self._file) as db:
            return [Hit(self._id(chunk), -rank) for chunk, rank in db.execute(query, (expression, k))]

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """Return chunks in the order of `ids`, leaving out those that are gone."""
        with connect(self._file) as db:
            found = {row[0]: self._passage(*row) for row in _select(db, _PASSAGE, map(_chunk, ids))}
        return [found[chunk] for chunk in map(_chunk, ids) if chunk in found]

    def vectors(self, ids: Sequence[str]) -> Vectors:
        """Return the vectors of chunks, shape (len(ids), dimension).

        Raises:
            CollectionError: A chunk is gone.
        """
        with connect(self._file) as db:
            dimension = _settings(db)["dimension"]
            query = "SELECT chunk, vector FROM vectors WHERE chunk IN ({})"
            found = dict(_select(db, query, map(_chunk, ids)))
        gone = [one for one in ids if _chunk(one) not in found]
        if gone:
            raise CollectionError(
                f"collection {self.name!r} no longer holds {gone[0]!r}: it was indexed anew; ask again"
            )
        blobs = b"".join(found[_chunk(one)] for one in ids)
        return np.frombuffer(blobs, "<f4").reshape(len(ids), dimension)

    def refresh(self) -> None:
        """Bring the FAISS index up to date now, so that the next search need not."""
        vector_index(self.folder).current()

    def _id(self, chunk: int) -> str:
        return f"{self.name}:{chunk}"

    def _passage(
        self,
        chunk: int,
        text: str,
        heading: str,
        page: int | None,
        start: int,
        end: int,
        source: str,
        title: str,
        metadata: str,
    ) -> Passage:
        return Passage(
            id=self._id(chunk),
            page_content=text,
            metadata={**json.loads(metadata), "title": title},
            source=source,
            heading=heading,
            page=page,
            start=start,
            end=end,
            collection=self.name,
        )


def _chunk(passage_id: str) -> int:
    return int(passage_id.rpartition(":")[2])


def _settings(db: sqlite3.Connection) -> dict[str, Any]:
    return dict(db.execute("SELECT name, value FROM settings"))


def _select(db: sqlite3.Connection, query: str, values: Iterable[str | int]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query over any number of values, for which `{}` stands in it."""
    distinct = list(dict.fromkeys(values))
    for start in range(0, len(distinct), _VARIABLES):
        part = distinct[start : start + _VARIABLES]
        yield from db.execute(query.format(", ".join("?" * len(part))), part)


def _check_dimension(db: sqlite3.Connection, name: str, vectors: Sequence[Vectors]) -> None:
    """Take the dimension of the first vectors as the collection's, and hold all others to it."""
    settings = _settings(db)
    for dimension in {len(vector) for vector in vectors}:
        if not settings["dimension"]:
            settings["dimension"] = dimension
            db.execute("UPDATE settings SET value = ? WHERE name = 'dimension'", (dimension,))
        elif dimension != settings["dimension"]:
            raise CollectionError(
                f"collection {name!r} holds vectors of {settings['dimension']} dimensions from "
                f"{settings['embedding_model']!r}, not {dimension}: use the stored model or another --collection"
            )


def _insert(db: sqlite3.Connection, entry: Entry) -> None:
    document = entry.document
    row = (document.source, document.origin, document.title, json.dumps(document.metadata), entry.digest)
    cursor = db.execute("INSERT INTO documents (source, origin, title, metadata, digest) VALUES (?, ?, ?, ?, ?)", row)
    for chunk, digest, vector in zip(entry.chunks, entry.chunk_digests, entry.vectors, strict=True):
        inserted = db.execute(
            'INSERT INTO chunks (document, text, heading, page, "start", "end", digest) VALUES (?, ?, ?, ?, ?, ?, ?)',
            (cursor.lastrowid, chunk.text, chunk.heading, chunk.page, chunk.start, chunk.end, digest),
        )
        db.execute("INSERT INTO vectors VALUES (?, ?)", (inserted.lastrowid, vector.astype("<f4").tobytes()))
        words = " ".join(tokens(f"{chunk.heading}\n{chunk.text}"))
        db.execute("INSERT INTO keywords (rowid, tokens) VALUES (?, ?)", (inserted.lastrowid, words))


def _next_generation(db: sqlite3.Connection) -> None:
    db.execute("UPDATE settings SET value = value + 1 WHERE name = 'generation'")
