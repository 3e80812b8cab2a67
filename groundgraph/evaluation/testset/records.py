"""What a test set keeps: its questions, what was discarded, and a card that says how it was made."""

from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from groundgraph.evaluation.files import append_line, cut_torn_line, read_json, read_lines, write_json
from groundgraph.evaluation.records import CollectionRecord, Record
from state.reducers import Usage

Kind = Literal["single", "multi", "unanswerable"]
"""Answered by one passage; by two passages together; on the subject of a passage, and answered by none."""

Reason = Literal[
    "no question in the reply",
    "in another language than its passage",
    "does not stand alone",
    "copied from its passage",
    "holds its own answer",
    "answer is too long",
    "answer is not in its passage",
    "one passage is enough",
    "search does not find its passage",
    "evaluator rejects its passage",
    "extractive answer differs",
    "its passage leaves nothing of it out",
    "a passage answers it",
    "like an earlier question",
]
"""Why a question was discarded."""


class SourcePassage(Record):
    """A passage that a question was made from."""

    source: str
    locator: str
    start: int
    end: int
    """Characters of the document."""
    text: str


class Item(Record):
    """A question as `groundgraph eval` reads it, with the passages it was made from."""

    id: str
    src: Kind
    lang: Literal["en", "zh"]
    question: str
    answers: list[str]
    answerable: bool
    rel: dict[str, float] | None = None
    """Sources that answer, graded 2; None if none does."""
    passages: list[SourcePassage]


class Discarded(Record):
    """A question that was made and not kept."""

    id: str
    src: Kind
    question: str
    answer: str
    reason: Reason
    sources: list[str]


class Count(Record):
    """What became of the questions of one kind."""

    wanted: int
    made: int
    kept: int
    discarded: dict[Reason, int]


class Card(Record):
    """How a test set was made; one with another model, setting, seed or content of the collection is another."""

    groundgraph: str
    """Version."""
    packages: dict[str, str]
    date: str
    """When it was begun, ISO 8601, UTC."""
    model: str
    """Chat model that makes the questions."""
    embedding: str
    evaluator: str
    weights: dict[str, str] | None = None
    """Digests of the trained weights that checked; None if a version before this field kept the card."""
    context: dict[str, Any]
    """Settings of the search and of the checks."""
    collection: CollectionRecord
    language: Literal["en", "zh"] | None
    """Which documents were used; None for all."""
    seed: int
    counts: dict[Kind, Count] = Field(default_factory=dict)
    usage: Usage = Field(default_factory=Usage)
    """What making and checking cost."""

    @property
    def complete(self) -> bool:
        """Return whether there are as many questions as were wanted, of whatever kind."""
        return sum(count.kept for count in self.counts.values()) >= sum(count.wanted for count in self.counts.values())


def discarded_file(file: Path) -> Path:
    """Return where the discarded questions of a test set are kept."""
    return file.with_suffix(".discarded.jsonl")


def card_file(file: Path) -> Path:
    """Return where the card of a test set is kept."""
    return file.with_suffix(".card.json")


def keep(file: Path, outcome: Item | Discarded) -> None:
    """Append a question to the test set, or to what was discarded."""
    append_line(file if isinstance(outcome, Item) else discarded_file(file), outcome)


def outcomes(file: Path) -> list[Item | Discarded]:
    """Return what is kept of a test set, after lines that an interrupt tore were cut off.

    Raises:
        InputError: A line cannot be read; the message names it.
    """
    for path in (file, discarded_file(file)):
        cut_torn_line(path)
    kept = read_lines(file, Item, "question of a test set")
    return [*kept, *read_lines(discarded_file(file), Discarded, "discarded question")]


def write_card(file: Path, card: Card) -> None:
    """Write the card of a test set."""
    write_json(card_file(file), card)


def read_card(file: Path) -> Card:
    """Return the card of a test set.

    Raises:
        InputError: There is none, or it cannot be read.
    """
    return read_json(card_file(file), Card, "card of a test set", "it is written beside every test set")
