"""Show a run of an evaluation: how far it is, and what came of it."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self, get_args

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

from groundgraph.cli.terminal import one_line, table_console, write, write_json
from groundgraph.evaluation.metrics.evaluator import EvaluatorScores
from groundgraph.evaluation.records import Aggregate, Cost, Row, Scores, read_rows, read_run
from groundgraph.evaluation.scoring import unscored_rows
from groundgraph.evaluation.wording import NOTHING, number, one_kind, tokens
from groundgraph.knowledge.passage import Tier

HEADLINES = ("f1", "recall@", "faithfulness", "false_refusal", "right_refusal")
"""Of which metric the running mean is shown: of the first that there is."""
SHOWN = 10
"""Reasons why questions failed that are named without --json."""
NAMED = 3
"""Rows that could not be scored that are named without --json, for each reason."""
WIDTH = 160
"""Characters of a reason that are shown."""

_COSTS: dict[str, Callable[[Cost], str]] = {
    "questions": lambda cost: f"{cost.rows:,}",
    "failed": lambda cost: f"{cost.errors:,}",
    "model calls": lambda cost: f"{cost.model_calls:,}",
    "tokens read": lambda cost: tokens(cost.prompt_tokens, cost.estimated_calls),
    "tokens written": lambda cost: tokens(cost.completion_tokens, cost.estimated_calls),
    "seconds, p50": lambda cost: _seconds(cost.seconds_p50),
    "seconds, p95": lambda cost: _seconds(cost.seconds_p95),
}


class Running:
    """A bar with the time left and each pattern's running score."""

    def __init__(self, *, show: bool) -> None:
        text = TextColumn("{task.description}", markup=False)
        columns = (text, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), disable=not show, speed_estimate_period=1800)
        self._task: TaskID | None = None
        self._values: dict[str, list[float]] = {}

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._progress.stop()

    def done(self, rows: Sequence[Row], number: int, total: int) -> None:
        """Take note of rows that are done; the first ones are from before, and say nothing of the speed."""
        for row in rows:
            name = next((name for headline in HEADLINES for name in row.metrics if name.startswith(headline)), None)
            if name and (value := row.metrics[name]) is not None:
                self._values.setdefault(f"{row.pattern} {name}", []).append(value)
        if self._task is None:
            self._task = self._progress.add_task("asking", total=total, completed=number)
        means = [f"{name} {sum(values) / len(values):.2f}" for name, values in self._values.items()]
        self._progress.update(self._task, completed=number, description=", ".join(means) or "asking")


def show(folder: Path, scores: Scores) -> None:
    """Write the scores as a table, what could not be scored, and where the run is kept."""
    rows = read_rows(folder)
    table = Table("", *scores.patterns, box=None, pad_edge=False)
    names = dict.fromkeys(name for found in scores.patterns.values() for name in found.metrics)
    for name in names:
        table.add_row(name, *(_cell(found.metrics.get(name)) for found in scores.patterns.values()))
    _add_evaluators(table, scores)
    table.add_section()
    for title, of in _COSTS.items():
        table.add_row(title, *(of(found.cost) for found in scores.patterns.values()))
    table_console().print(table)
    for line in _one_kind_lines(scores):
        write(line)
    for (reason, keys), unscored in _by_reason(rows).items():
        named = ", ".join(one_line(" ".join(key), WIDTH) for key in keys[:NAMED])
        more = f" and {len(keys) - NAMED} more" if len(keys) > NAMED else ""
        write(f"not scored: {', '.join(unscored)}, {len(keys)}× ({named}{more}): {one_line(reason, WIDTH)}")
    _show_failed([row for row in rows if row.error])
    if scores.is_empty:
        write("Nothing to score: give answers, rel or --judge.")
    elif not scores.valid:
        write(f"Invalid: {_invalid(scores)}")
    write(f"Kept in {folder}")


