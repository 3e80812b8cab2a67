"""An embedding model that remembers its vectors in a file, so that a benchmark embeds a text once in its life."""

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from groundgraph.knowledge.store import Vectors
from groundgraph.models import EmbeddingModel


class CachedEmbedding:
    """Another model's vectors under the name `cached:MODEL`; an `EmbeddingModel`, for one thread."""

    def __init__(self, model: EmbeddingModel, file: Path, questions: Mapping[str, Vectors]) -> None:
        """Open the file, or start one.

        Args:
            model: What embeds a text that is not in the file.
            file: SQLite file of this model's vectors.
            questions: Vectors of questions that are known already, by text.
        """
        file.parent.mkdir(parents=True, exist_ok=True)
        self.name = f"cached:{model.name.partition(':')[2]}"
        self.dimension = model.dimension
        self._model = model
        self._questions = questions
        self._db = sqlite3.connect(file, isolation_level=None)
        self._db.execute("CREATE TABLE IF NOT EXISTS vectors (text TEXT PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    def remember(self, passages: Mapping[str, Vectors]) -> None:
        """Keep vectors of passages that were embedded elsewhere, by text."""
        rows = ((_digest(text), vector.astype("<f4").tobytes()) for text, vector in passages.items())
        self._db.execute("BEGIN")
        self._db.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
        self._db.execute("COMMIT")

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question, shape (dimension,)."""
        known = self._questions.get(text)
        return self._model.embed_query(text) if known is None else known

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of passages, shape (len(texts), dimension)."""
        missing = [text for text in dict.fromkeys(texts) if self._find(text) is None]
        if missing:
            self.remember(dict(zip(missing, self._model.embed_passages(missing), strict=True)))
        vectors = [self._find(text) for text in texts]
        return np.array(vectors, np.float32).reshape(len(texts), self.dimension)

    def _find(self, text: str) -> Vectors | None:
        row = self._db.execute("SELECT vector FROM vectors WHERE text = ?", (_digest(text),)).fetchone()
        return np.frombuffer(row[0], "<f4") if row else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
