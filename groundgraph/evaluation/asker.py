"""Ask questions under one set of settings after another, within an allowance of model calls, and nothing twice."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from groundgraph.evaluation.answering import GRADING, RETRIEVAL, answer
from groundgraph.evaluation.meter import Allowance, Meter
from groundgraph.evaluation.questions import Question
from groundgraph.evaluation.records import Row, append_row, drop_torn_line, read_rows
from state.context import CHAT_EVALUATORS, Context

Done = Callable[[str, int, int], None]
"""Told what is being done, how much is done, and of how much."""


class Asker:
    """Asks, and keeps what took a model call in `rows.jsonl` of a folder, under the pattern and its settings."""

    def __init__(self, folder: Path, concurrency: int, done: Done) -> None:
        self._folder, self._concurrency, self._done = folder, concurrency, done
        drop_torn_line(folder)
        self._rows = {row.key: row for row in read_rows(folder) if row.error is None}
        self._before = {*self._rows}
        self._stopped: set[tuple[str, str]] = set()
        self.calls = 0
        """Model calls spent, failed ones and those of an interrupted run before among them."""
        self.failure = ""
        """Why the last question that failed did."""

    @property
    def rows(self) -> list[Row]:
        """Return what was asked so far, by this run and by an interrupted one before."""
        return [*self._rows.values()]

    async def ask(
        self, pattern: str, candidates: Sequence[Context], questions: Sequence[Question], allowance: int
    ) -> list[list[Row]]:
        """Return the rows of each candidate, the same questions for all: as many as the allowance pays for.

        Where no model is called that is all of them. Else questions are asked in order, each of all candidates, until
        one more that takes as many calls as the dearest so far would exceed `allowance` calls. Calls that fail count;
        at the limit no more are made, and the question that needs them is left out.
        """
        failing = {"on_model_failure": "error"}  # a fallback's answer must not pass for the model's
        labelled = [(_label(pattern, one), one.model_copy(update=failing)) for one in candidates]
        if not calls_model(pattern, candidates):
            asked = [(*one, question) for one in labelled for question in questions]
            rows = await self._all(pattern, asked, Allowance(0))
            return [rows[n * len(questions) : (n + 1) * len(questions)] for n in range(len(candidates))]
        found: list[list[Row]] = []
        spent, dearest = 0, len(candidates)
        for question in questions:
            if spent + dearest > allowance:
                break
            left = Allowance(allowance - spent)
            rows = await self._all(pattern, [(*one, question) for one in labelled], left)
            calls = allowance - spent - left.left
            spent, dearest = spent + calls, max(dearest, calls)
            if any(row.key in self._stopped for row in rows):
                break
            found.append(rows)
            self._done(f"asking {pattern}", len(found), len(questions))
        self.calls += spent
        return [list(rows) for rows in zip(*found, strict=True)] or [[] for _ in candidates]

    async def _all(
        self, pattern: str, asked: Sequence[tuple[str, Context, Question]], allowance: Allowance
    ) -> list[Row]:
        turns = asyncio.Semaphore(self._concurrency)
        ready = 0

        async def one(label: str, context: Context, question: Question) -> Row:
            nonlocal ready
            async with turns:
                row = await self._one(pattern, label, context, question, allowance)
            ready += 1
            if not row.usage.get("model_calls"):
                self._done(f"trying {pattern}", ready, len(asked))
            return row

        return list(await asyncio.gather(*(one(*each) for each in asked)))

    async def _one(self, pattern: str, label: str, context: Context, question: Question, allowance: Allowance) -> Row:
        key = (label, question.id)
        if key in self._rows:
            row = self._rows[key]
            if key in self._before:  # paid by the run before
                self._before.discard(key)
                allowance.left = max(0, allowance.left - row.usage.get("model_calls", 0))
            return row
        meter = Meter(allowance)
        row = (await answer(pattern, question, context, meter)).model_copy(update={"pattern": label})
        self.failure = row.error or self.failure
        if meter.is_stopped:
            self._stopped.add(row.key)
            return row
        self._rows[key] = row
        if row.usage.get("model_calls"):
            self._folder.mkdir(parents=True, exist_ok=True)
            append_row(self._folder, row)
        return row


def calls_model(pattern: str, candidates: Sequence[Context]) -> bool:
    """Tell whether a chat model is called for a question."""
    if pattern == RETRIEVAL:
        return False
    if pattern == GRADING:
        return any(context.evaluator in CHAT_EVALUATORS for context in candidates)
    return any(context.answerer == "model" or context.evaluator in CHAT_EVALUATORS for context in candidates)


def _label(pattern: str, context: Context) -> str:
    given = context.model_dump(mode="json", exclude_unset=True)
    return f"{pattern} {json.dumps(given, ensure_ascii=False, sort_keys=True)}"
