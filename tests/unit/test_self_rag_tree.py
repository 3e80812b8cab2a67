"""The long form of Self-RAG with reflection tokens: a tree of segments, scores worked out by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from groundgraph.grading.reflection import (
    CONTINUE,
    FULL,
    NO_RETRIEVAL,
    RETRIEVAL,
    UTILITIES,
)
from groundgraph.knowledge.search import SearchResult
from tests.doubles import FixedSearch
from tests.reflections import (
    BEGINS,
    BUILT,
    NEEDED,
    QUESTION,
    TOWER,
    after,
    alone,
    ask,
    fine_tuned,
    path,
    said,
    segment,
    step,
)

Finds = Callable[..., FixedSearch]


def test_the_long_form_grows_a_tree_whose_scores_multiply(finds: Finds, monkeypatch: pytest.MonkeyPatch) -> None:
    """The better first segment (2.5 against 2.0) has the worse continuation: 2.5 · 1.0 against 2.0 · 2.5."""
    finds([TOWER, BUILT])
    more = {RETRIEVAL: 1.0}
    tall, built = "It is 330 metres tall.", "Eiffel built it."
    with fine_tuned(
        (alone, NEEDED),
        (after(BEGINS, tall, "330 metres tall."), segment(" Tall it is.", relevant=0, useful=0.5)),
        (after(BEGINS, tall, "Gustave Eiffel built the tower."), segment(" So.", relevant=0, full=0, useful=0.5)),
        (after(BEGINS, built, "330 metres tall."), segment(" Its height is 330 metres.")),
        (after(BEGINS, built, "Gustave Eiffel built the tower."), segment(" Yes.", full=0, useful=0)),
        (after(BEGINS, "330 metres tall."), segment(tall, then=more)),
        (after(BEGINS, "Gustave Eiffel built the tower."), segment(built, full=0.5, then=more)),
    ) as endpoint:
        result = ask(endpoint, monkeypatch)
    assert step(result, "prune")["figures"]["scores"] == [2.5, 2.0]
    assert step(result, "prune", 1)["figures"]["scores"] == [5.0, 2.5]
    assert step(result, "prune", 1)["figures"]["passages"] == [[2, 1], [1, 1]]
    assert result["answer"] == "Eiffel built it. [2] Its height is 330 metres. [1]"
    assert result["usage"]["model_calls"] == 7 and path(result)[-2:] == ["elect", "conclude"]


def test_two_bad_segments_make_no_good_answer(finds: Finds, monkeypatch: pytest.MonkeyPatch) -> None:
    """2.5 and then -0.5 stand above -0.5 twice, whose product would be 0.25."""
    finds([TOWER, BUILT])
    more = {RETRIEVAL: 1.0}
    tall, cold = "It is 330 metres tall.", "It is cold."
    with fine_tuned(
        (alone, NEEDED),
        (after(BEGINS, cold, "330 metres tall."), segment(" It is dry.", relevant=0, full=0, useful=0)),
        (after(BEGINS, cold, "Gustave Eiffel built the tower."), segment(" It is wet.", 0, 0, 0)),
        (after(BEGINS, tall, "330 metres tall."), segment(" It is old.", relevant=0, full=0, useful=0)),
        (after(BEGINS, tall, "Gustave Eiffel built the tower."), segment(" It is new.", 0, 0, 0)),
        (after(BEGINS, "330 metres tall."), segment(tall, then=more)),
        (after(BEGINS, "Gustave Eiffel built the tower."), segment(cold, 0, 0, 0, then=more)),
    ) as endpoint:
        result = ask(endpoint, monkeypatch, depth=2)
    assert step(result, "prune", 1)["figures"]["scores"] == [-0.5, -0.5]
    assert result["answer"] == "It is 330 metres tall. [1]"


class Shelf(FixedSearch):
    """Finds the cats, and another passage once the tower's height stands in the query."""

    def __call__(self, query: str, collections: Any, *, k: int, **options: Any) -> SearchResult:
        super().__call__(query, collections, k=k, **options)
        return SearchResult([BUILT if "330" in query else TOWER], [])


