"""Which questions settings are chosen on, and which ones the choice is measured on."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from groundgraph.errors import InputError
from groundgraph.evaluation.questions import Question, load_questions
from groundgraph.evaluation.records import QuestionsRecord


class Parts(NamedTuple):
    """Two parts without a question in common, each in an order that is drawn."""

    tuning: list[Question]
    held_out: list[Question]
    record: QuestionsRecord
    """Where both come from."""


def part(path: Path, *, split: str | None, held_out: str | None, limit: int | None, seed: int) -> Parts:
    """Return the questions of `split` and those of `held_out`; without the latter, two halves of the former.

    Halves hold as many questions of each source and language, answerable or not, as can be.

    Args:
        path: JSON Lines or CSV file.
        split: Questions to choose on; by default all.
        held_out: Questions to measure on.
        limit: Take at most so many of each part.
        seed: Draws halves and orders; the same seed gives the same.

    Raises:
        InputError: The file cannot be used, or the two splits are the same.
    """
    if held_out is not None and split in {None, held_out}:
        raise InputError(f"held_out={held_out!r}, split={split!r}: name two different splits, or no held-out one")
    if held_out is not None:
        found = [load_questions(path, split=name, limit=limit, seed=seed) for name in (split, held_out)]
        first, second = ([*questions.items] for questions in found)
        record = found[0].record
    else:
        questions = load_questions(path, split=split, limit=None if limit is None else 2 * limit, seed=seed)
        first, second = _halves(questions.items, seed)
        record = questions.record
    record = record.model_copy(update={"count": len(first) + len(second), "limit": limit})
    return Parts(_shuffled(first, seed), _shuffled(second, seed), record)


def _halves(questions: Sequence[Question], seed: int) -> tuple[list[Question], list[Question]]:
    strata = sorted(questions, key=lambda one: (one.source, one.language, str(one.answerable), _drawn(one, seed)))
    return strata[::2], strata[1::2]


def _shuffled(questions: Sequence[Question], seed: int) -> list[Question]:
    return sorted(questions, key=lambda one: _drawn(one, seed))


def _drawn(question: Question, seed: int) -> str:
    return hashlib.sha256(f"{seed} {question.id}".encode()).hexdigest()
