"""`groundgraph compare`: runs side by side."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groundgraph.cli.options import AsJSON
from groundgraph.cli.terminal import table_console, write, write_json

if TYPE_CHECKING:
    from groundgraph.evaluation.compare import Comparison, Entry


def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN", help="Folders of runs.", show_default=False)],
    baseline: Annotated[
        str | None,
        typer.Option(metavar="PATTERN", help="Pattern to set the others against; by default naive, else the first."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a report to be opened in a browser, without network.")
    ] = None,
    worst: Annotated[int, typer.Option(metavar="N", min=0, help="Worst questions to show in the report.")] = 20,
    as_json: AsJSON = False,
) -> None:
    """Compare the patterns of one or more runs.

    Shows quality with intervals, cost, where questions end, and whether a pattern differs from the baseline or is
    within noise.
    """
    from groundgraph.evaluation.compare import compare as compare_runs

    found = compare_runs(runs, baseline)
    if html is not None:
        from groundgraph.evaluation.report import write_report

        write_report(found, html, worst)
    if as_json:
        write_json(_object(found))
        return
    _show(found)
    if html is not None:
        write(f"\nReport: {html}")


def _object(found: "Comparison") -> dict[str, Any]:
    from dataclasses import asdict

    from groundgraph.evaluation.metrics.evaluator import evaluator_scores

    return {
        "baseline": found.baseline.label,
        "depth": found.depth,
        "notes": found.notes,
        "evaluators": {name: asdict(evaluator_scores(graded)) for name, graded in found.graded.items()},
        "runs": {str(folder): run.model_dump(mode="json") for folder, run in found.runs.items()},
        "patterns": [
            {
                "label": entry.label,
                "pattern": entry.pattern,
                "questions": len(entry.rows),
                "unfinished": entry.is_unfinished,
                "failed": entry.failed,
                "metrics": {name: metric for name in found.metrics if (metric := _metric(found, entry, name))},
                "cost": entry.cost._asdict(),
                "outcomes": entry.outcomes,
            }
            for entry in found.entries
        ],
    }


def _metric(found: "Comparison", entry: "Entry", name: str) -> dict[str, Any] | None:
    if (figure := entry.figure(name)) is None:
        return None
    difference = found.difference(entry, name)
    against = {**difference._asdict(), "within_noise": difference.is_noise} if difference else None
    return {**figure.model_dump(), "against_baseline": against}


def _show(found: "Comparison") -> None:
    from rich.table import Table

    from groundgraph.evaluation.profile import differing
    from groundgraph.evaluation.wording import difference, figure, number, tokens

    for folder, run in found.runs.items() if len(found.runs) > 1 else ():
        settings = ", ".join(f"{name}={value}" for name, value in differing(run.context).items())
        write(f"{folder}: {run.questions.count} questions of {run.questions.file}, {settings or 'default settings'}")
    for note in found.notes:
        write(note)
    console = table_console()
    cost = Table("Pattern", box=None, pad_edge=False)
    for title in ("Questions", "Failed", "Calls", "Read", "Written", "p50 s", "p95 s"):
        cost.add_column(title, justify="right")
    for entry in found.entries:
        spent = entry.cost
        used = [tokens(count, spent.estimated_calls) for count in (spent.prompt_tokens, spent.completion_tokens)]
        counts = [entry.asked, str(entry.failed), number(spent.model_calls, 1)]
        cost.add_row(entry.label, *counts, *used, number(spent.p50), number(spent.p95))
    ends = Table("Pattern", box=None, pad_edge=False)
    named = [end for end in found.entries[0].outcomes if any(entry.outcomes[end] for entry in found.entries)]
    for end in named:
        ends.add_column(end.capitalize(), justify="right")
    for entry in found.entries:
        ends.add_row(entry.label, *(str(entry.outcomes[end]) for end in named))
    metrics = Table("Metric", "Pattern", "Mean [95 %]", f"Against {found.baseline.label}", box=None, pad_edge=False)
    for name in found.metrics:
        for place, entry in enumerate(found.entries):
            against = difference(found.difference(entry, name))
            metrics.add_row("" if place else name, entry.label, figure(entry.figure(name)), against)
    for table in (metrics, cost, *([ends] if named else [])):
        console.print(table)
        console.print()
