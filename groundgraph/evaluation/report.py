"""One HTML page that shows a comparison: tables, plots, and the worst questions with the path of each answer."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from groundgraph.evaluation.compare import Comparison, Entry, value_of, worst
from groundgraph.evaluation.graded import grade_step
from groundgraph.evaluation.metrics.evaluator import EvaluatorScores, calibration_curve, evaluator_scores
from groundgraph.evaluation.outcome import outcome
from groundgraph.evaluation.pages import check_packages, write_page
from groundgraph.evaluation.profile import differing
from groundgraph.evaluation.records import Aggregate
from groundgraph.evaluation.thresholds import (
    Decision,
    GradedQuestion,
    axes,
    best,
    decide,
    graded_question,
    threshold_map,
)
from state.blocks import CragSettings
from state.context import Context

if TYPE_CHECKING:
    from markupsafe import Markup

COSTS = {"p50": "seconds (median)", "model_calls": "model calls", "prompt_tokens": "tokens read"}
"""Costs that quality is set against: those that any pattern has."""


class EvaluatorReport(NamedTuple):
    """What an evaluator's scores are worth, over the passages of known relevance."""

    name: str
    plot: "Markup | None"
    """Calibration curve; None where these are of one kind."""
    scores: EvaluatorScores


class Thresholds(NamedTuple):
    """The threshold map of one entry, or of several that scored the same."""

    label: str
    policy: str
    plot: "Markup"
    questions: int
    now: Decision
    best: Decision


def write_report(comparison: Comparison, path: Path, limit: int = 20) -> None:
    """Write a page of the tables, the plots and the worst questions.

    Args:
        comparison: What to show.
        path: File to write.
        limit: Worst questions to show, at most.

    Raises:
        InputError: matplotlib or Jinja2 is not installed.
    """
    check_packages()
    write_page(
        "report.html",
        path,
        comparison=comparison,
        runs=comparison.runs,
        settings=differing,
        quality_cost=_quality_cost(comparison),
        sources=_sources(comparison),
        evaluators=list(_evaluators(comparison)),
        thresholds=list(_thresholds(comparison.entries)),
        worst=worst(comparison, limit),
        outcome=outcome,
        value_of=value_of,
        grade_step=grade_step,
    )


def _quality_cost(comparison: Comparison) -> "Markup | None":
    from groundgraph.evaluation.plots import Point, quality_cost

    judged = [(entry, figure) for entry in comparison.entries if (figure := entry.figure(comparison.headline))]
    held = [name for name in COSTS if any(getattr(entry.cost, name) for entry, _ in judged)]
    if not held:
        return None
    points = [Point(e.label, figure, [getattr(e.cost, name) or 0.0 for name in held]) for e, figure in judged]
    return quality_cost(points, [COSTS[name] for name in held], comparison.headline)


def _sources(comparison: Comparison) -> "Markup | None":
    from groundgraph.evaluation.plots import source_bars

    bars = {
        source: [_figure(comparison, entry, source) for entry in comparison.entries] for source in comparison.sources
    }
    held = {source: values for source, values in bars.items() if any(values)}
    return source_bars(held, [entry.label for entry in comparison.entries], comparison.headline) if held else None


def _figure(comparison: Comparison, entry: Entry, source: str) -> Aggregate | None:
    found = entry.figure(comparison.headline, [row for row in entry.rows if row.source == source])
    return found if found and found.scored else None


def _evaluators(comparison: Comparison) -> Iterator[EvaluatorReport]:
    from groundgraph.evaluation.plots import calibration

    for name, graded in comparison.graded.items():
        scores = evaluator_scores(graded)
        pairs = [passage.score for passage in graded], [passage.is_relevant for passage in graded]
        plot = calibration(calibration_curve(*pairs), name) if scores.has_both_kinds else None
        yield EvaluatorReport(name, plot, scores)


def _thresholds(entries: Sequence[Entry]) -> Iterator[Thresholds]:
    from groundgraph.evaluation.plots import threshold_grid

    alike: dict[tuple[tuple[GradedQuestion, ...], CragSettings, bool], list[str]] = {}
    for entry in entries:
        context = Context.parse(entry.run.context)
        if questions := tuple(found for row in entry.rows if (found := graded_question(row))):
            alike.setdefault((questions, context.crag, context.web_search != "off"), []).append(entry.label)
    for (questions, crag, web), labels in alike.items():
        decisions = threshold_map(questions, crag, web=web)
        low, high = (getattr(crag, name) for name in axes(crag)[:2])
        chosen = best(decisions, low, high)
        plot = threshold_grid(decisions, (low, high), (chosen.low, chosen.high))
        now = decide(questions, crag, web=web)
        yield Thresholds(", ".join(labels), crag.policy, plot, len(questions), now, chosen)
