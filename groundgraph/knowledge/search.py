"""Find passages: by meaning, by words, or by both fused."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np

from groundgraph import models
from groundgraph.errors import CollectionError, InputError, ModelError
from groundgraph.knowledge.diversify import folded, maximal_marginal_relevance
from groundgraph.knowledge.filter import Filter
from groundgraph.knowledge.fuse import reciprocal_rank_fusion
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.store import Hit, Vectors

SearchMode = Literal["hybrid", "vector", "keyword"]

_EVEN = {"vector": 1.0, "keyword": 1.0}
_DEEPEST = 20_000
"""Hits from which a leg is not asked for more, however many of them are folded."""


@dataclass(frozen=True)
class SearchResult:
    """Passages, best first, not yet graded; and what went less well than asked."""

    passages: list[Passage]
    warnings: list[str]


class _Leg(NamedTuple):
    name: str
    weight: float
    search: Callable[[int], list[str]]
    may_fail_with: tuple[type[Exception], ...]


def search(
    question: str,
    collections: Sequence[str],
    *,
    k: int,
    mode: SearchMode = "hybrid",
    home: Path | None = None,
    embedding_model: str | None = None,
    where: Filter | None = None,
    weights: Mapping[str, float] | None = None,
    mmr: float | None = None,
    vectors: Mapping[str, Sequence[float]] | None = None,
) -> SearchResult:
    """Return at most `k` passages of some collections that fit a question, no two of one wording.

    Each leg (vectors, words) finds 2k over all collections, more where passages of one wording are folded; reciprocal
    rank fusion joins them. In hybrid mode one leg may fail: the other's passages are returned with a warning that says
    why.

    Args:
        question: What to look for; one without words finds nothing by words.
        collections: Names, at least one.
        k: Most passages to return, at least 1.
        mode: `hybrid`, `vector` or `keyword`.
        home: Folder of all collections; by default the one in the settings.
        embedding_model: Model that the collections must have been made with; by default each one's own.
        where: What the documents must be; by default all are searched.
        weights: Of the legs `vector` and `keyword` in hybrid mode, at least 0 and not both 0; 1 if not given.
        mmr: Balance of maximal marginal relevance in [0, 1], from different to relevant; by default no such choice.
        vectors: By embedding model, the vector to search by in place of the question's, of length 1; the search by
            words looks for the question all the same.

    Raises:
        InputError: No collection, an unknown mode or leg, or a number out of its range.
        CollectionError: A collection is missing or was made with another embedding model, or all legs failed.
        ModelError: The embedding model failed and there is no other leg.
    """
    weights = _checked(collections, k, mode, weights, mmr)
    opened = [Collection.open(name, home, embedding_model=embedding_model) for name in dict.fromkeys(collections)]
    filled, warnings = _filled(opened)
    weights = {leg: weight for leg, weight in weights.items() if mode in {"hybrid", leg}}
    legs = _legs(question, vectors or {}, filled, where, weights)
    depth = 2 * k
    while True:
        rankings, legs, failures = _run(legs, depth)
        warnings += failures
        scores = dict(reciprocal_rank_fusion(rankings, [leg.weight for leg in legs]))
        passages = folded(_passages([*scores], filled))
        if len(passages) >= k or all(len(ranking) < depth for ranking in rankings) or depth >= _DEEPEST:
            break
        depth *= 4
    if mmr is None or len(passages) <= 1:
        return SearchResult(passages[:k], warnings)
    passages = passages[: 2 * len(rankings) * k]  # as many as there are without copies: their pairs are compared
    relevance = [scores[passage.id or ""] for passage in passages]
    chosen = maximal_marginal_relevance(relevance, _vectors(passages, filled), k, mmr)
    return SearchResult([passages[position] for position in chosen], warnings)


def stored_vectors(passages: Sequence[Passage], embedding_model: str, home: Path | None = None) -> list[Vectors | None]:
    """Return the stored vector of each passage, shape (dimension,); None where there is none by this model.

    Web results, passages of collections made with another model, and such as have been indexed anew have none.
    """
    found: dict[str | None, Vectors] = {}
    for name in {passage.collection for passage in passages if passage.collection}:
        ids = [passage.id for passage in passages if passage.collection == name and passage.id]
        try:
            collection = Collection.open(name, home)
            if collection.info().embedding_model == embedding_model:
                found |= zip(ids, collection.vectors_of(ids), strict=True)
        except CollectionError:  # gone or changed since the search: to be embedded again
            continue
    return [found.get(passage.id) for passage in passages]


def as_indexed(passages: Sequence[Passage], home: Path | None = None) -> list[Passage]:
    """Return each passage as it stands in its collection, whole; as it is where it is no longer there, or in none."""
    found: dict[str | None, Passage] = {}
    for name in {passage.collection for passage in passages if passage.collection}:
        ids = [passage.id for passage in passages if passage.collection == name and passage.id]
        try:
            found |= {passage.id: passage for passage in Collection.open(name, home).store.passages(ids)}
        except CollectionError:  # gone or changed since the search
            continue
    return [found.get(passage.id, passage) for passage in passages]


def _checked(
    collections: Sequence[str], k: int, mode: str, weights: Mapping[str, float] | None, mmr: float | None
) -> dict[str, float]:
    """Return the weights of both legs, or raise if a setting is none that can be searched with."""
    if not collections or mode not in get_args(SearchMode) or k < 1:
        modes = ", ".join(get_args(SearchMode))
        raise InputError(
            f"cannot search collections={collections!r} with mode={mode!r} ({modes}), k={k!r} (at least 1)"
        )
    given = {**_EVEN, **(weights or {})}
    if given.keys() != _EVEN.keys() or not _can_weigh(given.values()):
        raise InputError(f"search weights={weights!r}: give vector and keyword numbers >= 0, not both 0")
    if mmr is not None and not 0 <= mmr <= 1:
        raise InputError(f"mmr={mmr!r}: give a number from 0 (different passages) to 1 (relevant ones)")
    return given if mode == "hybrid" else _EVEN


def _can_weigh(weights: Iterable[float]) -> bool:
    return all(isfinite(weight) and weight >= 0 for weight in weights) and any(weights)


def _filled(opened: Sequence[Collection]) -> tuple[dict[str, list[Collection]], list[str]]:
    """Return the collections that hold something, by embedding model, and a warning for each empty one."""
    filled: dict[str, list[Collection]] = {}
    warnings = []
    for collection in opened:
        info = collection.info()
        if info.chunks:
            filled.setdefault(info.embedding_model, []).append(collection)
        else:
            warnings.append(
                f"collection {info.name!r} is empty; fill it: groundgraph index PATH --collection {info.name}"
            )
    return filled, warnings


def _legs(
    question: str,
    vectors: Mapping[str, Sequence[float]],
    filled: dict[str, list[Collection]],
    where: Filter | None,
    weights: Mapping[str, float],
) -> list[_Leg]:
    """Return the legs that have a weight: one by words, and one by vectors for each embedding model."""
    legs: list[_Leg] = []
    if weight := weights.get("vector"):
        legs += [
            _Leg(
                f"vector search with {model!r}",
                weight,
                partial(_vector_leg, cache(partial(_embedded, model, question, vectors.get(model))), group, where),
                (ModelError, OSError),
            )
            for model, group in filled.items()
        ]
    if (weight := weights.get("keyword")) and filled:
        everywhere = list(chain(*filled.values()))
        search = partial(_keyword_leg, question, everywhere, where)
        legs.append(_Leg("keyword search", weight, search, (CollectionError,)))
    return legs


def _run(legs: Sequence[_Leg], depth: int) -> tuple[list[list[str]], list[_Leg], list[str]]:
    """Return the rankings of the legs that worked, these, and a warning for each that failed; raise if all failed."""
    rankings: list[list[str]] = []
    worked: list[_Leg] = []
    failures: list[tuple[str, Exception]] = []
    for leg in legs:
        try:
            rankings.append(leg.search(depth))
            worked.append(leg)
        except leg.may_fail_with as error:
            failures.append((leg.name, error))
    if failures and not worked:
        raise failures[0][1]
    return rankings, worked, [f"{name} failed, the other leg answered alone: {error}" for name, error in failures]


def _embedded(model: str, question: str, vector: Sequence[float] | None) -> Vectors:
    return models.embedding_model(model).embed_query(question) if vector is None else np.asarray(vector, np.float32)


def _vector_leg(
    embedded: Callable[[], Vectors], group: Iterable[Collection], where: Filter | None, k: int
) -> list[str]:
    vector = embedded()
    return _best((hit for collection in group for hit in collection.store.nearest(vector, k, where)), k)


def _keyword_leg(question: str, group: Iterable[Collection], where: Filter | None, k: int) -> list[str]:
    return _best((hit for collection in group for hit in collection.store.matching(question, k, where)), k)


def _best(hits: Iterable[Hit], k: int) -> list[str]:
    return [hit.id for hit in sorted(hits, key=lambda hit: -hit.score)[:k]]


def _passages(ids: Sequence[str], filled: dict[str, list[Collection]]) -> list[Passage]:
    found: dict[str | None, Passage] = {}
    for collection in chain(*filled.values()):
        own = [one for one in ids if one.rpartition(":")[0] == collection.name]
        found |= {passage.id: passage for passage in collection.store.passages(own)}
    return [found[one] for one in ids if one in found]


def _vectors(passages: Sequence[Passage], filled: dict[str, list[Collection]]) -> list[Vectors | None]:
    """Return the vectors of passages; only those of the first embedding model, since others cannot be compared."""
    found: dict[str | None, Vectors] = {}
    for collection in next(iter(filled.values())):
        ids = [passage.id for passage in passages if passage.collection == collection.name and passage.id]
        found |= zip(ids, collection.vectors_of(ids), strict=True)
    return [found.get(passage.id) for passage in passages]
