"""Questions to evaluate on: JSON Lines or CSV, of which only `question` is required."""

import csv
import hashlib
import io
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain, zip_longest
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from groundgraph.errors import InputError, shown
from groundgraph.evaluation.records import QuestionsRecord
from groundgraph.grading.dataset import RELEVANT
from groundgraph.knowledge.decode import decode_rows
from groundgraph.knowledge.document import JSON
from nodes.language import language_of
from state.context import Context

Grade = Annotated[float, Field(allow_inf_nan=False)]


LINE = "__line__"
"""Where no column is read from: a row's line is known by itself."""


class Turn(BaseModel):
    """What was said before the question."""

    role: Literal["user", "assistant"]
    content: str


def _answers(value: Any) -> Any:
    """Read one answer as a list of it; blank ones are none."""
    given = [] if value is None else [value] if isinstance(value, str | int | float) else value
    return [one for one in given if one != "" and not str(one).isspace()] if isinstance(given, list) else given


def _grades(value: Any) -> Any:
    """Read a list of sources as sources that answer."""
    if isinstance(value, str):
        value = [value]
    return dict.fromkeys(value, RELEVANT) if isinstance(value, list) else value


def _turns(value: Any) -> Any:
    """Read a list of texts as what user and assistant said in turn."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(value)]
    return [] if value is None else value


class Question(BaseModel):
    """A question with what is known of its answer; a grade of 2 says that a source answers it."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    id: str = Field(validation_alias=AliasChoices("qid", "id"))
    question: str = Field(pattern=r"\w")
    answers: Annotated[list[str], BeforeValidator(_answers)] = Field(
        [], validation_alias=AliasChoices("answers", "answer")
    )
    answerable: bool | None = Field(None, validate_default=True)
    """What has a right answer is answerable unless the file says otherwise; None where nothing is known."""
    rel: Annotated[dict[str, Grade | None] | None, BeforeValidator(_grades)] = None
    history: Annotated[list[Turn], BeforeValidator(_turns)] = []
    source: str = Field("", validation_alias=AliasChoices("src", "source"))
    language: str = Field("", validation_alias=AliasChoices("lang", "language"))
    split: str = ""
    line: int = Field(0, validation_alias=LINE)
    """Of its file; 0 if it is from none."""

    @field_validator("answerable")
    @classmethod
    def _with_a_right_answer(cls, value: bool | None, info: ValidationInfo) -> bool | None:
        return True if value is None and info.data.get("answers") else value


COLUMNS = (
    *("qid", "id", "question", "answers", "answer", "answerable", "rel"),
    *("history", "src", "source", "lang", "language", "split"),
)
"""Columns that are read; others may be there."""
SHORTEST = 4
"""Characters from which a name may be taken for a misspelt one."""


@dataclass(frozen=True)
class Questions:
    """The questions to ask, and the record of where they come from."""

    items: tuple[Question, ...]
    record: QuestionsRecord
    warnings: tuple[str, ...] = ()


