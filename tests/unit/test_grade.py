"""Corrective RAG's action rule, by hand."""

import pytest

from groundgraph.knowledge.passage import Passage
from nodes.grade import action_of, tier_of, usable, wants_web
from state.blocks import CragSettings
from tests.doubles import passage


def graded(*scores: float | None, crag: CragSettings | None = None) -> list[Passage]:
    crag = crag or CragSettings()
    return [passage(str(s), score=s, tier=tier_of(s, crag.theta_low, crag.theta_high)) for s in scores]


@pytest.mark.parametrize(
    ("score", "tier"),
    [
        (0.79, "correct"),
        (0.7899, "ambiguous"),
        (0.5001, "ambiguous"),
        (0.50, "incorrect"),
        (0.0, "incorrect"),
        (None, "ambiguous"),
    ],
)
def test_a_score_at_a_threshold(score: float | None, tier: str) -> None:
    assert tier_of(score, 0.50, 0.79) == tier


@pytest.mark.parametrize(
    ("scores", "action"),
    [
        ((0.8, 0.1), "correct"),  # any Correct
        ((0.4, 0.5), "incorrect"),  # all Incorrect
        ((0.6, 0.1), "ambiguous"),  # else
        ((None, 0.1), "ambiguous"),  # a verdict that cannot be read is no silent no
        ((), "incorrect"),
    ],
)
def test_the_papers_rule(scores: tuple[float | None, ...], action: str) -> None:
    assert action_of(graded(*scores), CragSettings()) == action


@pytest.mark.parametrize(
    ("upper", "lower", "scores", "action"),
    [
        # arXiv:2401.15884 on its own scale [-1, 1], moved to [0, 1]: PopQA (0.59, -0.99), Biography (0.95, -0.91).
        (0.59, -0.99, (0.60, -1.0), "correct"),
        (0.59, -0.99, (-0.995, -1.0), "incorrect"),
        (0.59, -0.99, (0.58, -1.0), "ambiguous"),
        (0.95, -0.91, (0.94, -0.5), "ambiguous"),
    ],
)
def test_the_papers_thresholds(upper: float, lower: float, scores: tuple[float, ...], action: str) -> None:
    unit = [(value + 1) / 2 for value in (upper, lower, *scores)]
    crag = CragSettings(theta_high=unit[0], theta_low=unit[1])
    assert action_of(graded(*unit[2:], crag=crag), crag) == action


def test_the_mean_decides() -> None:
    crag = CragSettings(policy="mean")
    assert action_of(graded(0.9, 0.5), crag) == "correct"
    assert action_of(graded(0.9, 0.1), crag) == "ambiguous"
    assert action_of(graded(0.5, 0.1), crag) == "incorrect"
    assert len(usable(graded(0.9, 0.5), "correct", crag)) == 2


def test_two_tiers() -> None:
    assert action_of(graded(0.6), CragSettings(merge_ambiguous=True)) == "incorrect"
    assert action_of(graded(0.8), CragSettings(merge_ambiguous=True)) == "correct"


def test_each_document_on_its_own() -> None:
    crag = CragSettings(policy="per_document")
    passages = graded(0.8, 0.6, 0.2)
    assert [p.score for p in usable(passages, action_of(passages, crag), crag)] == [0.8, 0.6]
    assert not wants_web(passages, "correct", crag)
    assert wants_web(passages, "correct", CragSettings(policy="per_document", web_when="any_incorrect"))
    assert wants_web(graded(0.6, 0.2), "ambiguous", crag)
