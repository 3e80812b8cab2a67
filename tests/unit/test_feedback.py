"""What people think of answers is kept, checked against and learned from; recent scores are compared with training."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphs.catalogue import load
from groundgraph.errors import InputError
from groundgraph.grading import runs
from groundgraph.grading.drift import by_chance, deciles, drift, feedback_figures, population_stability
from groundgraph.grading.pairs import load_pairs
from groundgraph.grading.runs import (
    Judged,
    RunRecord,
    all_feedback,
    feedback_path,
    give_feedback,
    recent_runs,
    remember,
)
from groundgraph.grading.weights import load_weights, weights_digest
from groundgraph.knowledge.index import Collection, index
from groundgraph.settings import get_settings
from state.context import Context
from state.record import record_of
from tests.cli import run
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.embedder import BagEmbedder, use_bag_embedder
from tests.scripted import scripted

Capsys = pytest.CaptureFixture[str]
TOWER, CATS = passage("The tower is 330 metres high."), passage("Cats purr near the tower.")


@pytest.fixture
def ask(
    finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator], capsys: Capsys
) -> Callable[..., Any]:
    """Ask about the tower with CRAG; the answer cites the first of two passages."""
    finds([TOWER, CATS, passage("Nothing of the kind.")])
    evaluates({"330": 0.9, "Cats": 0.6})

    def asked(*options: str) -> Any:
        with scripted("It is 330 metres high [1].") as (model, _):
            arguments = ["ask", "How high is the tower?", "-p", "crag", "--set", f"chat_model={model}", *options]
            return run(capsys, *arguments)

    return asked


def test_feedback_labels_what_the_answer_cites(ask: Callable[..., Any], capsys: Capsys) -> None:
    name = ask("--json").object["run"]
    ran = run(capsys, "feedback", name[:6], "up")
    assert ran.status == 0 and ran.out.startswith("1 pair labelled")
    run(capsys, "feedback", "last", "down", "--passage", "2")
    up, down = all_feedback()
    assert (up.passage, up.label, up.score, up.evaluator) == (TOWER.page_content, 1, 0.9, "embedded")
    assert (down.passage, down.label, down.score) == (CATS.page_content, 0, 0.6)
    assert len(load_pairs(feedback_path()).passages) == 2, "it can be learned from"
    assert feedback_figures([up, down])["embedded"]["auc"] == 1.0


def test_whole_passages_are_kept_and_the_question_that_they_were_graded_against(
    tmp_path: Path, evaluates: Callable[..., FixedEvaluator], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What refinement leaves of a passage would be another text than the one that training finds in the collection."""
    use_bag_embedder(monkeypatch)
    text = "The tower is 330 metres high. It was painted brown."
    (tmp_path / "tower.md").write_text(text)
    index([tmp_path / "tower.md"], "default")
    evaluates({"330": 0.9}, sentences={"painted": 0.1})
    with scripted(("high", "It is 330 metres high [1].")) as (model, _):
        context = Context(chat_model=model)
        result = load("crag").invoke({"question": " How high is the tower? "}, context=context)
    kept = record_of("1", "crag", context, result)
    assert result["passages"][0].page_content == "The tower is 330 metres high."
    assert (kept.question, [one.text for one in kept.passages]) == ("How high is the tower?", [text])
    Collection.open("default").delete()
    assert record_of("1", "crag", context, result).passages[0].text == "The tower is 330 metres high."


def test_only_a_trace_names_the_run(ask: Callable[..., Any]) -> None:
    shown = ask("--trace").out
    assert f"groundgraph feedback {recent_runs(1)[0].id} up|down" in shown
    assert "groundgraph feedback" not in ask().out


