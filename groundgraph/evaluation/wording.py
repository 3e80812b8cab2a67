"""Figures as people read them, in the terminal and in the report."""

from groundgraph.evaluation.metrics.evaluator import EvaluatorScores
from groundgraph.evaluation.metrics.stats import Interval, PairedDifference
from groundgraph.evaluation.records import Aggregate

NOTHING = "–"


def number(value: float | None, digits: int = 2) -> str:
    """Return a number with so many digits after the point; a dash for None."""
    return NOTHING if value is None else f"{value:,.{digits}f}"


def tokens(count: float | None, estimated_calls: float | None, digits: int = 0) -> str:
    """Return a number of tokens, and that it is estimated if those of some call are."""
    return f"{number(count, digits)}{' (estimated)' if estimated_calls else ''}"


def interval(low: float | None, high: float | None, sign: str = "") -> str:
    """Return `[low, high]`; nothing where there is none."""
    return "" if low is None or high is None else f" [{_rounded(low):{sign}.2f}, {_rounded(high):{sign}.2f}]"


def figure(value: Aggregate | None) -> str:
    """Return a mean with its interval, how many rows were scored if not all, and whether it is valid."""
    if value is None:
        return NOTHING
    share = f" ({value.scored}/{value.rows} scored{'' if value.valid else ', invalid'})"
    return f"{mean(value)}{share if value.scored < value.rows else ''}"


def mean(value: Interval | Aggregate) -> str:
    """Return a mean with its interval."""
    return f"{number(value.mean)}{interval(value.low, value.high)}"


def difference(value: PairedDifference | None) -> str:
    """Return how far a pattern is from the baseline, or that this is within noise."""
    if value is None:
        return "baseline"
    if value.difference is None or value.p is None:
        return "nothing to compare"
    p = "p < 0.001" if value.p < 0.001 else f"p = {value.p:.3f}"
    said = f"{_rounded(value.difference):+.2f}{interval(value.low, value.high, '+')}, {p}"
    return f"within noise ({said})" if value.is_noise else said


def one_kind(name: str, scores: EvaluatorScores) -> str:
    """Return why there are no figures of an evaluator, where what it scored is all relevant, or none of it is."""
    found, remedy = ("all answer", "do not, with 0 or 1") if scores.relevant else ("none answers", "do, with 2")
    return (
        f"Evaluator {name}: no AUC, calibration or tiers, since of {scores.passages:,} passages of known grade that it "
        f"scored {found}; grade some that {remedy} in rel."
    )


def _rounded(value: float) -> float:
    return round(value, 2) + 0.0  # no -0.00
