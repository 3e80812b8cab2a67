"""How good a score is: ranking (AUC), calibration (ECE), and the decisions that follow from it."""

import numpy as np
from numpy.typing import ArrayLike


def auc(scores: ArrayLike, labels: ArrayLike) -> float | None:
    """Return the probability in [0, 1] that a positive outranks a negative, ties counted half; None without both."""
    values, truth = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=bool)
    positives, negatives = values[truth], np.sort(values[~truth])
    if not len(positives) or not len(negatives):
        return None
    below = np.searchsorted(negatives, positives, side="left") + np.searchsorted(negatives, positives, side="right")
    return float(below.mean() / (2 * len(negatives)))


def expected_calibration_error(scores: ArrayLike, labels: ArrayLike, bins: int = 10) -> float:
    """Return the mean gap in [0, 1] between score and share of positives, over equal-width bins weighted by size."""
    values, truth = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    place = np.minimum((values * bins).astype(int), bins - 1)
    gaps = np.bincount(place, values - truth, minlength=bins)
    return float(np.abs(gaps).sum() / len(values))