def load_questions(
    path: Path, *, split: str | None = None, source: str | None = None, limit: int | None = None, seed: int = 0
) -> Questions:
    """Read a file of questions: CSV if its name ends in .csv, else JSON Lines.

    Where no grade of the file exceeds 1, a 1 is taken for what others write as 2: the passage answers.

    Args:
        path: The file.
        split: Take only questions of this `split`, or of several divided by commas.
        source: Take only questions of this `src`, or of several divided by commas.
        limit: Take at most so many, the same number of each source and language as far as they go.
        seed: Which ones.

    Raises:
        InputError: The file cannot be read, a row cannot be used (the message names its line), or no question is left.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"questions {str(path)!r}: {error.strerror}; give a JSON Lines or CSV file") from None
    text = decode_rows(data)
    if text is None:
        raise InputError(f"questions {str(path)!r}: not text; give a JSON Lines or CSV file")
    rows = list(_csv(text, path) if path.suffix.lower() == ".csv" else _jsonl(text, path))
    found = list(_questions(path, iter(rows)))
    if not found:
        raise InputError(f"questions {str(path)!r}: there are none; give one a line, with a column or key 'question'")
    chosen = {
        "split": _named("split", split, {q.split for q in found}, path),
        "source": _named("source", source, {q.source for q in found}, path),
    }
    kept = [q for q in _on_one_scale(found) if q.split in chosen["split"] and q.source in chosen["source"]]
    if not kept:
        raise InputError(f"questions {str(path)!r}: none has both split={split!r} and source={source!r}")
    kept = kept if limit is None else _sample(kept, limit, seed)
    digest = hashlib.sha256(data).hexdigest()
    record = QuestionsRecord(
        file=path.name, sha256=digest, count=len(kept), split=split, source=source, limit=limit, seed=seed
    )
    return Questions(tuple(kept), record, tuple(_misspelt(path, rows)))


def _named(field: str, given: str | None, there: set[str], path: Path) -> set[str]:
    """Return the names given, divided by commas; all that are there if none is given."""
    names = there if given is None else {name.strip() for name in given.split(",") if name.strip()}
    if not names or not names <= there:
        known = f"there are only {sorted(there)}" if there - {""} else "no question has one"
        raise InputError(f"questions {str(path)!r}: {field}={given!r}: {known}")
    return names


def _misspelt(path: Path, rows: Sequence[tuple[int, Any]]) -> Iterator[str]:
    """Yield one line on the columns that are not read but look like ones that are."""
    unknown = dict.fromkeys(str(key) for _, row in rows for key in row if key not in COLUMNS)
    near = {name: get_close_matches(name.lower(), COLUMNS, 1, 0.7) for name in unknown if len(name) >= SHORTEST}
    if meant := [f"{shown(name)} (is it {found[0]}?)" for name, found in near.items() if found]:
        yield f"questions {path.name!r}: columns that are not read: {', '.join(meant)}"


def _questions(path: Path, rows: Iterator[tuple[int, Any]]) -> Iterator[Question]:
    lines: dict[str, int] = {}
    for line, row in rows:
        if not isinstance(row, Mapping):
            raise InputError(f"questions {str(path)!r} line {line}: {shown(row)} is no JSON object")
        is_named = any(row.get(key) not in (None, "") for key in ("qid", "id"))
        named = row if is_named else {**row, "id": str(line)}
        try:
            question = Question.model_validate(named)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise InputError(
                f"questions {str(path)!r} line {line}: {place}={shown(first['input'])}: {first['msg']}"
            ) from None
        if question.id in lines:
            raise InputError(
                f"questions {str(path)!r}: lines {lines[question.id]} and {line} have the same id {question.id!r}"
            )
        lines[question.id] = line
        language = question.language or language_of(question.question, Context())
        yield question.model_copy(update={"language": language, "line": line})


def _jsonl(text: str, path: Path) -> Iterator[tuple[int, JSON]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(f"questions {str(path)!r} line {number}: not JSON ({error})") from None


def _csv(text: str, path: Path) -> Iterator[tuple[int, dict[str, JSON]]]:
    """Yield the rows of a table with a header, without empty cells; a JSON list or object is read as one."""
    try:
        delimiter = csv.Sniffer().sniff(text.partition("\n")[0], ",;\t").delimiter
    except csv.Error:  # one column
        delimiter = ","
    reader = csv.DictReader(io.StringIO(text), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if None in row:
                raise InputError(f"questions {str(path)!r} line {reader.line_num}: more cells than the header has")
            yield reader.line_num, {key: _cell(value) for key, value in row.items() if value and value.strip()}
    except csv.Error as error:
        raise InputError(f"questions {str(path)!r} line {reader.line_num}: not a CSV row ({error})") from None


def _cell(value: str) -> JSON:
    if value.lstrip()[:1] in {"[", "{"}:
        try:
            cell: JSON = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return cell
    return value


def _on_one_scale(questions: Sequence[Question]) -> Sequence[Question]:
    grades = [grade for q in questions for grade in (q.rel or {}).values() if grade is not None]
    if not grades or max(grades) != 1:
        return questions
    return [
        q.model_copy(update={"rel": {name: RELEVANT if grade == 1 else grade for name, grade in q.rel.items()}})
        if q.rel
        else q
        for q in questions
    ]


def _sample(questions: Sequence[Question], limit: int, seed: int) -> list[Question]:
    """Return at most `limit` questions in the order of the file, drawn in turn from each source and language."""
    strata: dict[tuple[str, str], list[Question]] = {}
    for question in questions:
        strata.setdefault((question.source, question.language), []).append(question)
    draw = random.Random(seed)
    shuffled = [draw.sample(stratum, len(stratum)) for _, stratum in sorted(strata.items())]
    in_turn = (question for question in chain.from_iterable(zip_longest(*shuffled)) if question is not None)
    chosen = {question.id for question, _ in zip(in_turn, range(limit), strict=False)}
    return [question for question in questions if question.id in chosen]
