"""Watch the evaluator: does it score recent questions as it scored those it learned from, and do people agree?"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from groundgraph.grading.metrics import auc, expected_calibration_error
from groundgraph.grading.runs import Feedback

STABLE = 0.1
SHIFTED = 0.25
"""Population stability indices from which scores are said to move, and to have shifted."""

ENOUGH = 50
"""Runs below which nothing is concluded."""

_LEAST = 0.5
"""Runs that an empty bin counts for, so that its logarithm exists."""


def deciles(scores: ArrayLike) -> list[float]:
    """Return the nine cuts that divide scores into ten equal parts."""
    return [round(float(cut), 4) for cut in np.quantile(np.asarray(scores, dtype=np.float64), np.arange(0.1, 1.0, 0.1))]


def population_stability(cuts: Sequence[float], scores: ArrayLike) -> float:
    """Return Σ (a - e) ln(a / e) over ten bins, with the share a of recent scores and e = 0.1 of those learned from."""
    values = np.asarray(scores, dtype=np.float64)
    counts = np.bincount(np.searchsorted(cuts, values, side="left"), minlength=len(cuts) + 1)
    actual = np.maximum(counts, _LEAST) / len(values)
    expected = 1 / (len(cuts) + 1)
    return float(((actual - expected) * np.log(actual / expected)).sum())


def drift(cuts: Sequence[float], scores: Sequence[float]) -> dict[str, Any]:
    """Return `runs`, `psi`, `ks` (largest gap between the two distributions, at the deciles) and the `verdict`."""
    if len(scores) < ENOUGH:
        return {"runs": len(scores), "psi": None, "ks": None, "verdict": f"too few runs, {ENOUGH} are needed"}
    psi = population_stability(cuts, scores)
    below = [float(np.mean(np.asarray(scores) <= cut)) for cut in cuts]
    ks = max(abs(share - (place + 1) / (len(cuts) + 1)) for place, share in enumerate(below))
    verdict = "stable" if psi < STABLE else "moving" if psi < SHIFTED else "shifted: check or retrain the evaluator"
    return {"runs": len(scores), "psi": round(psi, 4), "ks": round(ks, 4), "verdict": verdict}


def feedback_figures(pairs: Sequence[Feedback]) -> dict[str, Mapping[str, float | int | None]]:
    """Return what each evaluator's scores were worth to people, over the pairs that they labelled."""
    figures: dict[str, Mapping[str, float | int | None]] = {}
    for name in sorted({pair.evaluator for pair in pairs}):
        scored = [(pair.score, pair.label) for pair in pairs if pair.evaluator == name and pair.score is not None]
        scores, labels = np.array([s for s, _ in scored]), np.array([label for _, label in scored], dtype=bool)
        ranking = auc(scores, labels)
        figures[name] = {
            "pairs": len(scored),
            "relevant": int(labels.sum()),
            "accuracy": round(float(np.mean((scores > 0.5) == labels)), 4) if scored else None,
            "auc": None if ranking is None else round(ranking, 4),
            "ece": round(expected_calibration_error(scores, labels), 4) if scored else None,
        }
    return figures
