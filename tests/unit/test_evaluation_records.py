from pathlib import Path

import pytest

from groundgraph.errors import InputError
from groundgraph.evaluation.records import (
    Aggregate,
    Cost,
    PatternScores,
    Row,
    Scores,
    append_row,
    drop_torn_line,
    read_rows,
    read_scores,
    write_scores,
)


def row(question_id: str, answer: str = "") -> Row:
    return Row(id=question_id, language="en", pattern="naive", question="Who?", answer=answer)


def aggregate(scored: int, rows: int, valid: bool) -> Aggregate:
    return Aggregate(mean=0.5, scored=scored, rows=rows, valid=valid)


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    rows = [row("1", "答案"), row("2")]
    for one in rows:
        append_row(tmp_path, one)
    assert read_rows(tmp_path) == rows


def test_a_row_written_again_replaces_the_earlier_one_in_its_place(tmp_path: Path) -> None:
    for one in (row("1"), row("2"), row("1", "better")):
        append_row(tmp_path, one)
    assert [(one.id, one.answer) for one in read_rows(tmp_path)] == [("1", "better"), ("2", "")]


def test_a_torn_last_line_is_ignored_and_the_next_row_begins_a_line(tmp_path: Path) -> None:
    append_row(tmp_path, row("1"))
    with (tmp_path / "rows.jsonl").open("a") as file:
        file.write('{"id": "2", "langu')
    assert [one.id for one in read_rows(tmp_path)] == ["1"]
    drop_torn_line(tmp_path)
    append_row(tmp_path, row("2"))
    assert [one.id for one in read_rows(tmp_path)] == ["1", "2"]


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    append_row(tmp_path, row("1"))
    with (tmp_path / "rows.jsonl").open("a") as file:
        file.write('{"id": "2"}\n')
    with pytest.raises(InputError, match=r"rows\.jsonl' line 2 is no row of a run: language: Field required"):
        read_rows(tmp_path)


def test_scores_are_written_with_sorted_keys_and_read_back(tmp_path: Path) -> None:
    metrics = {"f1": aggregate(2, 2, True), "containment": aggregate(2, 2, True)}
    scores = Scores(patterns={"naive": PatternScores(metrics=metrics, cost=Cost(rows=2))})
    write_scores(tmp_path, scores)
    text = (tmp_path / "scores.json").read_text()
    assert read_scores(tmp_path) == scores
    assert text.index('"containment"') < text.index('"f1"')


def test_a_folder_without_a_run_is_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"scores\.json' is missing: give the folder of a run of groundgraph eval"):
        read_scores(tmp_path)


@pytest.mark.parametrize(
    ("metrics", "valid"),
    [
        ({"f1": aggregate(1, 2, True)}, True),
        ({"f1": aggregate(1, 2, True), "faithfulness": aggregate(1, 10, False)}, False),
        ({}, False),
    ],
)
def test_a_run_is_valid_if_every_metric_is(metrics: dict[str, Aggregate], valid: bool) -> None:
    assert Scores(patterns={"naive": PatternScores(metrics=metrics, cost=Cost())}).valid is valid
