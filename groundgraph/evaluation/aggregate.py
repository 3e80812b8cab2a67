"""From the rows of a run to its scores."""

from collections.abc import Iterable, Sequence

from groundgraph.evaluation.graded import by_evaluator
from groundgraph.evaluation.metrics.cost import cost
from groundgraph.evaluation.metrics.evaluator import evaluator_scores
from groundgraph.evaluation.metrics.stats import bootstrap_interval
from groundgraph.evaluation.records import Aggregate, Cost, PatternScores, Row, Scores
from groundgraph.evaluation.scoring import METRICS

MIN_SCORED = 0.5
"""Share of its rows that must be scored for a metric to be valid."""


def scores_of(rows: Sequence[Row], min_scored: float = MIN_SCORED, seed: int = 0) -> Scores:
    """Return every metric's mean with its 95 % interval, by pattern and by source; evaluators' figures; and the cost.

    A row that could not be scored is counted, and never averaged: see `Aggregate.scored`, `rows` and `valid`.

    Args:
        rows: In an order that does not depend on chance, since the interval is drawn.
        min_scored: Share of a metric's rows in [0, 1] that must be scored.
        seed: Of the interval.
    """
    return Scores(
        patterns={
            pattern: _pattern_scores([row for row in rows if row.pattern == pattern], min_scored, seed)
            for pattern in dict.fromkeys(row.pattern for row in rows)
        }
    )


def cost_of(rows: Sequence[Row]) -> Cost:
    """Return what the rows cost together."""
    answered = [row for row in rows if row.error is None]
    spread = cost([row.usage for row in answered], [row.seconds for row in answered])
    return Cost(
        rows=len(rows),
        errors=len(rows) - len(answered),
        model_calls=sum(row.usage.get("model_calls", 0) for row in rows),
        prompt_tokens=sum(row.usage.get("prompt_tokens", 0) for row in rows),
        completion_tokens=sum(row.usage.get("completion_tokens", 0) for row in rows),
        searches=sum(row.usage.get("searches", 0) for row in rows),
        seconds=round(sum(row.seconds for row in rows), 3),
        seconds_p50=None if spread.p50 is None else round(spread.p50, 3),
        seconds_p95=None if spread.p95 is None else round(spread.p95, 3),
        judge_calls=sum(row.judge_usage.get("model_calls", 0) for row in rows),
        judge_prompt_tokens=sum(row.judge_usage.get("prompt_tokens", 0) for row in rows),
        judge_completion_tokens=sum(row.judge_usage.get("completion_tokens", 0) for row in rows),
        estimated_calls=sum(used.get("estimated_calls", 0) for row in rows for used in (row.usage, row.judge_usage)),
    )


def _pattern_scores(rows: Sequence[Row], min_scored: float, seed: int) -> PatternScores:
    sources = sorted({row.source for row in rows if row.source})
    return PatternScores(
        metrics=_aggregates(rows, min_scored, seed),
        sources={
            source: _aggregates([row for row in rows if row.source == source], min_scored, seed) for source in sources
        },
        evaluators={name: evaluator_scores(graded) for name, graded in by_evaluator(rows).items()},
        cost=cost_of(rows),
    )


def _aggregates(rows: Sequence[Row], min_scored: float, seed: int) -> dict[str, Aggregate]:
    return {
        name: aggregate([row.metrics[name] for row in rows if name in row.metrics], min_scored, seed)
        for name in _names(rows)
    }


def _names(rows: Iterable[Row]) -> list[str]:
    """Return the metrics of the rows, in the order of the table of metrics."""
    return sorted({name for row in rows for name in row.metrics}, key=lambda name: METRICS.index(name.split("@")[0]))


def aggregate(values: Sequence[float | None], min_scored: float = MIN_SCORED, seed: int = 0) -> Aggregate:
    """Return the mean of a metric's values, one a row that it applies to, None where it could not be scored."""
    interval = bootstrap_interval(values, seed=seed)
    mean, low, high = (None if bound is None else round(bound, 6) for bound in interval[:3])
    valid = interval.n > 0 and interval.n >= min_scored * len(values)
    return Aggregate(mean=mean, low=low, high=high, scored=interval.n, rows=len(values), valid=valid)
