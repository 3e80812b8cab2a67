"""The benchmark of a second search counts what it says."""

import json
from pathlib import Path

import pytest

from benchmarks.second_search import main, recalls
from groundgraph.evaluation.questions import Question
from groundgraph.knowledge.search import SearchResult
from tests.doubles import FixedCollection, passage

FILM, OTHERS = passage("The film was made by Webb.", "film"), [passage(f"Film {n}.", f"other{n}") for n in range(7)]
WEBB = passage("Webb was born in Kentucky.", "webb")


@pytest.fixture(autouse=True)
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Find films for the question, and their maker only where he is named."""
    queries: list[str] = []

    def search(query: str, collections: list[str], *, k: int) -> SearchResult:
        queries.append(query)
        return SearchResult([FILM, *([WEBB] if "Webb" in query else []), *OTHERS][:k], [])

    monkeypatch.setattr("benchmarks.second_search.search", search)
    return queries


def test_recalls(searches: list[str]) -> None:
    question = Question(qid="1", question="Where was its maker born?", rel={"film": 2, "webb": 2})
    assert recalls(question, "films") == (0.5, 0.5, 1.0)
    assert searches[-1] == "Where was its maker born? The film was made by Webb."


def test_it_prints_a_row_a_source_and_names_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Films(FixedCollection):
        def sources(self) -> list[str]:
            return ["film", "webb"]

    monkeypatch.setattr("groundgraph.evaluation.sources.Collection.open", lambda name: Films(name))
    file = tmp_path / "questions.jsonl"
    rows = [
        {"qid": n, "src": "films", "question": "Where?", "rel": rel}
        for n, rel in enumerate(({"film": 2, "webb": 2}, {"film": 2}))
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main([str(file)]) == 0
    assert "| films  | 1         | 0.500         | 0.500         | 1.000               |" in capsys.readouterr().out
    assert main([str(tmp_path / "none.jsonl")]) == 2
    assert "none.jsonl" in capsys.readouterr().err
