"""Graded questions and passages to learn from: `corpus.jsonl` and `queries.jsonl` in one folder."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from groundgraph.errors import InputError
from groundgraph.knowledge.passage import Passage

Split = Literal["train", "val", "test"]
Corpus = tuple[str, str]
"""Source and language: `("xquad", "zh")`."""

RELEVANT = 2


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
        return self.corpus[0]

    @property
    def relevant(self) -> frozenset[str]:
        """Return the ids of the passages graded as answering or supporting an answer."""
        return frozenset(name for name, grade in self.grades.items() if grade == RELEVANT)


@dataclass(frozen=True)
class Dataset:
    """Questions and passages of several sources."""

    folder: Path
    """Folder of the two files, or the one file of pairs."""
    passages: Mapping[str, Passage]
    corpora: Mapping[Corpus, tuple[str, ...]]
    """Passage ids of each source and language."""
    questions: tuple[Question, ...]

    @cached_property
    def digest(self) -> str:
        """Return the SHA-256 of the files, hexadecimal."""
        folder = self.folder
        files = (folder / "corpus.jsonl", folder / "queries.jsonl") if folder.is_dir() else (folder,)
        return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def load_dataset(folder: Path) -> Dataset:
    """Read a folder with `corpus.jsonl` and `queries.jsonl`.

    Raises:
        InputError: A file is missing or a line of it cannot be used.
    """
    passages: dict[str, Passage] = {}
    corpora: dict[Corpus, list[str]] = {}
    for row in _rows(folder / "corpus.jsonl", ("pid", "src", "lang", "title", "text")):
        passages[row["pid"]] = Passage(page_content=row["text"], heading=row["title"] or "", source=row["pid"])
        corpora.setdefault((row["src"], row["lang"]), []).append(row["pid"])
    fields = ("qid", "src", "lang", "split", "question", "answers", "answerable", "rel")
    questions = tuple(
        Question(
            id=row["qid"],
            corpus=(row["src"], row["lang"]),
            split=row["split"],
            text=row["question"],
            answers=tuple(row["answers"]),
            answerable=row["answerable"],
            grades=row["rel"],
            parallel_id=row.get("parallel_id"),
            group=row.get("parallel_id") or row["qid"],
        )
        for row in _rows(folder / "queries.jsonl", fields)
    )
    return Dataset(folder, passages, {corpus: tuple(ids) for corpus, ids in corpora.items()}, questions)


def _rows(path: Path, fields: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    except OSError as error:
        raise InputError(
            f"training data {str(path)!r}: {error.strerror}; give a folder with corpus.jsonl and queries.jsonl"
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
