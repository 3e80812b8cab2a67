"""What the evaluator's scores are worth against known relevance; AUC and calibration error are `grading.metrics`'."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from groundgraph.grading.metrics import auc, expected_calibration_error
from groundgraph.knowledge.passage import Tier

__all__ = ["Bin", "TierCounts", "auc", "calibration_curve", "expected_calibration_error", "tier_confusion"]


class Bin(NamedTuple):
    """Passages whose scores lie in one range."""

    score: float
    """Mean score."""
    relevant: float
    """Share of relevant passages; a calibrated evaluator has it equal to the mean score."""
    passages: int


class TierCounts(NamedTuple):
    """Passages of one tier."""

    relevant: int
    irrelevant: int


def calibration_curve(scores: Sequence[float], labels: Sequence[bool], bins: int = 10) -> list[Bin]:
    """Return the bins of equal width over [0, 1] that hold a score, lowest first."""
    held: dict[int, list[tuple[float, bool]]] = {}
    for score, label in zip(scores, labels, strict=True):
        held.setdefault(min(int(score * bins), bins - 1), []).append((score, label))
    return [
        Bin(sum(s for s, _ in pairs) / len(pairs), sum(label for _, label in pairs) / len(pairs), len(pairs))
        for _, pairs in sorted(held.items())
    ]


def tier_confusion(graded: Iterable[tuple[Tier, bool]]) -> dict[Tier, TierCounts]:
    """Return for every tier how many of its passages are relevant and how many are not, from pairs (tier, relevant)."""
    counts = Counter(graded)
    tiers: tuple[Tier, ...] = ("correct", "ambiguous", "incorrect")
    return {tier: TierCounts(counts[tier, True], counts[tier, False]) for tier in tiers}
