"""Answers, refusals, evaluator scores and costs measured as by hand."""

import pytest

from groundgraph.evaluation.metrics.answers import answer_tokens, containment, exact_match, f1, token_recall
from groundgraph.evaluation.metrics.cost import Cost, cost
from groundgraph.evaluation.metrics.evaluator import Bin, TierCounts, auc, calibration_curve, tier_confusion
from groundgraph.evaluation.metrics.refusal import RefusalRates, refusal_rates


@pytest.mark.parametrize(
    ("answer", "golds", "language", "exact", "overlap", "holds"),
    [
        ("The Eiffel Tower!", ["eiffel tower"], "en", 1, 1, 1),
        ("the tall Eiffel Tower [1].", ["Eiffel Tower"], "en", 0, 2 * 2 / (3 + 2), 1),
        ("Paris", ["London", "paris"], "en", 1, 1, 1),
        ("London", ["Paris"], "en", 0, 0, 0),
        ("1,000 men", ["1000"], "en", 0, 2 / 3, 1),
        ("15", ["5"], "en", 0, 0, 0),
        ("3.5 km", ["35"], "en", 0, 0, 0),
        ("２００８年", ["2008"], "zh", 0, 2 / 3, 1),
        ("共308分[1]。", ["308"], "zh", 0, 2 / 4, 1),
        ("首都是利马。", ["利马"], "zh", 0, 2 * 2 / (5 + 2), 1),
        ("马利", ["利马"], "zh", 0, 1, 0),
        ("股", ["A股"], "zh", 0, 2 / 3, 0),
        ("no no no", ["no"], "en", 0, 2 / 4, 1),
        ("The The", ["the the"], "en", 1, 1, 1),
        ("", ["Paris"], "en", 0, 0, 0),
        ("!", ["!"], "en", 1, 1, 1),
        ("Paris", [""], "en", 0, 0, 0),
    ],
)
def test_answers(answer: str, golds: list[str], language: str, exact: float, overlap: float, holds: float) -> None:
    assert exact_match(answer, golds, language) == exact
    assert f1(answer, golds, language) == pytest.approx(overlap)
    assert containment(answer, golds, language) == holds


@pytest.mark.parametrize(
    ("answer", "golds", "language", "value"),
    [
        ("It was built in 1889 by Gustave Eiffel [2].", ["Gustave Eiffel, 1889"], "en", 1),
        ("by Gustave", ["Gustave Eiffel", "Eiffel"], "en", 1 / 2),
        ("no", ["no no"], "en", 1 / 2),
        ("利马是首都", ["首都利马"], "zh", 1),
        ("", ["Paris"], "en", 0),
    ],
)
def test_token_recall(answer: str, golds: list[str], language: str, value: float) -> None:
    assert token_recall(answer, golds, language) == value


@pytest.mark.parametrize("metric", [exact_match, f1, containment, token_recall])
def test_no_gold_answer_is_not_scored(metric) -> None:
    assert metric("Paris", []) is None


def test_words_and_characters_stand_side_by_side() -> None:
    assert answer_tokens("GPT-4 的 3.5％，约１,０００个", "zh") == ["gpt4", "的", "3.5", "约", "1000", "个"]


@pytest.mark.parametrize(
    ("outcomes", "rates"),
    [
        ([], RefusalRates(None, None, 0, 0)),
        ([(None, True)], RefusalRates(None, None, 0, 0)),
        ([(False, True), (False, False), (True, False)], RefusalRates(0.5, 0, 2, 1)),
        ([(True, True), (False, True)], RefusalRates(1, 1, 1, 1)),
    ],
)
def test_refusals(outcomes: list[tuple[bool | None, bool]], rates: RefusalRates) -> None:
    assert refusal_rates(outcomes) == rates


def test_calibration_bins_hold_what_lies_in_them() -> None:
    bins = calibration_curve([0.1, 0.15, 0.9, 1.0], [False, True, True, True], bins=10)
    assert bins == [Bin(pytest.approx(0.125), 0.5, 2), Bin(pytest.approx(0.95), 1, 2)]
    assert calibration_curve([], []) == []
    assert auc([0.1, 0.9], [False, True]) == 1


def test_tiers_are_counted() -> None:
    graded = [("correct", True), ("correct", False), ("incorrect", False)]
    assert tier_confusion(graded) == {
        "correct": TierCounts(1, 1),
        "ambiguous": TierCounts(0, 0),
        "incorrect": TierCounts(0, 1),
    }


def test_cost_is_a_mean_over_questions() -> None:
    usages = [{"model_calls": 1, "prompt_tokens": 100, "completion_tokens": 10}, {"model_calls": 3}]
    assert cost(usages, [1.0, 3.0]) == Cost(2, 50, 5, 0, 2.0, pytest.approx(2.9), 0)
    assert cost([], []) == Cost(None, None, None, None, None, None, None)