def test_records_can_be_turned_off(ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDGRAPH_RECORD_RUNS", "0")
    get_settings.cache_clear()
    assert ask("--json").object["run"] is None
    assert not list(get_settings().home.glob("runs*"))


def test_a_home_that_cannot_be_written_is_a_warning(ask: Callable[..., Any]) -> None:
    home = get_settings().home
    home.parent.mkdir(parents=True, exist_ok=True)
    home.write_text("a file", encoding="utf-8")
    assert "the run is not on record" in ask("--json").object["warnings"][0]


def record(name: str, best: float = 0.5, cited: tuple[int, ...] = ()) -> RunRecord:
    return RunRecord(
        id=name, time="2026-01-01", pattern="crag", evaluator="embedded", weights=weights_digest(), question="Why?",
        refused=not cited, best=best, cited=cited, passages=(),
    )  # fmt: skip


def test_feedback_that_cannot_be_given() -> None:
    with pytest.raises(InputError, match="no run 'last' on record"):
        give_feedback("last", "up")
    remember(record("ab12"))
    remember(record("ab34"))
    with pytest.raises(InputError, match="more than one run 'ab'"):
        give_feedback("ab", "up")
    with pytest.raises(InputError, match="run 'ab34' was refused: it has no passages to judge"):
        give_feedback("ab34", "down")
    remember(record("cd56").model_copy(update={"refused": False}))
    with pytest.raises(InputError, match="run 'cd56' cites no passage: name one of its 0 passages"):
        give_feedback("last", "down")
    with pytest.raises(InputError, match="passage 3: run 'ab12' has 0 passages"):
        give_feedback("ab12", "down", 3)


def test_old_runs_make_room_and_torn_lines_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "KEPT", 3)
    for n in range(7):
        remember(record(str(n)))
    assert [one.id for one in recent_runs()] == ["4", "5", "6"]
    with (get_settings().home / "runs.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "torn')
    assert len(recent_runs()) == 3


def test_drift_by_hand() -> None:
    cuts = deciles([n / 100 for n in range(100)])
    even = [n / 100 for n in range(0, 100, 2)]
    assert population_stability(cuts, even) < 0.01
    assert drift(cuts, even, 100)["verdict"] == "stable"
    # half of the runs in each of two bins: 2 (0.5 - 0.1) ln 5 + 8 (0.01 - 0.1) ln 0.1
    low = [0.05] * 25 + [0.15] * 25
    assert population_stability(cuts, low) == pytest.approx(0.8 * 1.6094 + 0.72 * 2.3026, abs=1e-3)
    shifted = drift(cuts, low, 100)
    assert shifted["verdict"].startswith("shifted") and shifted["ks"] == pytest.approx(0.8, abs=0.01)
    assert drift(cuts, [0.5] * 49, 100)["verdict"].startswith("too few runs")


def verdicts(runs: int, change: Callable[[Any], Any], draws: int = 400) -> list[str]:
    """Return the verdict on each draw of runs, whose even scores are changed, by cuts of another draw of 692."""
    random = np.random.default_rng(runs)
    pairs = ((deciles(random.random(692)), change(random.random(runs))) for _ in range(draws))
    return [drift(cuts, scores, 692)["verdict"].partition(":")[0] for cuts, scores in pairs]


@pytest.mark.parametrize("runs", [50, 51, 55, 60, 75, 100, 200])
def test_scores_that_have_not_changed_are_no_alarm(runs: int) -> None:
    """The index of a small sample is large by chance: at 50 runs it is beyond 0.25 in a quarter of the draws."""
    assert verdicts(runs, lambda scores: scores).count("shifted") <= 0.015 * 400


@pytest.mark.parametrize(
    "change", [lambda scores: scores**2, lambda scores: np.where(np.arange(len(scores)) % 3 == 0, 0.05, scores)]
)
def test_scores_that_have_changed_are_seen_in_100_runs(change: Callable[[Any], Any]) -> None:
    assert verdicts(100, change).count("shifted") >= 0.9 * 400


def test_an_evaluator_measured_on_few_questions_needs_a_larger_shift() -> None:
    """Ten questions say little about where a tenth of the scores lies."""
    assert by_chance(100, 10) > 4 * by_chance(100, 692)


def test_the_drift_command_exits_1_when_scores_have_shifted(capsys: Capsys) -> None:
    assert run(capsys, "evaluator", "drift").status == 0
    for n in range(60):
        remember(record(str(n), best=0.01))
    ran = run(capsys, "evaluator", "drift", "--json")
    assert ran.status == 1 and ran.object["drift"]["runs"] == 60


def test_runs_that_say_nothing_of_the_weights_in_use_are_named(capsys: Capsys) -> None:
    """A chat model has a say in the cascade's scores, and other weights have another scale."""
    others = [{"evaluator": "cascade"}] * 60 + [{"weights": "of before"}, {"best": None}]
    for n, fields in enumerate(others):
        remember(record(str(n), best=0.01).model_copy(update=fields))
    ran = run(capsys, "evaluator", "drift")
    assert ran.status == 0 and "too few runs" in ran.out
    assert "Not counted: 60 runs scored by cascade\n" in ran.out
    assert "Not counted: 1 run scored by embedded, by other weights\n" in ran.out


def judge(pairs: int, up: int, score: float = 0.8) -> None:
    """Let a person judge `pairs` passages of one score, `up` of them relevant."""
    for n in range(pairs):
        shown = Judged(source="notes.md", heading="", text=f"Text {n}.", score=score)
        remember(record(f"run{n}", cited=(1,)).model_copy(update={"passages": (shown,)}))
        give_feedback("last", "up" if n < up else "down")


@pytest.mark.parametrize(
    ("pairs", "up", "status", "verdict"),
    [
        (19, 0, 0, "too few pairs, 20 are needed"),
        (25, 20, 0, "agrees with people"),
        (25, 17, 0, "agrees with people"),  # 20 promised, with a standard deviation of two
        (25, 15, 1, "shifted: promises too much, retrain the evaluator"),
        (25, 25, 1, "shifted: promises too little, retrain the evaluator"),
    ],
)
def test_feedback_says_when_to_retrain(pairs: int, up: int, status: int, verdict: str, capsys: Capsys) -> None:
    judge(pairs, up)
    ran = run(capsys, "evaluator", "check", "--feedback", "--json")
    assert (ran.status, ran.object["verdict"]) == (status, verdict)
    assert ran.object["figures"]["all"]["pairs"] == pairs
    assert ran.object["tiers"]["relevant"] == {"correct": up, "ambiguous": 0, "incorrect": 0}
    shown = run(capsys, "evaluator", "drift")
    assert shown.status == status and verdict.split()[0] in shown.out


def test_feedback_may_be_held_to_a_floor(capsys: Capsys) -> None:
    judge(10, 5)
    ran = run(capsys, "evaluator", "check", "--feedback", "--floor", "accuracy=0.6")
    assert ran.status == 1 and "accuracy is 0.5, below the floor of 0.6" in ran.out


def test_feedback_on_other_weights_is_another_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    """After retraining, what people said of the old scores does not ask for it again."""
    judge(30, 0)
    mine = load_weights().model_copy(update={"alone": load_weights().alone.model_copy(update={"bias": 9.0})})
    (tmp_path / "mine.json").write_text(mine.model_dump_json(), encoding="utf-8")
    monkeypatch.setenv("GROUNDGRAPH_EVALUATOR", str(tmp_path / "mine.json"))
    get_settings.cache_clear()
    ran = run(capsys, "evaluator", "check", "--feedback")
    assert ran.status == 2 and "no feedback on evaluator='embedded' yet" in ran.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["check"], "give DATA, or --feedback"),
        (["train"], "give DATA, or --feedback"),
        (["check", "pairs.jsonl", "--feedback"], "DATA='pairs.jsonl' and --feedback: give one of them"),
        (["check", "--feedback", "--limit", "3"], "have no effect with --feedback"),
        (["check", "--feedback"], "no feedback on evaluator='embedded' yet"),
        (["train", "--feedback"], "feedback.jsonl': No such file"),
    ],
)
def test_feedback_that_is_not_there_or_not_alone(options: list[str], said: str, capsys: Capsys) -> None:
    ran = run(capsys, "evaluator", *options)
    assert ran.status == 2 and said in ran.err


