"""The metrics by name, and the scores of one row."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

from groundgraph.errors import GroundgraphError, InputError
from groundgraph.evaluation import grounding
from groundgraph.evaluation.embedded_judge import has_evaluator
from groundgraph.evaluation.grounding import Figure, Judge
from groundgraph.evaluation.metrics import answers, retrieval
from groundgraph.evaluation.ragas_scores import RAGAS, RagasJudge
from groundgraph.evaluation.records import Row

Applies = Callable[[Row], bool]


class Formula(NamedTuple):
    """A metric that is computed from the row alone, at a depth of `k` passages."""

    group: str
    applies: Applies
    score: Callable[[Row, int], float | None]


class Judged(NamedTuple):
    """Metrics that take a judge's verdicts; several that share them are had together."""

    names: tuple[str, ...]
    applies: Applies
    score: Callable[[Row, Judge], Awaitable[dict[str, Figure]]]
    needs_model: bool = False
    asks_evaluator: bool = False
    """Whether the embedded judge asks the embedded evaluator for it, unless the question file has grades."""


def _is_graded(row: Row) -> bool:
    return bool(retrieval.relevant_sources(row.rel or {}))


def _has_gold(row: Row) -> bool:
    return bool(row.answers) and row.answerable is not False


def _is_answered(row: Row) -> bool:
    return row.error is not None or (not row.refused and bool(grounding.cited_statements(row)))


def _needs_context(row: Row) -> bool:
    return _is_graded(row) or _has_gold(row)


def _has_context(row: Row) -> bool:
    return _needs_context(row) and (row.error is not None or bool(row.passages))


def _said(row: Row) -> str:
    return "" if row.refused else row.answer


FORMULAS: dict[str, Formula] = {
    "recall": Formula("retrieval", _is_graded, lambda row, k: retrieval.recall_at_k(row.retrieved, row.rel or {}, k)),
    "precision": Formula(
        "retrieval", _is_graded, lambda row, k: retrieval.precision_at_k(row.retrieved, row.rel or {}, k)
    ),
    "mrr": Formula("retrieval", _is_graded, lambda row, k: retrieval.reciprocal_rank(row.retrieved, row.rel or {}, k)),
    "ndcg": Formula("retrieval", _is_graded, lambda row, k: retrieval.ndcg_at_k(row.retrieved, row.rel or {}, k)),
    "exact_match": Formula(
        "answer", _has_gold, lambda row, _: answers.exact_match(_said(row), row.answers, row.language)
    ),
    "f1": Formula("answer", _has_gold, lambda row, _: answers.f1(_said(row), row.answers, row.language)),
    "containment": Formula(
        "answer", _has_gold, lambda row, _: answers.containment(_said(row), row.answers, row.language)
    ),
    "right_refusal": Formula("refusal", lambda row: row.answerable is False, lambda row, _: float(row.refused)),
    "false_refusal": Formula("refusal", lambda row: row.answerable is True, lambda row, _: float(row.refused)),
}
"""Retrieval metrics are reported with their depth: `recall@5`."""

JUDGED = (
    Judged(("faithfulness",), _is_answered, grounding.faithfulness),
    Judged(("answer_relevancy",), _is_answered, grounding.answer_relevancy, asks_evaluator=True),
    Judged(("context_precision",), _has_context, grounding.context_precision, asks_evaluator=True),
    Judged(("context_recall",), _needs_context, grounding.context_recall),
    Judged(("citation_precision", "citation_recall"), _is_answered, grounding.citations),
    Judged(("correctness",), lambda row: _has_gold(row) and _is_answered(row), grounding.correctness, needs_model=True),
)

JUDGED_METRICS = tuple(name for judged in JUDGED for name in judged.names)
METRICS = (*FORMULAS, *JUDGED_METRICS)


def choose_metrics(wanted: Sequence[str], *, has_judge: bool, retrieval_only: bool) -> list[str]:
    """Return the names of the metrics to compute: the wanted ones, or all that the run allows.

    Where neither a judge nor the embedded evaluator is there, what asks the evaluator is computed only if it is wanted.

    Raises:
        InputError: A name is unknown, or the metric cannot be had in this run.
    """
    without_model = [name for judged in JUDGED if not judged.needs_model or has_judge for name in judged.names]
    possible = [name for name, formula in FORMULAS.items() if not retrieval_only or formula.group == "retrieval"]
    possible += [] if retrieval_only else without_model
    for name in wanted:
        if name not in METRICS:
            raise InputError(f"metric {name!r}: unknown; known are {', '.join(METRICS)}")
        if name not in possible:
            remedy = "leave --retrieval-only out" if retrieval_only else "name a model with --judge"
            raise InputError(f"metric {name!r} cannot be had in this run: {remedy}")
    spared = [] if has_judge or has_evaluator() else [n for one in JUDGED if one.asks_evaluator for n in one.names]
    return [name for name in possible if (name in wanted if wanted else name not in spared)]


async def score(row: Row, metrics: Sequence[str], judge: Judge, k: int) -> Row:
    """Return the row with its scores; what applies to it but cannot be had is None, with the reason.

    Args:
        row: The answered or failed row; scores that it has are made anew.
        metrics: Names as `choose_metrics` gives them.
        judge: Gives verdicts about this row.
        k: Passages that retrieval metrics look at.
    """
    figures: dict[str, Figure] = {}
    for name, formula in FORMULAS.items():
        if name in metrics and formula.applies(row):
            value = None if row.error else formula.score(row, k)
            figures[f"{name}@{k}" if formula.group == "retrieval" else name] = Figure(value)
    for judged in JUDGED:
        wanted = [name for name in judged.names if name in metrics]
        if wanted and judged.applies(row):
            found = {} if row.error else await _ask(judged, row, judge)
            figures |= {name: found.get(name, Figure(None)) for name in wanted}
    unscored = {
        name: figure.missing or f"not answered: {row.error}" for name, figure in figures.items() if figure.value is None
    }
    partly = [f"{name}: {f.missing}" for name, f in figures.items() if f.missing and f.value is not None]
    return row.model_copy(
        update={
            "metrics": {name: figure.value for name, figure in figures.items()},
            "unscored": unscored,
            "warnings": list(dict.fromkeys([*row.warnings, *partly])),
            "judge_usage": judge.usage,
        }
    )


async def _ask(judged: Judged, row: Row, judge: Judge) -> dict[str, Figure]:
    try:
        if isinstance(judge, RagasJudge) and set(judged.names) <= set(RAGAS):
            return {name: await judge.figure(name, row) for name in judged.names}
        return await judged.score(row, judge)
    except GroundgraphError as error:
        return {name: Figure(None, str(error)) for name in judged.names}


def unscored_rows(rows: Sequence[Row]) -> Mapping[str, dict[str, list[Row]]]:
    """Return for each metric the rows that it could not be had for, by reason."""
    found: dict[str, dict[str, list[Row]]] = {}
    for row in rows:
        for name, reason in row.unscored.items():
            found.setdefault(name, {}).setdefault(reason, []).append(row)
    return found
