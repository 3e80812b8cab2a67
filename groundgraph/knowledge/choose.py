"""Which collections are worth searching for a question: by what they say they are about."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

import numpy as np

from groundgraph import models
from groundgraph.errors import CollectionError
from groundgraph.knowledge.attributes import language_of
from groundgraph.knowledge.folders import collection_names
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.store import CollectionInfo, Vectors

ALL = "*"
"""Stands for all collections where names are given."""
MARGIN = 0.03
"""How far below the best a collection may score and still be searched.

Of 64 questions in English and Chinese to eight described collections, the right one was kept for all, among 2.8 kept.
"""
_SAMPLE = 64
"""Chunks whose mean stands for a collection without a description."""


class Choice(NamedTuple):
    """Collections worth searching, in the order given, and the score in [-1, 1] of each; None where nothing tells."""

    names: list[str]
    scores: dict[str, float | None]


def named(collections: Sequence[str]) -> list[str]:
    """Return the collections that are meant, each once; `*` means all there are.

    Raises:
        InputError: The folder of all collections cannot be read.
        CollectionError: `*` means none.
    """
    meant = [name for given in collections for name in (collection_names() if given == ALL else [given])]
    if not meant:
        raise CollectionError("there are no collections yet; make one: groundgraph index PATH")
    return list(dict.fromkeys(meant))


def choose_collections(question: str, names: Sequence[str]) -> Choice:
    """Return the collections whose subject is near the question, and all of which nothing can be said.

    A collection is scored by the cosine of the question to its description or, without one, to the mean of a sample of
    its chunks. Only scores of one kind are compared: of one embedding model, and descriptions of one language, since
    a question is nearer to its own.

    Args:
        question: As it reads by itself.
        names: Collections there are to choose from.

    Raises:
        CollectionError: A collection is missing.
        ModelError: An embedding model failed.
    """
    infos = [Collection.open(name).info() for name in dict.fromkeys(names)]
    scores = {info.name: _score(question, info) for info in infos}
    chosen: set[str] = set()
    for _, group in groupby(sorted(infos, key=_kind), key=_kind):
        scored = {info.name: scores[info.name] for info in group}
        best = max((score for score in scored.values() if score is not None), default=0.0)
        chosen |= {name for name, score in scored.items() if score is None or score >= best - MARGIN}
    return Choice([info.name for info in infos if info.name in chosen], scores)


def _kind(info: CollectionInfo) -> tuple[str, str]:
    """Return what two collections must have in common for their scores to be compared."""
    if not info.description:
        return info.embedding_model, "sample"
    language = language_of(info.description, {})
    return info.embedding_model, language if language in {"zh", "ja", "ko"} else "alphabetic"


def _score(question: str, info: CollectionInfo) -> float | None:
    subject = _subject(info)
    if subject is None:
        return None
    return float(models.embedding_model(info.embedding_model).embed_query(question) @ subject)


@lru_cache(maxsize=1024)
def _subject(info: CollectionInfo) -> Vectors | None:
    """Return the vector of what a collection is about, shape (dimension,); None if it is empty and says nothing."""
    if info.description:
        vector: Vectors = models.embedding_model(info.embedding_model).embed_passages([info.description])[0]
        return vector
    sample = Collection.open(info.name, info.path.parent).store.sample(_SAMPLE)
    if not len(sample):
        return None
    mean: Vectors = sample.mean(axis=0)
    return mean / np.float32(max(float(np.linalg.norm(mean)), 1e-12))
