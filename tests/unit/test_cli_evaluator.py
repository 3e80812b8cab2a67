"""Train, check, label and export, as a person would."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from groundgraph.errors import InputError
from groundgraph.grading import train as module
from groundgraph.grading.evaluator import embedded_evaluator
from groundgraph.grading.pairs import load_pairs
from groundgraph.grading.weights import DEFAULT_WEIGHTS, weights_path
from groundgraph.knowledge.search import SearchResult
from groundgraph.settings import get_settings
from tests.cli import run
from tests.doubles import FixedEvaluator, passage
from tests.embedder import BagEmbedder
from tests.scripted import scripted

Capsys = pytest.CaptureFixture[str]
TOWNS = "Arden Brill Corby Dover Epsom Frome Goole Hythe Ilkley Jarrow Keswick Ludlow Morpeth Nairn Oban Perth".split()


@pytest.fixture
def pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write two pairs for each of 16 towns: its bridge, which answers, and its market."""
    bag = BagEmbedder(64)
    for place in ("groundgraph.grading.train", "groundgraph.cli.evaluator_check"):
        monkeypatch.setattr(f"{place}.embedding_model", lambda name: bag)
    rows = []
    for n, town in enumerate(TOWNS):
        question = f"When was the bridge of {town} built?"
        rows.append({"question": question, "passage": f"The bridge of {town} was built in {1800 + n}.", "label": 1})
        rows.append({"question": question, "passage": f"{town} has a market on Mondays.", "label": 0})
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_pairs_train_an_evaluator_that_can_be_used_and_shared(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    out = tmp_path / "mine.json"
    ran = run(capsys, "evaluator", "train", str(pairs), "--out", str(out))
    assert ran.status == 0 and "mine.json and training_record.json" in ran.out
    assert f"in use: {DEFAULT_WEIGHTS}; to use the new weights, set GROUNDGRAPH_EVALUATOR={out}" in ran.out
    assert "Cross-validation\n\n| Data set |" in ran.out and "\n| pairs | " in ran.out
    monkeypatch.setenv("GROUNDGRAPH_EVALUATOR", str(out))
    get_settings.cache_clear()
    copy = tmp_path / "copy.json"
    assert run(capsys, "evaluator", "export", str(copy)).status == 0
    assert copy.read_text(encoding="utf-8") == out.read_text(encoding="utf-8")


def test_without_out_the_weights_are_kept_at_home_and_used_from_there(pairs: Path, capsys: Capsys) -> None:
    shipped, own = DEFAULT_WEIGHTS.read_bytes(), get_settings().home / "evaluator" / "evaluator.json"
    assert weights_path() == DEFAULT_WEIGHTS
    ran = run(capsys, "evaluator", "train", str(pairs))
    assert f"in use from now on: {own}; delete it to go back to the project's own" in ran.out
    assert "questions; fewer than 100 teach little" in ran.err
    assert weights_path() == own and own.with_name("training_record.json").exists()
    assert DEFAULT_WEIGHTS.read_bytes() == shipped
    own.unlink()
    assert weights_path() == DEFAULT_WEIGHTS


def test_check_exits_1_below_a_floor(
    pairs: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys, evaluates: Callable[..., FixedEvaluator]
) -> None:
    evaluates({"bridge": 0.9, "market": 0.1})
    good = run(capsys, "evaluator", "check", str(pairs), "--floor", "answered=1", "--json").object
    assert good["failures"] == [] and good["figures"]["pairs"]["answered"] == 1.0
    assert good["tiers"]["relevant"]["correct"] == 16
    ran = run(capsys, "evaluator", "check", str(pairs), "--floor", "auc=0.99", "--ceiling", "ece=0.05")
    assert ran.status == 1
    assert "below the floor of 0.99" in ran.out and "above the ceiling of 0.05" in ran.out


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--floor", "best=1"), "'best' is no figure; known are pairs,"),
        (("--floor", "auc"), "'auc': give FIGURE=VALUE"),
        (("--evaluator", "bert"), "Context.evaluator='bert'"),
    ],
)
def test_a_check_that_cannot_be_made(
    pairs: Path, capsys: Capsys, evaluates: Callable[..., FixedEvaluator], option: tuple[str, str], message: str
) -> None:
    evaluates({})
    ran = run(capsys, "evaluator", "check", str(pairs), *option)
    assert ran.status == 2 and message in ran.err


def test_a_chat_model_is_checked_on_a_draw_of_questions(pairs: Path, capsys: Capsys) -> None:
    with scripted(*["yes"] * 10) as (model, chat):
        options = ["--evaluator", "llm", "--chat-model", model, "--limit", "2", "--json"]
        found = run(capsys, "evaluator", "check", str(pairs), *options).object
    assert found["figures"]["all"]["answerable"] == 2 and len(chat.prompts) == 10


def test_label_marks_disagreements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    found = [passage("The bridge was built in 1800."), passage("There is a market."), passage("The bridge is old.")]
    monkeypatch.setattr("groundgraph.grading.label.search", lambda *_, **__: SearchResult(found, []))
    evaluator = FixedEvaluator({"1800": 0.9, "old": 0.8})
    monkeypatch.setattr("groundgraph.cli.evaluator_label.embedded_evaluator", lambda: evaluator)
    questions, out = tmp_path / "questions.txt", tmp_path / "pairs.jsonl"
    questions.write_text("When was the bridge built?\n", encoding="utf-8")
    with scripted(("1800", "yes"), ("market", "no"), ("old", "no")) as (model, _):
        arguments = ["evaluator", "label", str(questions), "--out", str(out), "--chat-model", model]
        ran = run(capsys, *arguments)
    assert ran.status == 0 and "3 pairs, 1 of them to be looked at" in ran.out
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [(row["label"], row["review"]) for row in rows] == [(1, False), (0, False), (0, True)]
    assert len(load_pairs(out).passages) == 3
    assert "exists" in run(capsys, *arguments).err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", "line 1: not a JSON object"),
        ('{"question": "a"}', "line 1: passage=None: give a text"),
        ('{"question": "a", "passage": "b", "label": 2}', "line 1: label=2: give 1 or 0"),
    ],
)
def test_pairs_that_cannot_be_used(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_pairs(path)


def test_mined_passages_stand_beside_the_pairs(pairs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [passage("The bridge of Arden was built in 1800."), passage("Arden has two bridges.")]
    monkeypatch.setattr(module, "search", lambda *_, **__: SearchResult(found, []))
    dataset = module.load_labelled(pairs, "notes")
    mined = [p.page_content for name, p in dataset.passages.items() if name.startswith("c")]
    assert mined == ["Arden has two bridges."], "what has a label is no hard negative, and nothing comes twice"


@pytest.fixture(autouse=True)
def fresh_evaluator() -> None:
    embedded_evaluator.cache_clear()
