"""Corrective RAG's action rule, by hand."""

import pytest

from groundgraph.knowledge.passage import Passage
from nodes.grade import action_of, tier_of, usable, wants_web
from state.blocks import CragSettings
from state.context import Context
from state.presets import settled
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


PAPER = {"PopQA": (0.59, -0.99), "PubQA": (0.5, -0.91), "ARC": (0.5, -0.91), "Biography": (0.95, -0.91)}
"""Upper and lower threshold of each data set in arXiv:2401.15884, on its own scale from -1 to 1."""


@pytest.mark.parametrize(
    ("dataset", "scores", "action"),
    [
        ("PopQA", (0.60, -1.0, -1.0), "correct"),  # any score at or above the upper threshold
        ("PopQA", (-1.0, 0.59), "correct"),
        ("PopQA", (0.58, 0.58), "ambiguous"),
        ("PopQA", (-0.98, -1.0), "ambiguous"),
        ("PopQA", (-0.995, -1.0), "incorrect"),  # all scores below the lower one
        ("PubQA", (0.5, -1.0), "correct"),
        ("PubQA", (0.49, -1.0), "ambiguous"),
        ("PubQA", (-0.92, -0.95), "incorrect"),
        ("ARC", (1.0,), "correct"),
        ("ARC", (-0.9,), "ambiguous"),
        ("ARC", (-1.0,), "incorrect"),
        ("Biography", (0.95, 0.0), "correct"),
        ("Biography", (0.94, 0.94), "ambiguous"),  # correct for the others
        ("Biography", (-0.92, -1.0), "incorrect"),
        ("Biography", (), "incorrect"),  # nothing retrieved
    ],
)
def test_the_papers_action_on_its_own_thresholds(dataset: str, scores: tuple[float, ...], action: str) -> None:
    high, low, *unit = ((value + 1) / 2 for value in (*PAPER[dataset], *scores))
    crag = CragSettings(theta_high=high, theta_low=low)
    assert action_of(graded(*unit, crag=crag), crag) == action


def test_the_preset_paper_has_the_thresholds_for_popqa() -> None:
    crag = settled(Context(preset="paper")).crag
    assert [crag.theta_high, crag.theta_low] == pytest.approx([(value + 1) / 2 for value in PAPER["PopQA"]])
    assert crag.policy == "paper"


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