def test_an_evaluator_learns_from_feedback_by_one_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    monkeypatch.setenv("GROUNDGRAPH_QA", str(tmp_path / "elsewhere"))
    monkeypatch.setattr("groundgraph.grading.train.embedding_model", lambda name: BagEmbedder(64))
    for n in range(16):
        texts = (f"Bridge {n} was built in {1800 + n}.", f"Market {n} is on Mondays.")
        shown = tuple(Judged(source="notes.md", heading="", text=text, score=0.6) for text in texts)
        asked = {"question": f"When was bridge {n} built?", "passages": shown}
        remember(record(f"run{n}", cited=(1,)).model_copy(update=asked))
        give_feedback("last", "up")
        give_feedback("last", "down", 2)
    ran = run(capsys, "evaluator", "train", "--feedback", "--out", str(tmp_path / "mine.json"))
    measured = json.loads((tmp_path / "mine_record.json").read_text(encoding="utf-8"))["among"]["test"]["all"]
    assert measured["refused_foreign"] == 1.0, "asked of random passages: there is no other source"
    assert ran.status == 0 and load_weights(tmp_path / "mine.json") != load_weights()


def test_drift_needs_a_training_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    weights = tmp_path / "mine.json"
    monkeypatch.setenv("GROUNDGRAPH_EVALUATOR", str(weights))
    get_settings.cache_clear()
    (tmp_path / "mine_record.json").write_text(json.dumps({}), encoding="utf-8")
    ran = run(capsys, "evaluator", "drift")
    assert ran.status == 2 and "mine_record.json" in ran.err and "evaluator train" in ran.err
