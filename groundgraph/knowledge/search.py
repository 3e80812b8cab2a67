"""Find passages: by meaning, by words, or by both fused."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from groundgraph import models
from groundgraph.errors import CollectionError, InputError, ModelError
from groundgraph.knowledge.fuse import reciprocal_rank_fusion
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.store import Hit, Vectors

SearchMode = Literal["hybrid", "vector", "keyword"]


@dataclass(frozen=True)
class SearchResult:
    """Passages, best first, not yet graded; and what went less well than asked."""

    passages: list[Passage]
    warnings: list[str]


class _Leg(NamedTuple):
    name: str
    search: Callable[[], list[str]]
    may_fail_with: tuple[type[Exception], ...]


def search(
    question: str,
    collections: Sequence[str],
    *,
    k: int,
    mode: SearchMode = "hybrid",
    home: Path | None = None,
    embedding_model: str | None = None,
) -> SearchResult:
    """Return at most `k` passages of some collections that fit a question.

    Each leg (vectors, words) finds 2k over all collections; reciprocal rank fusion joins them. In hybrid mode one leg
    may fail: the other's passages are returned with a warning that says why.

    Args:
        question: What to look for; one without words finds nothing by words.
        collections: Names, at least one.
        k: Most passages to return, at least 1.
        mode: `hybrid`, `vector` or `keyword`.
        home: Folder of all collections; by default the one in the settings.
        embedding_model: Model that the collections must have been made with; by default each one's own.

    Raises:
        InputError: No collection, an unknown mode, or `k` below 1.
        CollectionError: A collection is missing or was made with another embedding model, or all legs failed.
        ModelError: The embedding model failed and there is no other leg.
    """
    if not collections or mode not in get_args(SearchMode) or k < 1:
        modes = ", ".join(get_args(SearchMode))
        raise InputError(
            f"cannot search collections={collections!r} with mode={mode!r} ({modes}), k={k!r} (at least 1)"
        )
    opened = [Collection.open(name, home, embedding_model=embedding_model) for name in dict.fromkeys(collections)]
    filled, warnings = _filled(opened)
    legs, failures = _legs(question, filled, 2 * k, mode)
    ids = [key for key, _ in reciprocal_rank_fusion(legs)][:k]
    return SearchResult(_passages(ids, filled), warnings + failures)


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
    question: str, filled: dict[str, list[Collection]], k: int, mode: SearchMode
) -> tuple[list[list[str]], list[str]]:
    """Return the rankings of the legs that worked, and a warning for each that failed; raise if all failed."""
    searches: list[_Leg] = []
    if mode != "keyword":
        searches += [
            _Leg(
                f"vector search with {model!r}", partial(_vector_leg, question, model, group, k), (ModelError, OSError)
            )
            for model, group in filled.items()
        ]
    if mode != "vector" and filled:
        everywhere = list(chain(*filled.values()))
        searches.append(_Leg("keyword search", partial(_keyword_leg, question, everywhere, k), (CollectionError,)))
    legs: list[list[str]] = []
    failures: list[tuple[str, Exception]] = []
    for leg in searches:
        try:
            legs.append(leg.search())
        except leg.may_fail_with as error:
            failures.append((leg.name, error))
    if failures and not legs:
        raise failures[0][1]
    return legs, [f"{name} failed, the other leg answered alone: {error}" for name, error in failures]


def _vector_leg(question: str, model: str, group: Iterable[Collection], k: int) -> list[str]:
    vector = models.embedding_model(model).embed_query(question)
    return _best((hit for collection in group for hit in collection.store.nearest(vector, k)), k)


def _keyword_leg(question: str, group: Iterable[Collection], k: int) -> list[str]:
    return _best((hit for collection in group for hit in collection.store.matching(question, k)), k)


def _best(hits: Iterable[Hit], k: int) -> list[str]:
    return [hit.id for hit in sorted(hits, key=lambda hit: -hit.score)[:k]]


def _passages(ids: Sequence[str], filled: dict[str, list[Collection]]) -> list[Passage]:
    found: dict[str | None, Passage] = {}
    for collection in chain(*filled.values()):
        own = [one for one in ids if one.rpartition(":")[0] == collection.name]
        found |= {passage.id: passage for passage in collection.store.passages(own)}
    return [found[one] for one in ids if one in found]
