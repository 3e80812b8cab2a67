"""The benchmark of the evaluator times what is stored, and what has to be embedded first."""

import json
from pathlib import Path

import pytest

from benchmarks.evaluator import main
from groundgraph.grading.evaluator import EmbeddedEvaluator
from groundgraph.grading.weights import load_weights
from tests.embedder import use_bag_embedder


def test_stored_passages_are_not_embedded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bag = use_bag_embedder(monkeypatch)
    evaluator = EmbeddedEvaluator(load_weights(), bag)
    monkeypatch.setattr("benchmarks.evaluator.embedded_evaluator", lambda: evaluator)
    about = {"src": "towers", "lang": "en"}
    corpus = [{**about, "pid": str(n), "title": "", "text": f"Tower {n} is {300 + n} metres tall."} for n in range(40)]
    queries = [
        {**about, "qid": str(n), "split": "test", "question": f"How tall is tower {n}?", "answers": [], "rel": {}}
        for n in range(4)
    ]
    rows = {"corpus": corpus, "queries": [row | {"answerable": True} for row in queries]}
    for name, held in rows.items():
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, held)), encoding="utf-8")
    assert main([str(tmp_path), "--questions", "3"]) == 0
    out = capsys.readouterr().out
    assert "3 questions" in out and "| stored " in out and " 1,500.0 ms |" in out
    assert len(bag.embedded) == len(set(bag.embedded)) == 2 * 4 * 5
    assert main([str(tmp_path), "--questions", "4"]) == 2
    assert "4 questions and 40 passages are too few" in capsys.readouterr().err
