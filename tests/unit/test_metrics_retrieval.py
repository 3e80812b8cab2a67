"""Rankings measured as by hand."""

from math import inf, log2, nan

import pytest

from groundgraph.evaluation.metrics.retrieval import (
    average_precision,
    context_precision,
    context_recall,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
    relevant_sources,
)

RANKED = ["x", "a", "y", "b", "z", "c"]
GOLD = {"a", "b", "c", "d"}
GRADED = {"a": 2, "b": 1, "x": 0, "u": None}


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        (recall_at_k(RANKED, GOLD, 5), 2 / 4),
        (recall_at_k(RANKED, GOLD, 1), 0),
        (recall_at_k(["a", "a", "b"], {"a", "b"}, 2), 1),  # two chunks of one source take one place
        (precision_at_k(RANKED, GOLD, 4), 2 / 4),
        (precision_at_k(["a"], {"a"}, 5), 1 / 5),
        (reciprocal_rank(RANKED, GOLD), 1 / 2),
        (reciprocal_rank(RANKED, {"c"}, 5), 0),
        (average_precision(RANKED, GOLD), (1 / 2 + 2 / 4 + 3 / 6 + 0) / 4),
        (ndcg_at_k(["a", "b"], {"a", "b"}), 1),
        (ndcg_at_k(["x", "a"], {"a", "b"}), (1 / log2(3)) / (1 + 1 / log2(3))),
        (ndcg_at_k(["b", "a"], GRADED), (1 + 2 / log2(3)) / (2 + 1 / log2(3))),
        (ndcg_at_k(["b", "a"], GRADED, 1), 1 / 2),
        (context_precision(["x", "a", "b"], {"a", "b"}), (1 / 2 + 2 / 3) / 2),
        (context_precision(["a", "a", "x"], {"a"}), 1),
        (context_precision(["x", "y"], {"a"}), 0),
        (context_recall(["x", "a", "a"], {"a", "b"}), 1 / 2),
    ],
)
def test_by_hand(metric: float | None, value: float) -> None:
    assert metric == pytest.approx(value)


def test_a_grade_of_two_is_relevant() -> None:
    assert relevant_sources({**GRADED, "n": nan, "i": inf}) == {"a", "i"}
    assert relevant_sources(GOLD) == GOLD


ALL = [
    lambda ranked, gold: recall_at_k(ranked, gold, 5),
    lambda ranked, gold: precision_at_k(ranked, gold, 5),
    reciprocal_rank,
    average_precision,
    ndcg_at_k,
    context_precision,
    context_recall,
]


@pytest.mark.parametrize("metric", ALL)
def test_nothing_found_scores_zero_and_no_gold_is_not_scored(metric) -> None:
    assert metric([], {"a"}) == 0
    assert metric(["a"], set()) is None
    assert metric(["b"], {"b": 1, "u": None}) is None