def show_json(folder: Path, scores: Scores) -> None:
    """Write one JSON object: the run's record, its scores, and what failed or could not be scored."""
    rows = read_rows(folder)
    write_json(
        {
            "folder": str(folder),
            "valid": scores.valid,
            "run": read_run(folder).model_dump(mode="json"),
            "scores": scores.model_dump(mode="json")["patterns"],
            "failed": [{"pattern": row.pattern, "id": row.id, "error": row.error} for row in rows if row.error],
            "unscored": {
                name: {
                    reason: [{"pattern": row.pattern, "id": row.id} for row in found]
                    for reason, found in reasons.items()
                }
                for name, reasons in unscored_rows(rows).items()
            },
        }
    )


def _add_evaluators(table: Table, scores: Scores) -> None:
    """Add what the scores of each evaluator are worth, where passages of both kinds were scored."""
    patterns = [found.evaluators for found in scores.patterns.values()]
    for name in sorted({name for held in patterns for name, one in held.items() if one.has_both_kinds}):
        table.add_section()
        for title, of in {f"AUC, evaluator {name}": _auc, **_EVALUATOR}.items():
            columns = (held.get(name) for held in patterns)
            table.add_row(title, *(of(one) if one and one.has_both_kinds else NOTHING for one in columns))


def _one_kind_lines(scores: Scores) -> Iterator[str]:
    """Yield for each evaluator why there are no figures, where it scored passages of one kind only in every pattern."""
    found: dict[str, list[EvaluatorScores]] = {}
    for pattern in scores.patterns.values():
        for name, one in pattern.evaluators.items():
            found.setdefault(name, []).append(one)
    for name, scored in found.items():
        if not any(one.has_both_kinds for one in scored):
            yield one_kind(name, scored[0])


def _auc(scores: EvaluatorScores) -> str:
    return f"{number(scores.auc, 3)} of {scores.passages:,} passages"


def _counts(tier: Tier, scores: EvaluatorScores) -> str:
    return f"{scores.tiers[tier].relevant:,}, {scores.tiers[tier].irrelevant:,}"


_EVALUATOR: dict[str, Callable[[EvaluatorScores], str]] = {
    "calibration error": lambda scores: number(scores.calibration_error, 3),
    **{f"{tier}: relevant, not": partial(_counts, tier) for tier in get_args(Tier)},
}


def _by_reason(rows: Sequence[Row]) -> dict[tuple[str, tuple[tuple[str, str], ...]], list[str]]:
    """Return the metrics that could not be had for the same reason and the same rows, by pattern and id."""
    found: dict[tuple[str, tuple[tuple[str, str], ...]], list[str]] = {}
    for name, reasons in unscored_rows(rows).items():
        for reason, unscored in reasons.items():
            found.setdefault((reason, tuple(row.key for row in unscored)), []).append(name)
    return found


def _show_failed(failed: Sequence[Row]) -> None:
    """Write one line a reason, with the first question that failed for it."""
    reasons: dict[str, list[Row]] = {}
    for row in failed:
        reasons.setdefault(row.error or "", []).append(row)
    for reason, rows in [*reasons.items()][:SHOWN]:
        more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
        write(f"failed: {rows[0].pattern}, {rows[0].id}{more}: {one_line(reason, WIDTH)}")
    if len(reasons) > SHOWN:
        write(f"failed: for {len(reasons) - SHOWN} more reasons")


def _invalid(scores: Scores) -> str:
    return "; ".join(
        f"{pattern} {name} was scored on {aggregate.scored} of {aggregate.rows} rows"
        for pattern, found in scores.patterns.items()
        for name, aggregate in found.metrics.items()
        if not aggregate.valid
    )


def _cell(aggregate: Aggregate | None) -> str:
    """Return a mean with its interval and how many rows it is of; all of them if only one number stands there."""
    if aggregate is None:
        return "–"
    of = f"{aggregate.scored}/{aggregate.rows}" if aggregate.scored < aggregate.rows else f"{aggregate.rows}"
    if aggregate.mean is None:
        return f"invalid, of {of}"
    interval = "" if aggregate.low is None else f" [{aggregate.low:.2f}, {aggregate.high:.2f}]"
    return f"{aggregate.mean:.3f}{interval} of {of}{'' if aggregate.valid else ', invalid'}"


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"
