"""What evaluators scored in the rows of a run, beside what is known of it."""

from collections.abc import Iterable, Iterator
from typing import Any

from groundgraph.evaluation.answering import ranking
from groundgraph.evaluation.metrics.evaluator import GradedPassage
from groundgraph.evaluation.metrics.retrieval import relevant_sources
from groundgraph.evaluation.records import Row

GRADE = "grade"
"""The step whose scores are recorded."""


def grade_step(row: Row) -> dict[str, Any]:
    """Return the figures of the row's first `grade` step; empty if there is none."""
    return next((step["figures"] for step in row.steps if step["node"] == GRADE), {})


def graded_sources(row: Row) -> list[str]:
    """Return the source of each passage that the first `grade` step scored, in the order of its scores.

    What was retrieved later, for a sentence that was drafted, is not among them. Empty if there is no such step, or
    it scored other passages than the last ranking before it holds.
    """
    nodes = [step["node"] for step in row.steps]
    if GRADE not in nodes:
        return []
    sources = ranking(row.steps[: nodes.index(GRADE)])
    return sources if len(sources) == len(grade_step(row).get("scores", [])) else []


def by_evaluator(rows: Iterable[Row]) -> dict[str, list[GradedPassage]]:
    """Return the passages of known grade that each evaluator scored, by its name in the setting `evaluator`.

    A passage that several patterns graded alike for a question counts once.
    """
    found: dict[str, set[GradedPassage]] = {}
    for row in rows:
        for passage in _graded_passages(row):
            found.setdefault(grade_step(row)["evaluator"], set()).add(passage)
    return {name: sorted(found[name]) for name in sorted(found)}


def _graded_passages(row: Row) -> Iterator[GradedPassage]:
    figures, rel = grade_step(row), row.rel or {}
    gold = relevant_sources(rel)
    for place, source in enumerate(graded_sources(row)):
        score = figures["scores"][place]
        if score is not None and rel.get(source) is not None:
            yield GradedPassage(row.question, source, score, figures["tiers"][place], source in gold)
