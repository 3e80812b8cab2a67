"""Search by documents that might be there: their vectors pooled with the question's (HyDE, arXiv:2212.10496)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.store import Vectors
from groundgraph.models import embedding_model

Pool = Literal["mean", "max"]


def hypothetical_vectors(
    question: str,
    documents: Sequence[str],
    collections: Sequence[str],
    *,
    pool: Pool = "mean",
    include_question: bool = True,
    home: Path | None = None,
    embedding: str | None = None,
) -> dict[str, Vectors]:
    """Return the vector to search by, by the embedding model of each collection that holds something.

    Args:
        question: Embedded as a question.
        documents: Embedded as passages, at least one.
        collections: Names of those to be searched.
        pool: How several vectors become one.
        include_question: Whether the question's vector is among them.
        home: Folder of all collections; by default the one in the settings.
        embedding: Model that the collections must have been made with; by default each one's own.

    Raises:
        CollectionError: A collection is missing or was made with another embedding model.
        ModelError: An embedding model failed.
    """
    opened = (Collection.open(name, home, embedding_model=embedding).info() for name in collections)
    names = dict.fromkeys(info.embedding_model for info in opened if info.chunks)
    found = {}
    for name in names:
        model = embedding_model(name)
        vectors = list(model.embed_passages(documents))
        if include_question:
            vectors.append(model.embed_query(question))
        found[name] = pooled(vectors, pool)
    return found


def pooled(vectors: Sequence[Vectors], pool: Pool) -> Vectors:
    """Return the mean, or the largest value of each component, of vectors of one shape; its length is 1.

    Vectors that cancel each other out give zeros, which are near nothing.
    """
    stacked = np.stack(vectors)
    vector = stacked.mean(axis=0) if pool == "mean" else stacked.max(axis=0)
    length = np.linalg.norm(vector)
    return np.asarray(vector / length if length else vector, np.float32)
