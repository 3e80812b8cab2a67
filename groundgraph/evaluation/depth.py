"""Retrieval metrics of runs that looked at different numbers of passages, made anew at the number that all have."""

from collections.abc import Iterable

from groundgraph.evaluation.records import Row
from groundgraph.evaluation.scoring import FORMULAS


def common_depth(rows: Iterable[Row]) -> int | None:
    """Return the smallest depth of the rows' retrieval metrics, None if all are of one depth."""
    depths = {int(depth) for row in rows for name in row.metrics if (depth := name.partition("@")[2])}
    return min(depths) if len(depths) > 1 else None


def at_depth(row: Row, k: int) -> Row:
    """Return the row with its retrieval metrics at a depth of `k`, from what it retrieved; unscored ones stay so."""
    metrics: dict[str, float | None] = {}
    for name, value in row.metrics.items():
        plain, _, depth = name.partition("@")
        if depth:
            metrics[f"{plain}@{k}"] = None if value is None else FORMULAS[plain].score(row, k)
        else:
            metrics[name] = value
    return row.model_copy(update={"metrics": metrics})
