"""A collection in one SQLite file: the truth, the keyword index inside it, and the FAISS index derived from it."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from groundgraph.errors import CollectionError
from groundgraph.knowledge.conditions import chunks_where
from groundgraph.knowledge.database import FILE, connect, export, remove, transaction
from groundgraph.knowledge.filter import Filter
from groundgraph.knowledge.keywords import match_expression
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.store import CollectionInfo, Entry, Hit, Kept, Progress, Vectors
from groundgraph.knowledge.stored import check_dimension, insert, next_generation, select, settings_of
from groundgraph.knowledge.vectors import VectorIndex
from groundgraph.knowledge.words import bring_words_up_to_date, words_are_current

_MARKS = {"chunks": "", "parents": "p"}
"""What stands before a row's number in an id, by the row's table."""
_PASSAGE = """
SELECT {table}.id, text, heading, page, "start", "end", source, title, metadata
FROM {table} JOIN documents ON documents.id = {table}.document WHERE {table}.id IN ({{}})
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
            settings = settings_of(db)
        return CollectionInfo(name=self.name, path=self.folder, **{field: settings[field] for field in _INFO_FIELDS})

    def configure(self, **settings: str) -> None:
        """Change `description`, `chunker`, or `embedding_model` while there are no chunks."""
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
            return {digest: np.frombuffer(blob, "<f4") for digest, blob in select(db, query, chunk_digests)}

    def put(self, entries: Sequence[Entry]) -> None:
        """Keep documents in place of those of the same source; all of them or, after an error, none.

        Raises:
            CollectionError: The vectors have another dimension than those that are there.
        """
        with connect(self._file, write=True) as db, transaction(db):
            for entry in entries:
                check_dimension(db, self.name, entry.vectors)
                db.execute("DELETE FROM documents WHERE source = ?", (entry.document.source,))
                insert(db, entry)
            next_generation(db)

    def forget(self, sources: Sequence[str]) -> int:
        """Remove documents with their chunks and return how many there were."""
        with connect(self._file, write=True) as db, transaction(db):
            removed = sum(db.execute("DELETE FROM documents WHERE source = ?", (one,)).rowcount for one in sources)
            if removed:
                next_generation(db)
        return removed

    def nearest(self, vector: Vectors, k: int, where: Filter | None = None) -> list[Hit]:
        """Return at most `k` chunks, or parents, by inner product with `vector`, shape (dimension,), best first."""
        loaded = vector_index(self.folder).current()
        if loaded.dimension not in {0, len(vector)}:
            raise CollectionError(
                f"collection {self.name!r} holds vectors of {loaded.dimension} dimensions from "
                f"{self.info().embedding_model!r}, the question has {len(vector)}: ask with the stored model"
            )
        with connect(self._file) as db:
            allowed = None
            if condition := chunks_where(where):
                allowed = np.sort(np.fromiter((row[0] for row in db.execute(*condition)), np.int64))
            return self._distinct(db, lambda count: loaded.search(vector, count, allowed), k)

    def matching(self, question: str, k: int, where: Filter | None = None) -> list[Hit]:
        """Return at most `k` chunks, or parents, that share a word with the question, by BM25, best first."""
        expression = match_expression(question)
        if expression is None:
            return []
        # The plus keeps SQLite from asking the keyword index once for each allowed chunk.
        among, values = chunks_where(where) or ("", ())
        only = f"AND +rowid IN ({among})" if among else ""
        query = f"SELECT rowid, -rank FROM keywords WHERE keywords MATCH ? {only} ORDER BY rank LIMIT ?"
        with connect(self._file) as db:
            if not words_are_current(db):
                bring_words_up_to_date(self._file)
            return self._distinct(db, lambda count: list(db.execute(query, (expression, *values, count))), k)

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """Return chunks and parents in the order of `ids`, leaving out those that are gone."""
        found: dict[str, Passage] = {}
        with connect(self._file) as db:
            for table, numbers in self._numbers(ids).items():
                query = _PASSAGE.format(table=table)
                found |= {self._id(row[0], table): self._passage(table, *row) for row in select(db, query, numbers)}
        return [found[one] for one in ids if one in found]

    def passage_ids(self) -> dict[str, list[str]]:
        """Return the ids of each document's passages, in order, by source: chunks, or the parents they have."""
        query = (
            "SELECT source, chunks.id, parent FROM chunks JOIN documents ON documents.id = document ORDER BY chunks.id"
        )
        found: dict[str, dict[str, None]] = {}
        with connect(self._file) as db:
            for source, chunk, parent in db.execute(query):
                key = self._id(chunk) if parent is None else self._id(parent, "parents")
                found.setdefault(source, {})[key] = None
        return {source: list(ids) for source, ids in found.items()}

    def vectors(self, ids: Sequence[str]) -> Vectors:
        """Return the vectors of chunks and parents, shape (len(ids), dimension); a parent's is its chunks' mean.

        Raises:
            CollectionError: A chunk is gone.
        """
        numbers = self._numbers(ids)
        found: dict[str, Vectors] = {}
        with connect(self._file) as db, transaction(db, write=False):
            dimension = settings_of(db)["dimension"]
            query = "SELECT chunk, vector FROM vectors WHERE chunk IN ({})"
            for chunk, blob in select(db, query, numbers.get("chunks", [])):
                found[self._id(chunk)] = np.frombuffer(blob, "<f4")
            for parent in numbers.get("parents", []):
                if vector := _mean(db, parent):
                    found[self._id(parent, "parents")] = vector[0]
        gone = [one for one in ids if one not in found]
        if gone:
            raise CollectionError(
                f"collection {self.name!r} no longer holds {gone[0]!r}: it was indexed anew; ask again"
            )
        return np.array([found[one] for one in ids], np.float32).reshape(len(ids), dimension)

    def sample(self, count: int) -> Vectors:
        """Return the vectors of at most `count` chunks spread over the collection, shape (n, dimension)."""
        query = "SELECT chunk, vector FROM vectors WHERE chunk >= ? ORDER BY chunk LIMIT 1"
        with connect(self._file) as db:
            dimension = settings_of(db)["dimension"]
            first, last = db.execute("SELECT coalesce(min(chunk), 0), coalesce(max(chunk), -1) FROM vectors").fetchone()
            places = np.linspace(first, last, count).astype(int).tolist() if last >= first else []
            found = {chunk: blob for place in places for chunk, blob in db.execute(query, (place,))}
        return np.frombuffer(b"".join(found.values()), "<f4").reshape(len(found), dimension)

    def refresh(self, progress: Progress | None = None) -> None:
        """Bring both indexes up to date now, so that the next search need not; `progress` is told of FAISS if large."""
        bring_words_up_to_date(self._file)
        vector_index(self.folder).current(thorough=True, progress=progress)

    def export(self, file: Path) -> None:
        """Write the collection, as it is at this moment, into one new file; see `database.export`."""
        export(self.folder, file)

    def delete(self) -> None:
        """Remove the collection with its folder; see `database.remove`."""
        remove(self.folder)

    def _distinct(self, db: sqlite3.Connection, find: Callable[[int], list[tuple[int, float]]], k: int) -> list[Hit]:
        """Return the best `k` of what `find(count)` finds, chunks that have one parent as one hit, the parent."""
        count = k
        while True:
            found = find(count)
            query = "SELECT id, parent FROM chunks WHERE id IN ({}) AND parent IS NOT NULL"
            parents = dict(select(db, query, (chunk for chunk, _ in found)))
            hits: dict[str, Hit] = {}
            for chunk, score in found:
                key = self._id(parents[chunk], "parents") if chunk in parents else self._id(chunk)
                hits.setdefault(key, Hit(key, score))
            if len(hits) >= k or len(found) < count:
                return list(hits.values())[:k]
            count *= 4

    def _id(self, number: int, table: str = "chunks") -> str:
        return f"{self.name}:{_MARKS[table]}{number}"

    def _numbers(self, ids: Iterable[str]) -> dict[str, list[int]]:
        """Return the row numbers of ids by their table."""
        numbers: dict[str, list[int]] = {}
        for one in ids:
            key = one.rpartition(":")[2]
            table = "parents" if key.startswith(_MARKS["parents"]) else "chunks"
            numbers.setdefault(table, []).append(int(key.removeprefix(_MARKS[table])))
        return numbers

    def _passage(
        self,
        table: str,
        number: int,
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
            id=self._id(number, table),
            page_content=text,
            metadata={**json.loads(metadata), "title": title},
            source=source,
            heading=heading,
            page=page,
            start=start,
            end=end,
            collection=self.name,
        )


def _mean(db: sqlite3.Connection, parent: int) -> list[Vectors]:
    """Return the mean of the vectors of a parent's chunks, of length 1; nothing if there is no such parent."""
    query = "SELECT vector FROM vectors JOIN chunks ON chunks.id = vectors.chunk WHERE parent = ?"
    vectors = [np.frombuffer(blob, "<f4") for (blob,) in db.execute(query, (parent,))]
    return [mean / max(float(np.linalg.norm(mean)), 1e-12) for mean in [np.mean(vectors, axis=0)]] if vectors else []