@pytest.mark.parametrize(("again", "second"), [(True, "Gustave Eiffel built the tower."), (False, "330 metres tall.")])
def test_it_retrieves_again_with_the_segment_so_far(
    finds: Finds, monkeypatch: pytest.MonkeyPatch, again: bool, second: str
) -> None:
    """The paper does, in the same collections; the official code writes on from the passages found first."""
    monkeypatch.setattr("groundgraph.knowledge.choose.collection_names", lambda: ["law", "notes"])
    finds([])
    shelf = Shelf([])
    for module in ("nodes.retrieve", "nodes.retrieve_beams"):
        monkeypatch.setattr(f"{module}.search", shelf)
    with fine_tuned(
        (alone, NEEDED),
        (after("330 metres tall.</paragraph>", "It is 330 metres tall.", second), segment(" More is said.")),
        (after("330 metres tall."), segment("It is 330 metres tall.", then={RETRIEVAL: 0.6, NO_RETRIEVAL: 0.4})),
    ) as endpoint:
        result = ask(endpoint, monkeypatch, collection="*", retrieve_again=again)
    assert shelf.collections == [["law", "notes"]] * (1 + again)
    assert shelf.queries == [QUESTION, f"{QUESTION} It is 330 metres tall."][: 1 + again]
    assert result["answer"] == f"It is 330 metres tall. [1] More is said. [{1 + again}]"


def test_continuing_uses_the_passage_at_hand(finds: Finds, monkeypatch: pytest.MonkeyPatch) -> None:
    search = finds([TOWER])
    with fine_tuned(
        (alone, NEEDED),
        (lambda prompt: prompt.endswith(CONTINUE), said("That is a lot.", FULL, UTILITIES[4])),
        ("330", segment("It is 330 metres tall.", 0.75, then={CONTINUE: 0.7, NO_RETRIEVAL: 0.3})),
    ) as endpoint:
        result = ask(endpoint, monkeypatch)
    assert [one["relevant"] for one in step(result, "elect")["figures"]["segments"]] == [4.0, 4.0]
    assert result["answer"] == "It is 330 metres tall. [1] That is a lot. [1]" and len(search.queries) == 1


@pytest.mark.parametrize(("no", "segments"), [(0.9, 1), (0.7, 2)])
def test_wanting_no_more_ends_the_answer_unless_the_threshold_flips_it(
    finds: Finds, monkeypatch: pytest.MonkeyPatch, no: float, segments: int
) -> None:
    finds([TOWER])
    with fine_tuned(
        (alone, NEEDED),
        (after("</paragraph>", "It is 330 metres tall.", "330 metres tall."), segment(" It is a tower.")),
        ("330", segment("It is 330 metres tall.", then={NO_RETRIEVAL: no, RETRIEVAL: 1 - no})),
    ) as endpoint:
        result = ask(endpoint, monkeypatch)
    assert len(step(result, "elect")["figures"]["segments"]) == segments


@pytest.mark.parametrize(("depth", "segments"), [(1, 1), (3, 3)])
def test_the_tree_has_a_depth(finds: Finds, monkeypatch: pytest.MonkeyPatch, depth: int, segments: int) -> None:
    finds([TOWER])
    numbered = [
        (lambda prompt, n=n: prompt.count("</paragraph>") == n, segment(f" Fact {n}.", then={RETRIEVAL: 1.0}))
        for n in range(1, 9)
    ]
    with fine_tuned((alone, NEEDED), *numbered) as endpoint:
        result = ask(endpoint, monkeypatch, depth=depth)
    assert path(result).count("expand") == depth == len(result["answer"].split("[1]")) - 1 == segments


def test_a_beam_that_repeats_itself_is_dropped(finds: Finds, monkeypatch: pytest.MonkeyPatch) -> None:
    finds([TOWER])
    with fine_tuned((alone, NEEDED), ("330", segment("It is tall.", then={RETRIEVAL: 1.0}))) as endpoint:
        result = ask(endpoint, monkeypatch)
    assert result["answer"] == "It is tall. [1]", "the answer so far stands"
    assert len(endpoint.requests) == 3
