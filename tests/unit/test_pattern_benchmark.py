"""The benchmark of patterns asks what was not asked yet, and says what came of it."""

import json
from pathlib import Path

import pytest
from rich.table import Table

from benchmarks import patterns
from benchmarks.pattern_tables import RECALL, difference_table, metric_table
from groundgraph.evaluation.compare import compare
from groundgraph.evaluation.records import read_rows
from groundgraph.knowledge.index import index
from groundgraph.settings import get_settings
from tests.embedder import use_bag_embedder
from tests.runs import made_row, made_run
from tests.scripted import Line, scripted


def cells(table: Table) -> list[tuple[object, ...]]:
    return list(zip(*(column.cells for column in table.columns), strict=True))


def test_recall_is_told_by_source_and_set_against_naive(tmp_path: Path) -> None:
    def run(pattern: str, *recalls: float) -> Path:
        rows = [
            made_row(f"q{number}", pattern, source="ab"[number % 2], metrics={"recall@5": recall})
            for number, recall in enumerate(recalls)
        ]
        return made_run(tmp_path / pattern, rows)

    found = compare([run("naive", 0.5, 1, 0.5, 1), run("hyde", 1, 1, 1, 1)])
    assert cells(metric_table(RECALL, found)) == [
        ("a en", "2", "0.50 [0.50, 0.50]", "1.00 [1.00, 1.00]"),
        ("b en", "2", "1.00 [1.00, 1.00]", "1.00 [1.00, 1.00]"),
    ]
    [(source, beyond), (_, same)] = cells(difference_table(found))
    assert source == "a en" and "+0.50" in str(beyond) and "+0.00" in str(same)


def test_a_second_call_asks_nothing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_bag_embedder(monkeypatch)
    monkeypatch.setattr(patterns, "RETRIEVING", {"naive": patterns.EXTRACTIVE, "adaptive": patterns.UNANSWERED})
    monkeypatch.setattr(patterns, "ANSWERING", ("naive",))
    data = tmp_path / "qa"
    data.mkdir()
    (data / "corpus.jsonl").write_text(json.dumps({"pid": "p1", "text": "The Eiffel Tower is 330 metres tall."}))
    index([data / "corpus.jsonl"], "qa", jsonl=True)
    question = {"question": "How tall is the Eiffel Tower?", "answers": ["330 metres"], "rel": {"p1": 2}}
    rows = [{**question, "qid": f"{src}-{split}", "src": src, "split": split}
            for src in patterns.SOURCES.split(",") for split in ("val", "test")]  # fmt: skip
    (data / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)))
    given = [str(data), "--out", str(tmp_path / "runs")]
    with scripted(Line(None, "It is 330 metres tall [1].", times=len(rows))) as (model, _):
        monkeypatch.setenv("GROUNDGRAPH_CHAT_MODEL", model)
        get_settings.cache_clear()
        assert patterns.main(given) == 0
        capsys.readouterr()
        assert patterns.main(given) == 0
    printed = capsys.readouterr().out
    assert "| clapnq en" in printed and "| naive-extractive" in printed
    answered = read_rows(tmp_path / "runs" / "answers" / "naive")
    assert [row.answer for row in answered] == ["It is 330 metres tall [1]."] * len(rows)


def test_no_data_is_bad_use(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("GROUNDGRAPH_QA", raising=False)
    assert patterns.main([]) == 2
    assert "set GROUNDGRAPH_QA" in capsys.readouterr().err
