"""Train, check, label and export, as a person would."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from groundgraph.errors import InputError
from groundgraph.grading import train as module
from groundgraph.grading.evaluator import embedded_evaluator
from groundgraph.grading.pairs import load_pairs
from groundgraph.grading.weights import DEFAULT_WEIGHTS, record_path, weights_path
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
    assert ran.status == 0 and "mine.json and mine_record.json" in ran.out
    assert f"in use: {DEFAULT_WEIGHTS}; to use the new weights, set GROUNDGRAPH_EVALUATOR={out}" in ran.out
    assert "Cross-validation\n\n| Data set |" in ran.out and "\n| pairs | " in ran.out
    monkeypatch.setenv("GROUNDGRAPH_EVALUATOR", str(out))
    get_settings.cache_clear()
    copy = tmp_path / "copy.json"
    assert f"written: {copy} and copy_record.json" in run(capsys, "evaluator", "export", str(copy)).out
    assert copy.read_bytes() == out.read_bytes()
    monkeypatch.setenv("GROUNDGRAPH_EVALUATOR", str(copy))
    get_settings.cache_clear()
    out.with_name("mine_record.json").unlink()
    assert run(capsys, "evaluator", "drift").status == 0, "what was exported can be watched"


def test_weights_without_a_record_are_exported_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    weights = tmp_path / "mine.json"
    weights.write_bytes(DEFAULT_WEIGHTS.read_bytes())
    monkeypatch.setenv("GROUNDGRAPH_EVALUATOR", str(weights))
    get_settings.cache_clear()
    ran = run(capsys, "evaluator", "export", str(tmp_path / "copy.json"))
    assert ran.status == 0 and "no training record" in ran.err
    assert [path.name for path in tmp_path.glob("copy*")] == ["copy.json"]


def test_the_record_is_named_after_its_weights() -> None:
    assert record_path(Path("a/mine.json")) == Path("a/mine_record.json")
    assert record_path(DEFAULT_WEIGHTS).name == "training_record.json" and record_path(DEFAULT_WEIGHTS).exists()


def test_without_out_the_weights_are_kept_at_home_and_used_from_there(pairs: Path, capsys: Capsys) -> None:
    shipped, own = DEFAULT_WEIGHTS.read_bytes(), get_settings().home / "evaluator" / "evaluator.json"
    assert weights_path() == DEFAULT_WEIGHTS
    ran = run(capsys, "evaluator", "train", str(pairs))
    assert f"in use from now on: {own}; delete it to go back to the project's own" in ran.out
    assert "questions; fewer than 100 teach little" in ran.err
    assert weights_path() == own and own.with_name("training_record.json").exists()
    assert DEFAULT_WEIGHTS.read_bytes() == shipped
    assert not own.with_name("trained.json").exists()
    own.unlink()
    assert weights_path() == DEFAULT_WEIGHTS


def test_weights_that_are_worse_than_those_in_use_are_not_put_to_use(pairs: Path, capsys: Capsys) -> None:
    """Questions to learn from whose labels are wrong teach the opposite of what those measured on ask for."""
    test = {question.text for question in load_pairs(pairs).questions if question.split == "test"}
    rows = [json.loads(line) for line in pairs.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        town = row["question"].split()[-2]
        row["passage"] = row["passage"].replace(f"{town} has a market on Mondays", f"The bridge of {town} was old")
        row["label"] = row["label"] if row["question"] in test else 1 - row["label"]
    pairs.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    trained = get_settings().home / "evaluator" / "trained.json"
    ran = run(capsys, "evaluator", "train", str(pairs))
    assert ran.status == 1 and weights_path() == DEFAULT_WEIGHTS
    assert "\n| all, new | 0." in ran.out and "\n| all, in use | 1.00 |" in ran.out
    assert f"written: {trained} and trained_record.json\nnot in use: worse than {DEFAULT_WEIGHTS}" in ran.out
    assert f"to use them anyway: GROUNDGRAPH_EVALUATOR={trained}, or the same command with --out" in ran.out
    own = trained.with_name("evaluator.json")
    ran = run(capsys, "evaluator", "train", str(pairs), "--out", str(own))
    assert ran.status == 0 and "in use from now on" in ran.out and weights_path() == own


def test_weights_in_use_that_are_broken_do_not_stop_a_training(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    out = tmp_path / "mine.json"
    monkeypatch.setenv("GROUNDGRAPH_EVALUATOR", str(out))
    get_settings.cache_clear()
    ran = run(capsys, "evaluator", "train", str(pairs), "--out", str(out))
    assert ran.status == 0 and "warning: nothing to compare with" in ran.err and weights_path() == out


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


@pytest.fixture
def labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Lay out a question and what a search finds for any; return the command that labels it, without a model."""
    found = [passage("The bridge was built in 1800."), passage("There is a market."), passage("The bridge is old.")]
    monkeypatch.setattr("groundgraph.grading.label.search", lambda *_, **__: SearchResult(found, []))
    evaluator = FixedEvaluator({"1800": 0.9, "old": 0.8})
    monkeypatch.setattr("groundgraph.cli.evaluator_label.embedded_evaluator", lambda: evaluator)
    (tmp_path / "questions.txt").write_text("When was the bridge built?\n", encoding="utf-8")
    return ["evaluator", "label", str(tmp_path / "questions.txt"), "--out", str(tmp_path / "pairs.jsonl")]


