"""Graded questions and passages to learn from: `corpus.jsonl` and `queries.jsonl` in one folder, or gzipped."""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from groundgraph.errors import InputError
from groundgraph.knowledge.passage import Passage

Split = Literal["train", "val", "test", "unseen"]
"""What a question is for: to learn from, to choose by, to measure on, or to measure on where nothing was learned."""
RELEVANT = 2


class Corpus(NamedTuple):
    """The passages that the questions of one source and language are searched in."""

    source: str
    language: str
    part: int = 0
    """Number of the folder or file it comes from: what nobody graded in the same folder is taken as not relevant."""


@dataclass(frozen=True)
class Question:
    """A question with the grades of passages of its own source."""

    id: str
    corpus: Corpus
    split: Split
    text: str
    answers: tuple[str, ...]
    answerable: bool
    grades: Mapping[str, int | None]
    """Passage id to 2 (answers or supports), 1 (on topic), 0 (not relevant), None (unknown)."""
    parallel_id: str | None = None
    """Shared with the same question in another language."""
    group: str = ""
    """Shared with questions that must not be divided between learning and measuring."""

    @property
    def source(self) -> str:
        """Return the data set the question comes from."""
        return self.corpus.source

    @property
    def relevant(self) -> frozenset[str]:
        """Return the ids of the passages graded as answering or supporting an answer."""
        return frozenset(name for name, grade in self.grades.items() if grade == RELEVANT)


@dataclass(frozen=True)
class Dataset:
    """Questions and passages of several sources."""

    files: tuple[Path, ...]
    """What it was read from."""
    passages: Mapping[str, Passage]
    corpora: Mapping[Corpus, tuple[str, ...]]
    """Passage ids of each source and language."""
    questions: tuple[Question, ...]

    @cached_property
    def measured(self) -> frozenset[Corpus]:
        """Return the corpora with questions to choose by or to measure on; the others are only learned from."""
        return frozenset(question.corpus for question in self.questions if question.split != "train")

    @cached_property
    def digest(self) -> str:
        """Return the SHA-256 of the files, hexadecimal."""
        return hashlib.sha256(b"".join(file.read_bytes() for file in self.files)).hexdigest()


def load_dataset(folder: Path) -> Dataset:
    """Read a folder with `corpus.jsonl` and `queries.jsonl`, or the same with `.gz` after their names.

    Raises:
        InputError: A file is missing or a line of it cannot be used.
    """
    files = tuple(_found(folder / name) for name in ("corpus.jsonl", "queries.jsonl"))
    passages: dict[str, Passage] = {}
    corpora: dict[Corpus, list[str]] = {}
    for row in _rows(files[0], ("pid", "src", "lang", "title", "text")):
        passages[row["pid"]] = Passage(page_content=row["text"], heading=row["title"] or "", source=row["pid"])
        corpora.setdefault(Corpus(row["src"], row["lang"]), []).append(row["pid"])
    fields = ("qid", "src", "lang", "split", "question", "answers", "answerable", "rel")
    questions = tuple(
        Question(
            id=row["qid"],
            corpus=Corpus(row["src"], row["lang"]),
            split=row["split"],
            text=row["question"],
            answers=tuple(row["answers"]),
            answerable=row["answerable"],
            grades=row["rel"],
            parallel_id=row.get("parallel_id"),
            group=row.get("parallel_id") or row["qid"],
        )
        for row in _rows(files[1], fields)
    )
    return Dataset(files, passages, {corpus: tuple(ids) for corpus, ids in corpora.items()}, questions)


def _found(path: Path) -> Path:
    packed = path.with_name(f"{path.name}.gz")
    return packed if packed.exists() and not path.exists() else path


def _rows(path: Path, fields: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    try:
        content = path.read_bytes()
        lines = (gzip.decompress(content) if path.suffix == ".gz" else content).decode().rstrip("\n").split("\n")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        said = getattr(error, "strerror", None) or "it is broken, or not UTF-8"
        raise InputError(
            f"training data {str(path)!r}: {said}; give a folder with corpus.jsonl and queries.jsonl"
        ) from None
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line)
            missing = [field for field in fields if field not in row]
        except (json.JSONDecodeError, TypeError):
            raise InputError(f"training data {str(path)!r} line {number}: not a JSON object") from None
        if missing:
            raise InputError(f"training data {str(path)!r} line {number}: fields {missing} are missing")
        yield row
