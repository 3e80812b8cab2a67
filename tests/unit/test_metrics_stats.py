"""Intervals and tests of difference."""

from math import nan

import pytest

from groundgraph.errors import InputError
from groundgraph.evaluation.metrics.stats import Interval, PairedDifference, bootstrap_interval, paired_test


def test_an_interval_holds_its_mean_and_narrows_with_more_values() -> None:
    few, many = bootstrap_interval([0, 1] * 5), bootstrap_interval([0, 1] * 500)
    assert few.mean == many.mean == 0.5
    assert few.low < many.low < 0.5 < many.high < few.high
    assert many.high - many.low == pytest.approx(2 * 1.96 * 0.5 / 1000**0.5, rel=0.1)  # the normal approximation
    assert few == bootstrap_interval([0, 1] * 5)


@pytest.mark.parametrize(
    ("values", "interval"),
    [
        ([], Interval(None, None, None, 0)),
        ([None, nan], Interval(None, None, None, 0)),
        ([0.3], Interval(0.3, None, None, 1)),
        ([0.3, None, nan], Interval(0.3, None, None, 1)),
        ([0.25, 0.25], Interval(0.25, 0.25, 0.25, 2)),
    ],
)
def test_what_was_not_scored_is_left_out(values: list[float | None], interval: Interval) -> None:
    assert bootstrap_interval(values) == interval


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        ([0, 0, 0], [1, 1, 1], 2 / 8),  # of the eight ways to swap, two differ as much
        ([0, 0, 1], [1, 1, 0], 1),
        ([0] * 6, [1] * 6, 2 / 64),
        ([0.1, 0.2], [0.1, 0.2], 1),
        ([0.5], [0.7], 1),
    ],
)
def test_p_of_few_questions_is_exact(first: list[float], second: list[float], p: float) -> None:
    assert paired_test(first, second).p == p


def test_a_steady_difference_is_found_however_far_the_questions_are_apart() -> None:
    first = [n / 100 for n in range(100)]
    found = paired_test(first, [value + 0.01 + 0.005 * (n % 2) for n, value in enumerate(first)])
    assert found.difference == pytest.approx(0.0125)
    assert 0.01 < found.low < found.high < 0.015
    assert not found.is_noise


def test_chance_is_called_noise() -> None:
    found = paired_test([0, 1] * 20, [1, 0] * 20)
    assert (found.difference, found.n, found.is_noise) == (0, 40, True)


def test_only_what_both_scored_is_compared() -> None:
    assert paired_test([None, 0, nan, 1], [1, 1, 1, 1]).n == 2
    nothing = paired_test([None], [1])
    assert nothing == PairedDifference(None, None, None, None, 0) and nothing.is_noise


def test_unequal_lengths_and_impossible_levels_are_bad_use() -> None:
    with pytest.raises(InputError, match="cannot pair 1 values with 2"):
        paired_test([1], [1, 2])
    with pytest.raises(InputError, match="level=95"):
        bootstrap_interval([1], level=95)
