"""One HTML page that shows a comparison: tables, plots, and the worst questions with the path of each answer."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from groundgraph.evaluation.compare import Comparison, Entry, value_of, worst
from groundgraph.evaluation.metrics.evaluator import (
    TierCounts,
    auc,
    calibration_curve,
    expected_calibration_error,
    tier_confusion,
)
from groundgraph.evaluation.metrics.retrieval import relevant_sources
from groundgraph.evaluation.outcome import outcome
from groundgraph.evaluation.pages import check_packages, write_page
from groundgraph.evaluation.profile import differing
from groundgraph.evaluation.records import Aggregate, Row
from groundgraph.evaluation.thresholds import (
    Decision,
    GradedQuestion,
    axes,
    best,
    decide,
    grade_step,
    graded_question,
    threshold_map,
)
from groundgraph.knowledge.passage import Tier
from state.blocks import CragSettings
from state.context import Context

if TYPE_CHECKING:
    from markupsafe import Markup

COSTS = {"p50": "seconds (median)", "model_calls": "model calls", "prompt_tokens": "tokens read"}
"""Costs that quality is set against: those that any pattern has."""


class EvaluatorReport(NamedTuple):
    """What the evaluator's scores are worth, over the passages of known relevance."""

    plot: "Markup"
    passages: int
    auc: float | None
    error: float
    """Expected calibration error."""
    tiers: dict[Tier, TierCounts]


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
        evaluator=_evaluator(comparison.entries),
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


def _evaluator(entries: Sequence[Entry]) -> EvaluatorReport | None:
    """Return the evaluator's figures; a passage that several patterns graded alike for a question counts once."""
    from groundgraph.evaluation.plots import calibration

    graded = sorted({pair for entry in entries for row in entry.rows for pair in _graded_passages(row)})
    if not graded:
        return None
    scores, labels = [score for *_, score, _, _ in graded], [label for *_, label in graded]
    return EvaluatorReport(
        plot=calibration(calibration_curve(scores, labels)),
        passages=len(graded),
        auc=auc(scores, labels),
        error=expected_calibration_error(scores, labels),
        tiers=tier_confusion((tier, label) for *_, tier, label in graded),
    )


def _graded_passages(row: Row) -> Iterable[tuple[str, str, float, Tier, bool]]:
    """Yield (question, source, score, tier, relevant) of each passage of known grade that the evaluator scored."""
    figures = grade_step(row)
    rel = row.rel or {}
    gold = relevant_sources(rel)
    for source, score, tier in zip(row.retrieved, figures.get("scores", []), figures.get("tiers", []), strict=False):
        if score is not None and rel.get(source) is not None:
            yield row.question, source, score, tier, source in gold


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
