"""Watch the evaluator: does it score recent questions as it scored those it learned from, and do people agree?"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groundgraph.grading.measure import LOW, tier_at
from groundgraph.grading.metrics import auc, expected_calibration_error
from groundgraph.grading.runs import Feedback

STABLE = 0.1
SHIFTED = 0.25
"""Population stability indices from which scores are said to move, and to have shifted, in large samples."""

CHANCE = 0.99
"""Share of samples of unchanged scores whose index is no larger than what `by_chance` returns."""

_DRAWS = 20_000

ENOUGH = 50
"""Runs below which nothing is concluded."""

ENOUGH_PAIRS = 20
"""Labelled pairs below which nothing is concluded."""

SURPRISING = 2.0
"""Standard deviations between what scores promise and what people found from which chance is no explanation."""

_LEAST = 0.5
"""Runs that an empty bin counts for, so that its logarithm exists."""


def deciles(scores: ArrayLike) -> list[float]:
    """Return the nine cuts that divide scores into ten equal parts."""
    return [round(float(cut), 4) for cut in np.quantile(np.asarray(scores, dtype=np.float64), np.arange(0.1, 1.0, 0.1))]


def population_stability(cuts: Sequence[float], scores: ArrayLike) -> float:
    """Return Σ (a - e) ln(a / e) over ten bins, with the share a of recent scores and e = 0.1 of those learned from."""
    values = np.asarray(scores, dtype=np.float64)
    return float(_index(np.bincount(np.searchsorted(cuts, values, side="left"), minlength=len(cuts) + 1)))


@cache
def by_chance(runs: int, learned: int, bins: int = 10) -> float:
    """Return the index that `CHANCE` of the samples of `runs` scores do not exceed where nothing has shifted.

    The bins were cut by `learned` scores, so that their true shares vary too. The index is nearly (1 / runs + 1 /
    learned) times a chi-square of bins - 1 degrees of freedom (Yurdakul and Naranjo 2020, Statistical properties of the
    population stability index); its tail is longer where bins hold few runs, so it is simulated, with a fixed seed.
    """
    random = np.random.default_rng(0)
    shares = random.dirichlet(np.full(bins, learned / bins), _DRAWS)
    return float(np.quantile(_index(random.multinomial(runs, shares)), CHANCE))


def drift(cuts: Sequence[float], scores: Sequence[float], learned: int) -> dict[str, Any]:
    """Return how far recent scores are from those that the `cuts` divide into equal parts.

    Args:
        cuts: Of the scores learned from; see `deciles`.
        scores: Recent ones.
        learned: How many scores were cut.

    Returns:
        `runs`; `psi`; `by_chance`, which it has to exceed to mean anything; `ks`, the largest gap between the two
        distributions, at the cuts; and the `verdict`.
    """
    if len(scores) < ENOUGH:
        verdict = f"too few runs, {ENOUGH} are needed"
        return {"runs": len(scores), "psi": None, "by_chance": None, "ks": None, "verdict": verdict}
    psi = round(population_stability(cuts, scores), 4)
    chance = round(by_chance(len(scores), learned, len(cuts) + 1), 4)
    below = [float(np.mean(np.asarray(scores) <= cut)) for cut in cuts]
    ks = max(abs(share - (place + 1) / (len(cuts) + 1)) for place, share in enumerate(below))
    verdict = (
        "stable"
        if psi < STABLE or psi <= chance
        else "moving"
        if psi < SHIFTED
        else "shifted: check or retrain the evaluator"
    )
    return {"runs": len(scores), "psi": psi, "by_chance": chance, "ks": round(ks, 4), "verdict": verdict}


def _index(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the population stability index of counts by bin, (..., bins)."""
    actual = np.maximum(counts, _LEAST) / counts.sum(axis=-1, keepdims=True)
    expected = 1 / counts.shape[-1]
    return np.asarray(((actual - expected) * np.log(actual / expected)).sum(axis=-1))


def feedback_figures(pairs: Sequence[Feedback]) -> dict[str, Mapping[str, float | int | str | None]]:
    """Return what each evaluator's scores were worth to people, over the pairs that they labelled; see `agreement`."""
    figures: dict[str, Mapping[str, float | int | str | None]] = {}
    for name in sorted({pair.evaluator for pair in pairs}):
        scored = [(pair.score, pair.label) for pair in pairs if pair.evaluator == name and pair.score is not None]
        scores, labels = np.array([s for s, _ in scored]), np.array([label for _, label in scored], dtype=bool)
        ranking = auc(scores, labels)
        figures[name] = {
            "pairs": len(scored),
            "relevant": int(labels.sum()),
            "promised": round(float(scores.sum()), 1),
            "accuracy": round(float(np.mean((scores > LOW) == labels)), 4) if scored else None,
            "auc": None if ranking is None else round(ranking, 4),
            "ece": round(expected_calibration_error(scores, labels), 4) if scored else None,
            "verdict": agreement(scores, labels),
        }
    return figures


def agreement(scores: ArrayLike, labels: ArrayLike) -> str:
    """Return whether as many pairs are relevant as their scores, taken for probabilities, promise.

    The sum of n labels has the mean Σ s and the variance Σ s (1 - s) where the scores s are right. That holds for
    whatever pairs people judged, unlike a ranking: they mostly judge passages of high scores.
    """
    values, found = np.asarray(scores, dtype=np.float64), float(np.sum(labels))
    if len(values) < ENOUGH_PAIRS:
        return f"too few pairs, {ENOUGH_PAIRS} are needed"
    spread = max(float(np.sqrt((values * (1 - values)).sum())), 1e-9)
    if abs(found - values.sum()) <= SURPRISING * spread:
        return "agrees with people"
    return f"shifted: promises too {'much' if found < values.sum() else 'little'}, retrain the evaluator"


def feedback_tiers(pairs: Sequence[Feedback]) -> dict[str, dict[str, int]]:
    """Return how many relevant and irrelevant pairs fall into each of CRAG's tiers at its default thresholds."""
    table = {name: {"correct": 0, "ambiguous": 0, "incorrect": 0} for name in ("relevant", "not relevant")}
    for pair in pairs:
        if pair.score is not None:
            table["relevant" if pair.label else "not relevant"][tier_at(pair.score)] += 1
    return table
