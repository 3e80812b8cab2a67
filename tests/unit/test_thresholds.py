"""What CRAG would have decided with other thresholds."""

import pytest

from groundgraph.evaluation.thresholds import GradedQuestion, best, credit, decide, graded_question, threshold_map
from state.blocks import CragSettings
from tests.runs import graded_row, made_row, searched_again

ANSWERABLE = GradedQuestion((0.55, 0.2), (True, False), True)
UNANSWERABLE = GradedQuestion((0.45, 0.1), (False, False), False)

BETWEEN = [
    {"node": "retrieve", "decision": "", "figures": {"sources": ["x.md", "y.md"]}},
    {"node": "grade", "decision": "", "figures": {"scores": [0.9], "tiers": ["correct"], "evaluator": "embedded"}},
]
"""Another step came between, of which it is not known what it took away."""


def test_a_row_says_what_was_graded_and_what_is_relevant() -> None:
    found = graded_question(graded_row("a", {"x.md": 0.9, "y.md": None}, gold="x.md"))
    assert found == GradedQuestion((0.9, None), (True, False), True)
    missed = graded_question(graded_row("a", {"x.md": 0.9}, rel={"elsewhere.md": 2}, answerable=True))
    assert missed is not None and not missed.answerable
    by_question = graded_question(graded_row("a", {"x.md": 0.9}, rel=None, answerable=True))
    assert by_question == GradedQuestion((0.9,), (True,), True)


def test_a_question_that_was_searched_for_again_counts_by_its_first_grading() -> None:
    row = graded_row("a", {"x.md": 0.9, "y.md": 0.2}, gold="x.md")
    assert (
        graded_question(searched_again(row)) == graded_question(row) == GradedQuestion((0.9, 0.2), (True, False), True)
    )


@pytest.mark.parametrize(
    "row",
    [
        made_row("a"),  # never graded
        graded_row("a", {"x.md": 0.9}, rel=None, answerable=None),  # nothing known
        graded_row("a", {"x.md": 0.9}, steps=BETWEEN),
    ],
)
def test_a_row_that_tells_nothing_is_left_out(row) -> None:
    assert graded_question(row) is None


@pytest.mark.parametrize(
    ("question", "crag", "web", "value"),
    [
        (ANSWERABLE, {}, False, 1),
        (ANSWERABLE, {}, True, 0.5),  # ambiguous: the web is asked beside it
        (ANSWERABLE, {"theta_low": 0.55}, False, 0),  # at or below is Incorrect
        (ANSWERABLE, {"theta_high": 0.55}, True, 1),  # at or above is Correct
        (ANSWERABLE, {"merge_ambiguous": True}, False, 0),
        (ANSWERABLE, {"policy": "mean", "mean_low": 0.4}, False, 0),
        (ANSWERABLE, {"policy": "per_document"}, False, 1),
        (UNANSWERABLE, {}, False, 1),
        (UNANSWERABLE, {"theta_low": 0.4}, False, 0),
        (GradedQuestion((None,), (False,), False), {}, False, 0),  # ungraded is ambiguous
    ],
)
def test_credit(question: GradedQuestion, crag: dict, web: bool, value: float) -> None:
    assert credit(question, CragSettings(**crag), web=web) == value


def test_quality_weighs_answers_and_refusals_alike() -> None:
    found = decide([ANSWERABLE] * 3 + [UNANSWERABLE], CragSettings(theta_low=0.4), web=False)
    assert (found.answered, found.refused, found.quality) == (1, 0, 0.5)
    assert (found.kept, found.uncertain) == (2, 1), "the best passage and what stands beside it, none of them Correct"
    assert decide([ANSWERABLE], CragSettings(), web=False).quality == 1


@pytest.mark.parametrize("policy", ["paper", "mean", "per_document"])
def test_the_map_holds_the_present_thresholds_and_keeps_them_where_nothing_is_better(policy) -> None:
    crag = CragSettings(policy=policy)
    decisions = threshold_map([ANSWERABLE, UNANSWERABLE], crag, web=False)
    now = decide([ANSWERABLE, UNANSWERABLE], crag, web=False)
    assert now in decisions
    assert all(one.low <= one.high for one in decisions)
    if policy != "mean":
        assert best(decisions, now.low, now.high) == now


def test_the_best_thresholds_divide_what_can_be_divided() -> None:
    late = GradedQuestion((0.4,), (True,), True)
    early = GradedQuestion((0.32,), (False,), False)
    decisions = threshold_map([late, early], CragSettings(), web=False)
    chosen = best(decisions, 0.5, 0.79)
    assert (chosen.quality, chosen.low) == (1, 0.35)
