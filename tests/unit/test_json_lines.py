"""U+2028, U+2029 and U+0085 may stand in a JSON string: wherever JSON Lines are read, they end no line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from groundgraph.grading import label, pairs, reflection_data, runs
from groundgraph.grading.fit_cascade import _stored
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.load import load

ODD = "How tall\u2028is\u2029the\x85tower?"
ROWS = {
    "question": ODD,
    "passage": "It is tall.",
    "label": 1,
    "output": "It is 330 metres tall.",
    "text": ODD,
}


def documents(path: Path) -> list[str]:
    return [found.text if isinstance(found, LoadedDocument) else found.reason for found in load([path], jsonl=True)]


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (lambda path: [pair.instruction for pair in reflection_data.load_pairs(path)], ODD),
        (label.read_questions, ODD),
        (lambda path: [question.text for question in pairs.load_pairs(path).questions], ODD),
        (documents, "How tall\nis\nthe\ntower?"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_ends_at_a_line_feed(read: Callable[[Path], list[str]], expected: str, end: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes((json.dumps(ROWS, ensure_ascii=False) + end).encode())
    assert read(file) == [expected]


def test_a_table_in_csv_keeps_its_rows(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("Name,Use\nAnn,one\u2028two\n", encoding="utf-8")
    (document,) = load([file])
    assert isinstance(document, LoadedDocument) and document.text.split("\n")[2:] == ["| Ann | one two |"]


def test_what_was_said_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "said.jsonl"
    file.write_text(json.dumps([ODD, 0.5], ensure_ascii=False) + "\n", encoding="utf-8")
    assert list(_stored(file)) == [(ODD, 0.5)]


def test_runs_on_record_are_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "KEPT", 1)
    for number in "1234":
        runs.remember(
            runs.RunRecord(
                id=number, time="", pattern="naive", evaluator="", question=ODD, refused=False, best=None, cited=(),
                passages=(),
            )
        )  # fmt: skip
    assert [(run.id, run.question) for run in runs.recent_runs()] == [("3", ODD), ("4", ODD)]
