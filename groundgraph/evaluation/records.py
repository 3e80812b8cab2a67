"""What an evaluation keeps: `run.json`, `rows.jsonl` and `scores.json` in one folder that a person can diff."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from groundgraph.evaluation.files import (
    append_line,
    cut_torn_line,
    line_of,
    read_json,
    read_lines,
    replace_file,
    write_json,
)
from groundgraph.evaluation.metrics.evaluator import EvaluatorScores
from groundgraph.knowledge.passage import Origin, Tier
from state.reducers import Usage
from state.schemas import Citation, Step

RUN, ROWS, SCORES = "run.json", "rows.jsonl", "scores.json"


class Record(BaseModel):
    """A part of a run's record; JSON values only, and no key that is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class QuestionsRecord(Record):
    """Which questions were asked."""

    file: str
    """Name of the file, without its folder."""
    sha256: str
    """Of the file's bytes, hexadecimal."""
    count: int
    """Questions asked of each pattern."""
    split: str | None = None
    source: str | None = None
    limit: int | None = None
    seed: int = 0


class CollectionRecord(Record):
    """What a collection held when the run began."""

    name: str
    generation: int
    documents: int
    chunks: int
    chunker: str
    embedding_model: str
    sha256: str | None = None
    """Of the documents, hexadecimal; see `Collection.digest`. None if a version before this field kept the record."""


class Cost(Record):
    """What rows cost together; what a judge took is kept apart."""

    rows: int = 0
    errors: int = 0
    """Rows whose question failed."""
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    searches: int = 0
    seconds: float = 0.0
    """Sum over the rows."""
    seconds_p50: float | None = None
    seconds_p95: float | None = None
    """Percentiles over the rows that did not fail; None if all did."""
    judge_calls: int = 0
    judge_prompt_tokens: int = 0
    judge_completion_tokens: int = 0
    estimated_calls: int = 0
    """Of all model calls, the judge's too, those whose tokens are estimated, since the endpoint reports none."""


class ExperimentRecord(Record):
    """What an experiment was made with."""

    groundgraph: str
    """Version."""
    packages: dict[str, str]
    """Versions of what bears on the result."""
    date: str
    """When it began, ISO 8601, UTC."""
    machine: dict[str, str | int]
    context: dict[str, Any]
    """The whole Context as JSON, with the values of its preset."""
    profile: str | None = None
    """Name of the profile's file."""
    models: dict[str, str | None]
    """`chat`, `embedding`, `evaluator` and `judge`, None where the run does without; `ragas` if the package scores."""
    weights: dict[str, str] | None = None
    """Digests of the trained weights in use: of the `evaluator`, and of the `cascade` where it may grade; None if a
    version before this field kept the record."""
    questions: QuestionsRecord
    collections: list[CollectionRecord]
    endpoint: str | None = None
    """Host and port that models named `openai:…` are asked at; None where the run has none."""
    warnings: list[str] = []
    """What the file of questions was warned of."""
    cost: Cost = Cost()


class RunRecord(ExperimentRecord):
    """What a run was made with; two runs whose records agree but for date, machine and cost ask the same thing."""

    patterns: list[str]
    metrics: list[str]
    """Names of the metrics that were asked for."""
    min_scored: float
    """Share of its rows that must be scored for a metric to be valid."""


class PassageRecord(Record):
    """A passage that the answer was written from."""

    source: str
    locator: str
    heading: str = ""
    score: float | None = None
    tier: Tier | None = None
    origin: Origin = "local"
    text: str

    @property
    def context(self) -> str:
        """Return the text with its heading above it, as it was read."""
        return f"{self.heading}\n{self.text}" if self.heading else self.text


