"""What an evaluator's scores are worth, from the rows of a run."""

from pathlib import Path

import pytest

from groundgraph.evaluation.aggregate import scores_of
from groundgraph.evaluation.graded import by_evaluator, graded_sources
from groundgraph.evaluation.metrics.evaluator import EvaluatorScores, GradedPassage, TierCounts, evaluator_scores
from groundgraph.evaluation.records import read_scores, write_scores
from groundgraph.evaluation.wording import one_kind
from tests.runs import graded_row, made_row, searched_again

RIGHT = graded_row("q0", {"a.md": 0.9, "b.md": 0.3}, gold="a.md")
WRONG = graded_row("q1", {"a.md": 0.6, "b.md": 0.8}, gold="a.md")


def test_the_scores_of_a_pattern_say_what_its_evaluator_is_worth(tmp_path: Path) -> None:
    write_scores(tmp_path, scores_of([RIGHT, WRONG]))
    (found,) = read_scores(tmp_path).patterns["crag"].evaluators.items()
    tiers = {"correct": TierCounts(1, 1), "ambiguous": TierCounts(1, 0), "incorrect": TierCounts(0, 1)}
    # relevant 0.9 and 0.6 against 0.3 and 0.8: three of four pairs; gaps of 0.1, 0.4, 0.3 and 0.8 in bins of their own
    assert found == ("embedded", EvaluatorScores(4, 2, 0.75, 0.4, tiers))


def test_a_passage_that_two_patterns_graded_alike_counts_once() -> None:
    assert by_evaluator([RIGHT, RIGHT.model_copy(update={"pattern": "combined"})]) == {
        "embedded": [
            GradedPassage("What is q0?", "a.md", 0.9, "correct", True),
            GradedPassage("What is q0?", "b.md", 0.3, "incorrect", False),
        ]
    }


def test_each_evaluator_stands_for_itself() -> None:
    found = by_evaluator([RIGHT, graded_row("q0", {"a.md": 0.2, "b.md": 0.7}, gold="a.md", evaluator="llm")])
    assert {name: evaluator_scores(graded).auc for name, graded in found.items()} == {"embedded": 1, "llm": 0}


@pytest.mark.parametrize(
    ("rel", "relevant", "says"),
    [
        ({"a.md": 2}, 1, "of 1 passages of known grade that it scored all answer; grade some that do not, with 0 or 1"),
        ({"a.md": 0, "b.md": 1}, 0, "of 2 passages of known grade that it scored none answers; grade some that do"),
    ],
)
def test_labels_of_one_kind_give_no_figure(rel: dict[str, float], relevant: int, says: str) -> None:
    """As a list in `rel`, and what `groundgraph testset` writes, name only what answers."""
    (found,) = scores_of([graded_row("q0", {"a.md": 0.9, "b.md": 0.3}, rel=rel)]).patterns["crag"].evaluators.values()
    assert found == EvaluatorScores(len(rel), relevant)
    assert says in one_kind("embedded", found)


def test_without_a_known_grade_or_a_score_there_is_no_evaluator() -> None:
    ungraded = [graded_row("q0", {"a.md": 0.9}, rel=None), graded_row("q1", {"a.md": None}, gold="a.md")]
    assert by_evaluator([*ungraded, made_row("q2")]) == {}


def test_what_was_retrieved_after_grading_is_no_part_of_it() -> None:
    """As FLARE does in `combined`, for a sentence that it drafted."""
    assert graded_sources(searched_again(RIGHT)) == ["a.md", "b.md"]
    assert by_evaluator([searched_again(RIGHT)]) == by_evaluator([RIGHT])
