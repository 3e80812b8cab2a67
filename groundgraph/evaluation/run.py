"""Run an evaluation: ask what was not asked yet, score, and keep each row as it is done."""

import asyncio
import glob
import random
from collections.abc import Callable, Collection, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any

from groundgraph.errors import InputError, shown
from groundgraph.evaluation.aggregate import cost_of, scores_of
from groundgraph.evaluation.answering import answer
from groundgraph.evaluation.grounding import Judge
from groundgraph.evaluation.questions import Question
from groundgraph.evaluation.records import (
    ROWS,
    RUN,
    Record,
    Row,
    RunRecord,
    Scores,
    append_row,
    drop_torn_line,
    read_rows,
    read_run,
    write_rows,
    write_run,
    write_scores,
)
from groundgraph.evaluation.scoring import score
from state.context import Context

INCIDENTAL = {"date", "machine", "profile", "warnings", "cost"}
"""Parts of a record that may differ between two halves of one run."""

Done = Callable[[Sequence[Row], int, int], None]
"""Told about rows that are done, how many are in all, and of how many: first those from before, then one by one."""


@dataclass(frozen=True)
class Evaluation:
    """What is asked, of which patterns, and how it is judged."""

    record: RunRecord
    questions: Sequence[Question]
    context: Context
    new_judge: Callable[[], Judge]
    """Makes the judge of one row."""
    concurrency: int = 1
    """Questions in work at once."""


async def evaluate(plan: Evaluation, folder: Path, done: Done = lambda rows, number, total: None) -> Scores:
    """Return the scores of a run, which is kept in `folder`; one that was begun there goes on.

    Nothing that was answered is asked again. A question that failed is, and a row that could not be scored in full is
    scored again.

    Args:
        plan: What to ask.
        folder: Where the run is kept.
        done: Told how far it is.

    Raises:
        InputError: Another run is in the folder; the message names what differs.
    """
    begin(folder, plan.record)
    rows = {row.key: row for row in read_rows(folder)}
    order = [(pattern, question) for question in plan.questions for pattern in plan.record.patterns]
    finished = [row for row in rows.values() if not (row.error or row.unscored)]
    kept = {row.key for row in finished}
    done(finished, len(finished), len(order))
    drawn = [(pattern, question) for question in plan.questions for pattern in _drawn(plan.record, question)]
    left = iter([(pattern, question) for pattern, question in drawn if (pattern, question.id) not in kept])

    async def work() -> None:
        for pattern, question in left:
            row = await _row(plan, pattern, question, rows.get((pattern, question.id)))
            append_row(folder, row)
            rows[row.key] = row
            kept.add(row.key)
            done([row], len(kept), len(order))

    await _together([work() for _ in range(plan.concurrency)])
    return finish(folder, [rows[pattern, question.id] for pattern, question in order])


def begin(folder: Path, record: RunRecord) -> None:
    """Make the folder of a run, or make sure that the run which was begun there is this one.

    Raises:
        InputError: It is another run, of which the message names what differs, or holds rows of no run.
    """
    if not (folder / RUN).exists():
        if (folder / ROWS).exists():
            raise InputError(f"{str(folder)!r} holds {ROWS} of something else, and no {RUN}: give another --out")
        folder.mkdir(parents=True, exist_ok=True)
        write_run(folder, record)
    elif found := differences(read_run(folder), record):
        raise InputError(f"{str(folder)!r} holds another run ({'; '.join(found)}): give another --out")
    drop_torn_line(folder)


def finish(folder: Path, rows: Sequence[Row]) -> Scores:
    """Write the rows of a run in their order, its scores and its cost, and return the scores."""
    record = read_run(folder)
    scores = scores_of(rows, record.min_scored, record.questions.seed)
    write_rows(folder, rows)
    write_scores(folder, scores)
    write_run(folder, record.model_copy(update={"cost": cost_of(rows)}))
    return scores


def differences(old: Record, new: Record, incidental: Collection[str] = INCIDENTAL) -> list[str]:
    """Return what bears on the results and differs, such as `context.top_k: 5, now 8`."""
    before, after = (dict(_flat(record.model_dump(mode="json", exclude=set(incidental)))) for record in (old, new))
    return [
        f"{key}: {shown(before.get(key))}, now {shown(after.get(key))}"
        for key in dict.fromkeys([*before, *after])
        if before.get(key) != after.get(key)
    ]


def folder_for(record: RunRecord, runs: Path = Path("runs")) -> Path:
    """Return the newest folder in `runs` that holds this very run, else a new one named by date and question file."""
    name = Path(record.questions.file).stem
    for folder in sorted(runs.glob(f"*-{glob.escape(name)}*"), reverse=True):
        if _holds(folder, record):
            return folder
    first = runs / f"{record.date[:10]}-{name}"
    others = (first.with_name(f"{first.name}-{number}") for number in count(2))
    return next(folder for folder in chain([first], others) if not folder.exists())


def _holds(folder: Path, record: RunRecord) -> bool:
    try:
        return not differences(read_run(folder), record)
    except InputError:  # not a run, or one of another version
        return False


def _drawn(record: RunRecord, question: Question) -> list[str]:
    """Return the patterns in the order they are asked, which is drawn: the first pays for what the others find warm."""
    return random.Random(f"{record.questions.seed} {question.id}").sample(record.patterns, len(record.patterns))


async def _row(plan: Evaluation, pattern: str, question: Question, found: Row | None) -> Row:
    if found is None or found.error:
        found = await answer(pattern, question, plan.context)
    return await score(found, plan.record.metrics, plan.new_judge(), plan.context.top_k)


async def _together(work: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Run all of it, and stop all of it when one part fails."""
    tasks = [asyncio.create_task(one) for one in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        value = dict(enumerate(value))
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _flat(item, f"{path}.{key}" if path else str(key))
    else:
        yield path, value