class Row(Record):
    """One question put to one pattern: what was known, what came back, and how it was scored.

    A metric that does not apply to the row (no gold answer, nothing said) is not in `metrics`; one that applies but
    could not be had is there as None, with the reason in `unscored`.
    """

    id: str
    source: str = ""
    language: str
    pattern: str
    question: str
    answers: list[str] = []
    """Gold answers."""
    answerable: bool | None = None
    """None where the question file does not say."""
    rel: dict[str, float | None] | None = None
    """Passage source to grade: 2 answers or supports, 1 on topic, 0 not relevant, None unknown."""

    answer: str = ""
    refused: bool = False
    refusal_reason: str = ""
    citations: list[Citation] = []
    passages: list[PassageRecord] = []
    retrieved: list[str] = []
    """Source of each passage as retrieved (and fused and reranked), before grading, best first: one a passage, so that
    the `scores` of the step `grade` stand in the same order."""
    steps: list[Step] = []
    warnings: list[str] = []
    usage: Usage = {}
    seconds: float = 0.0
    error: str | None = None
    """Why the question failed, in one line."""

    metrics: dict[str, float | None] = {}
    unscored: dict[str, str] = {}
    judge_usage: Usage = {}

    @property
    def key(self) -> tuple[str, str]:
        """Return what tells the row from all others of its run."""
        return self.pattern, self.id


class Aggregate(Record):
    """A metric over rows."""

    mean: float | None
    """None if no row was scored."""
    low: float | None = None
    high: float | None = None
    """Bounds of the 95 % interval of the mean."""
    scored: int
    rows: int
    """Rows the metric applies to."""
    valid: bool
    """Whether enough of them were scored."""


class PatternScores(Record):
    """The scores of one pattern."""

    metrics: dict[str, Aggregate]
    sources: dict[str, dict[str, Aggregate]] = {}
    """The same by the questions' source."""
    evaluators: dict[str, EvaluatorScores] = {}
    """What the scores of each evaluator are worth."""
    cost: Cost


class Scores(Record):
    """The scores of a run, by pattern."""

    patterns: dict[str, PatternScores]

    @property
    def is_empty(self) -> bool:
        """Return whether no metric applies to any row."""
        return not any(scores.metrics for scores in self.patterns.values())

    @property
    def valid(self) -> bool:
        """Return whether there are metrics and enough rows were scored for every one."""
        found = [aggregate for scores in self.patterns.values() for aggregate in scores.metrics.values()]
        return bool(found) and all(aggregate.valid for aggregate in found)


_RUN = "record of a run", "give the folder of a run of groundgraph eval"


def write_run(folder: Path, record: RunRecord) -> None:
    """Write `run.json`."""
    write_json(folder / RUN, record)


def read_run(folder: Path) -> RunRecord:
    """Return what `run.json` holds.

    Raises:
        InputError: The folder holds no run, or one that cannot be read.
    """
    return read_json(folder / RUN, RunRecord, *_RUN)


def write_scores(folder: Path, scores: Scores) -> None:
    """Write `scores.json`."""
    write_json(folder / SCORES, scores)


def read_scores(folder: Path) -> Scores:
    """Return what `scores.json` holds.

    Raises:
        InputError: The folder holds no finished run, or one that cannot be read.
    """
    return read_json(folder / SCORES, Scores, *_RUN)


def append_row(folder: Path, row: Row) -> None:
    """Append a row to `rows.jsonl`, in one write."""
    append_line(folder / ROWS, row)


def write_rows(folder: Path, rows: Sequence[Row]) -> None:
    """Write `rows.jsonl` anew, whole or not at all."""
    replace_file(folder / ROWS, "".join(map(line_of, rows)))


def drop_torn_line(folder: Path) -> None:
    """Cut off a last row that an interrupt left unfinished, so that the next row begins a line."""
    cut_torn_line(folder / ROWS)


def read_rows(folder: Path) -> list[Row]:
    """Return the finished rows, in the order they were first written; a row written again replaces the earlier one.

    An unfinished last line is left out.

    Raises:
        InputError: Another line cannot be read; the message names it.
    """
    return list({row.key: row for row in read_lines(folder / ROWS, Row, "row of a run")}.values())
