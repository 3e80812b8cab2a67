"""Means with their uncertainty, and whether two patterns differ on the same questions."""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundgraph.errors import InputError

SIGNIFICANT = 0.05
"""Below this p a difference is taken for real."""

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """A mean and the interval it lies in, over `n` values; None where there are too few values to tell."""

    mean: float | None
    low: float | None
    high: float | None
    n: int


class PairedDifference(NamedTuple):
    """The mean of second minus first over the `n` questions that both scored; None where there is none."""

    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    """Probability in [0, 1] of a difference at least as large if the two were alike."""
    n: int

    @property
    def is_noise(self) -> bool:
        """Tell whether the difference may well be chance: p is 0.05 or more, or there is nothing to compare."""
        return self.p is None or self.p >= SIGNIFICANT

    @property
    def is_worse(self) -> bool:
        """Tell whether the second is below the first, and not by chance."""
        return not self.is_noise and self.difference is not None and self.difference < 0


def bootstrap_interval(
    values: Sequence[float | None], *, seed: int = 0, level: float = 0.95, n: int = 2000
) -> Interval:
    """Return the mean with its percentile bootstrap interval (Efron and Tibshirani, 1993, chapter 13).

    None and NaN are values that could not be scored: they are left out, and the interval's `n` says how many are left.
    Of one value there is no interval; of values that are all alike it has no width, however few they are.

    Args:
        values: One a question.
        seed: The same seed gives the same interval.
        level: Share in (0, 1) of resampled means within the interval.
        n: Resamples.

    Raises:
        InputError: The level is not within (0, 1), or there are no resamples.
    """
    _check(level, n)
    scored = _floats(values)
    scored = scored[~np.isnan(scored)]
    if len(scored) < 2:
        return Interval(float(scored[0]) if len(scored) else None, None, None, len(scored))
    return Interval(float(scored.mean()), *_bounds(scored, seed, level, n), len(scored))


def paired_test(
    first: Sequence[float | None], second: Sequence[float | None], *, seed: int = 0, level: float = 0.95, n: int = 2000
) -> PairedDifference:
    """Return how far `second` is above `first`, the two measured on the same questions in the same order.

    The interval is a paired bootstrap's, p a two-sided permutation test's: of all ways to swap the two on each
    question, or of `n` random ones if there are more, the share that differs at least as much (Smucker, Allan and
    Carterette, CIKM 2007). A question that one of them could not score (None, NaN) is left out.

    Raises:
        InputError: There are not as many values in both, the level is not within (0, 1), or there are no resamples.
    """
    _check(level, n)
    if len(first) != len(second):
        raise InputError(f"cannot pair {len(first)} values with {len(second)}: give one of each for every question")
    differences = _floats(second) - _floats(first)
    differences = differences[~np.isnan(differences)]
    if not len(differences):
        return PairedDifference(None, None, None, None, 0)
    low, high = _bounds(differences, seed, level, n) if len(differences) > 1 else (None, None)
    return PairedDifference(float(differences.mean()), low, high, _p(differences, seed, n), len(differences))


def _check(level: float, n: int) -> None:
    if not 0 < level < 1 or n < 1:
        raise InputError(f"level={level!r}, n={n!r}: give a level between 0 and 1, and at least one resample")


def _floats(values: Sequence[float | None]) -> Floats:
    """Return the values, NaN where one is None."""
    return np.array(values, dtype=np.float64)


def _bounds(values: Floats, seed: int, level: float, n: int) -> tuple[float, float]:
    resampled = np.random.default_rng(seed).integers(len(values), size=(n, len(values)))
    low, high = np.quantile(values[resampled].mean(axis=1), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _p(differences: Floats, seed: int, n: int) -> float:
    count = len(differences)
    observed = abs(differences.sum()) * (1 - 1e-9)  # sums in another order differ in their last bits
    if 2**count <= n:
        signs = np.array(list(product((-1, 1), repeat=count)))
        return float((np.abs(signs @ differences) >= observed).mean())
    signs = np.random.default_rng(seed).integers(2, size=(n, count)) * 2 - 1
    return (1 + int((np.abs(signs @ differences) >= observed).sum())) / (1 + n)