VERDICTS = [("1800", "yes"), ("market", "no"), ("old", "no")]


def test_label_marks_disagreements(labels: list[str], tmp_path: Path, capsys: Capsys) -> None:
    out = tmp_path / "pairs.jsonl"
    with scripted(*VERDICTS) as (model, _):
        ran = run(capsys, *labels, "--chat-model", model)
    assert ran.status == 0 and "3 pairs, 1 of them to be looked at" in ran.out
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [(row["label"], row["review"]) for row in rows] == [(1, False), (0, False), (0, True)]
    assert len(load_pairs(out).passages) == 3


def test_labelling_goes_on_where_it_stopped(labels: list[str], tmp_path: Path, capsys: Capsys) -> None:
    """What is there, a person's correction included, stays; only the new question is asked about."""
    out = tmp_path / "pairs.jsonl"
    with scripted(*VERDICTS) as (model, _):
        run(capsys, *labels, "--chat-model", model)
    corrected = out.read_text(encoding="utf-8").replace('"label": 1', '"label": 0').rstrip("\n")
    out.write_text(corrected, encoding="utf-8")
    with (tmp_path / "questions.txt").open("a", encoding="utf-8") as file:
        file.write("How old is the bridge?\n")
    with scripted(*VERDICTS) as (model, chat):
        ran = run(capsys, *labels, "--chat-model", model)
    assert ran.status == 0 and "6 pairs, 2 of them to be looked at" in ran.out and len(chat.prompts) == 3
    assert out.read_text(encoding="utf-8").startswith(corrected + "\n")
    with scripted() as (model, chat):
        assert "6 pairs" in run(capsys, *labels, "--chat-model", model).out


def test_a_question_whose_last_line_is_torn_is_labelled_again(
    labels: list[str], tmp_path: Path, capsys: Capsys
) -> None:
    out = tmp_path / "pairs.jsonl"
    with scripted(*VERDICTS) as (model, _):
        run(capsys, *labels, "--chat-model", model)
    whole = out.read_bytes()
    out.write_bytes(whole[:-60])
    with scripted(*VERDICTS) as (model, _):
        run(capsys, *labels, "--chat-model", model)
    assert out.read_bytes() == whole


def test_labelling_that_is_interrupted_says_how_to_go_on(
    labels: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    async def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("groundgraph.cli.evaluator_label.label", interrupted)
    with scripted() as (model, _):
        ran = run(capsys, *labels, "--chat-model", model)
    assert ran.status == 130 and "the same command goes on" in ran.err


@pytest.mark.parametrize("text", ["When was the bridge built?", '{"question": "Who?"}\n', "[1]\n"])
def test_a_file_of_something_else_is_not_labelled_into(
    labels: list[str], tmp_path: Path, text: str, capsys: Capsys
) -> None:
    out = tmp_path / "pairs.jsonl"
    out.write_text(text, encoding="utf-8")
    ran = run(capsys, *labels)
    assert ran.status == 2 and "exists, and line 1 is no labelled pair: take another name" in ran.err
    assert out.read_text(encoding="utf-8") == text


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
