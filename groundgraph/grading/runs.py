"""A short record of each question asked from the command line or a server, and what people thought of the answers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeVar

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, ValidationError

from groundgraph.errors import InputError
from groundgraph.settings import get_settings

KEPT = 1000
"""Runs that are kept at least; twice as many are cut back to them."""

Record = TypeVar("Record", bound=BaseModel)

Thumb = Literal["up", "down"]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Judged(_Record):
    """A passage that an answer was written from, as the evaluator scored it."""

    source: str
    heading: str
    text: str
    score: float | None


class RunRecord(_Record):
    """A question, the passages it was answered from, and how well they were thought to fit."""

    id: str
    time: str
    """ISO 8601, UTC."""
    pattern: str
    evaluator: str
    weights: str = ""
    """Digest of the embedded evaluator's weights; empty where another evaluator scored."""
    question: str
    refused: bool
    best: float | None
    """Best score of all candidates, those that were dropped included; None if nothing was graded."""
    cited: tuple[int, ...]
    """Numbers of the passages that the answer cites, counted from 1."""
    passages: tuple[Judged, ...]


class Feedback(_Record):
    """A pair that a person labelled, as `load_pairs` reads it, with the score that it judges."""

    question: str
    passage: str
    heading: str
    label: int
    score: float | None
    evaluator: str
    weights: str = ""
    run: str
    source: str


def remember(record: RunRecord) -> None:
    """Add a run to the records in GROUNDGRAPH_HOME."""
    path = _runs_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        with path.open("a", encoding="utf-8") as file:
            file.write(record.model_dump_json() + "\n")
        with path.open(encoding="utf-8") as file:
            lines = list(file)  # unlike str.splitlines, which parts lines at U+2028 inside a text, too
        if len(lines) > 2 * KEPT:
            temporary = path.with_suffix(".tmp")
            temporary.write_text("".join(lines[-KEPT:]), encoding="utf-8")
            temporary.replace(path)


def recent_runs(last: int | None = None) -> list[RunRecord]:
    """Return the runs on record, oldest first, or the `last` ones; a torn line is left out."""
    runs = list(_lines(_runs_path(), RunRecord))
    return runs[-last:] if last else runs


def give_feedback(run: str, thumb: Thumb, number: int | None = None) -> list[Feedback]:
    """Keep what a person thinks of a run's passages: of one, by its number, or of those that the answer cites.

    Args:
        run: Its id, or the beginning of it, or `last`.
        thumb: Whether the passage helps to answer the question.
        number: Of the passage, counted from 1.

    Raises:
        InputError: There is no such run or passage, or the answer cites none.
    """
    record = _find(run)
    numbers = (number,) if number is not None else record.cited
    if not numbers:
        if record.refused:
            raise InputError(f"run {record.id!r} was refused: it has no passages to judge; name an answered run")
        held = len(record.passages)
        raise InputError(f"run {record.id!r} cites no passage: name one of its {held} passages by its number")
    given = [_feedback(record, thumb, n) for n in numbers]
    path = feedback_path()
    with FileLock(f"{path}.lock"), path.open("a", encoding="utf-8") as file:
        file.writelines(pair.model_dump_json() + "\n" for pair in given)
    return given


def all_feedback() -> list[Feedback]:
    """Return every pair that people labelled; of several labels for one pair, the last."""
    pairs = {(pair.question, pair.passage): pair for pair in _lines(feedback_path(), Feedback)}
    return list(pairs.values())


def feedback_path() -> Path:
    """Return the file of labelled pairs, which `groundgraph evaluator train` reads."""
    return get_settings().home.expanduser() / "feedback.jsonl"


def _runs_path() -> Path:
    return get_settings().home.expanduser() / "runs.jsonl"


def _find(run: str) -> RunRecord:
    runs = recent_runs()
    found = runs[-1:] if run == "last" else [record for record in runs if record.id.startswith(run)]
    if len(found) != 1:
        many = "more than one run" if found else "no run"
        raise InputError(
            f"{many} {run!r} on record: `groundgraph ask` with --trace or --json shows a run's id, or say last; "
            "a server calls it run_id"
        )
    return found[0]


def _feedback(record: RunRecord, thumb: Thumb, number: int) -> Feedback:
    if not 1 <= number <= len(record.passages):
        raise InputError(f"passage {number!r}: run {record.id!r} has {len(record.passages)} passages")
    passage = record.passages[number - 1]
    return Feedback(
        question=record.question,
        passage=passage.text,
        heading=passage.heading,
        label=int(thumb == "up"),
        score=passage.score,
        evaluator=record.evaluator,
        weights=record.weights,
        run=record.id,
        source=passage.source,
    )


def _lines(path: Path, schema: type[Record]) -> Iterator[Record]:
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").split("\n"):
        try:
            yield schema.model_validate_json(line)
        except ValidationError:
            continue  # torn by a kill, or of another version
