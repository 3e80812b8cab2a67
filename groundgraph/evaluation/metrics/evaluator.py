"""What the evaluator's scores are worth against known relevance; AUC and calibration error are `grading.metrics`'."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from groundgraph.grading.metrics import auc, expected_calibration_error
from groundgraph.knowledge.passage import Tier

__all__ = [
    "Bin",
    "EvaluatorScores",
    "GradedPassage",
    "TierCounts",
    "auc",
    "calibration_curve",
    "evaluator_scores",
    "expected_calibration_error",
    "tier_confusion",
]


class GradedPassage(NamedTuple):
    """A passage of known relevance, and what an evaluator made of it."""

    question: str
    source: str
    score: float
    tier: Tier
    is_relevant: bool


class Bin(NamedTuple):
    """Passages whose scores lie in one range."""

    score: float
    """Mean score."""
    relevant: float
    """Share of relevant passages; a calibrated evaluator has it equal to the mean score."""
    passages: int


@dataclass(frozen=True)
class TierCounts:
    """Passages of one tier."""

    relevant: int
    irrelevant: int


@dataclass(frozen=True)
class EvaluatorScores:
    """What an evaluator's scores are worth, over the passages of known relevance.

    Where all of these are relevant, or none is, nothing tells the evaluator from one that scores all alike: there are
    no figures but the counts.
    """

    passages: int
    relevant: int
    """How many of them are."""
    auc: float | None = None
    calibration_error: float | None = None
    """Expected calibration error."""
    tiers: dict[Tier, TierCounts] = field(default_factory=dict)

    @property
    def has_both_kinds(self) -> bool:
        """Return whether some of the passages are relevant and some are not."""
        return 0 < self.relevant < self.passages


def calibration_curve(scores: Sequence[float], labels: Sequence[bool], bins: int = 10) -> list[Bin]:
    """Return the bins of equal width over [0, 1] that hold a score, lowest first."""
    held: dict[int, list[tuple[float, bool]]] = {}
    for score, label in zip(scores, labels, strict=True):
        held.setdefault(min(int(score * bins), bins - 1), []).append((score, label))
    return [
        Bin(sum(s for s, _ in pairs) / len(pairs), sum(label for _, label in pairs) / len(pairs), len(pairs))
        for _, pairs in sorted(held.items())
    ]


def evaluator_scores(graded: Sequence[GradedPassage]) -> EvaluatorScores:
    """Return AUC, calibration error and tiers, where there are passages of both kinds."""
    scores, labels = [passage.score for passage in graded], [passage.is_relevant for passage in graded]
    counted = EvaluatorScores(len(labels), sum(labels))
    ranked = auc(scores, labels)
    if ranked is None:
        return counted
    return EvaluatorScores(
        counted.passages,
        counted.relevant,
        round(ranked, 6),
        round(expected_calibration_error(scores, labels), 6),
        tier_confusion((passage.tier, passage.is_relevant) for passage in graded),
    )


def tier_confusion(graded: Iterable[tuple[Tier, bool]]) -> dict[Tier, TierCounts]:
    """Return for every tier how many of its passages are relevant and how many are not, from pairs (tier, relevant)."""
    counts = Counter(graded)
    tiers: tuple[Tier, ...] = ("correct", "ambiguous", "incorrect")
    return {tier: TierCounts(counts[tier, True], counts[tier, False]) for tier in tiers}
