"""What became of a question: how good the outcome is, and where it went wrong."""

from typing import Literal, get_args

from groundgraph.evaluation.metrics.answers import token_recall
from groundgraph.evaluation.metrics.retrieval import relevant_sources
from groundgraph.evaluation.records import Row

Outcome = Literal[
    "answered",
    "rightly refused",
    "not retrieved",
    "not read",
    "wrongly refused",
    "wrong",
    "not refused",
    "failed",
    "not judged",
]
"""Ends that a question can come to, the good ones first.

`not retrieved`: no relevant passage was found; `not read`: one was found, but the answer was written without it;
`wrong`: it was read, and the answer is not in what was said; `not refused`: answered, though the documents do not.
`not judged`: nothing is known to judge it by. An answer that there is no right one to hold against is `answered`.
"""
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

RIGHT = 0.5
"""Share of a gold answer's words above which an answer counts as right."""


def quality(row: Row) -> float | None:
    """Return how good the outcome is, in [0, 1]; None if nothing was said, or nothing is known to judge it by.

    Of a question that the documents answer: the share of the gold answer's words in the answer (`token_recall`), 0 for
    a refusal. Of one that they do not answer: 1 for a refusal, else 0.
    """
    if row.error is not None or not row.answer:  # failed, or only retrieved
        return None
    if row.answerable is False:
        return float(row.refused)
    return 0.0 if row.refused and row.answers else token_recall(row.answer, row.answers, row.language)


def outcome(row: Row) -> Outcome:
    """Return where the question ended."""
    if row.error is not None:
        return "failed"
    gold = relevant_sources(row.rel or {})
    is_missed = bool(gold) and gold.isdisjoint(row.retrieved)
    if (value := quality(row)) is None:
        return _without_gold_answer(row, has_source=bool(gold), is_missed=is_missed)
    if row.answerable is False:
        return "rightly refused" if row.refused else "not refused"
    if value > RIGHT:
        return "answered"
    if is_missed:
        return "not retrieved"
    if row.refused:
        return "wrongly refused"
    return "not read" if gold and gold.isdisjoint(passage.source for passage in row.passages) else "wrong"


def _without_gold_answer(row: Row, *, has_source: bool, is_missed: bool) -> Outcome:
    if is_missed:
        return "not retrieved"
    if row.answer and (row.answerable or has_source):
        return "wrongly refused" if row.refused else "answered"
    return "not judged"
