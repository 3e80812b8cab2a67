"""What people think of answers is kept, checked against and learned from; recent scores are compared with training."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groundgraph.errors import InputError
from groundgraph.grading import runs
from groundgraph.grading.drift import deciles, drift, feedback_figures, population_stability
from groundgraph.grading.pairs import load_pairs
from groundgraph.grading.runs import RunRecord, all_feedback, feedback_path, give_feedback, recent_runs, remember
from groundgraph.settings import get_settings
from tests.cli import run
from tests.doubles import FixedEvaluator, FixedSearch, passage
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
        id=name, time="2026-01-01", pattern="crag", evaluator="embedded", question="Why?", refused=not cited,
        best=best, cited=cited, passages=(),
    )  # fmt: skip


def test_feedback_that_cannot_be_given() -> None:
    with pytest.raises(InputError, match="no run 'last' on record"):
        give_feedback("last", "up")
    remember(record("ab12"))
    remember(record("ab34"))
    with pytest.raises(InputError, match="more than one run 'ab'"):
        give_feedback("ab", "up")
    with pytest.raises(InputError, match="run 'ab34' cites no passage: name one"):
        give_feedback("ab34", "down")
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
    assert drift(cuts, even)["verdict"] == "stable"
    # half of the runs in each of two bins: 2 (0.5 - 0.1) ln 5 + 8 (0.01 - 0.1) ln 0.1
    low = [0.05] * 25 + [0.15] * 25
    assert population_stability(cuts, low) == pytest.approx(0.8 * 1.6094 + 0.72 * 2.3026, abs=1e-3)
    shifted = drift(cuts, low)
    assert shifted["verdict"].startswith("shifted") and shifted["ks"] == pytest.approx(0.8, abs=0.01)
    assert drift(cuts, [0.5] * 49)["verdict"].startswith("too few runs")


def test_the_drift_command_exits_1_when_scores_have_shifted(capsys: Capsys) -> None:
    assert run(capsys, "evaluator", "drift").status == 0
    for n in range(60):
        remember(record(str(n), best=0.01))
    ran = run(capsys, "evaluator", "drift", "--json")
    assert ran.status == 1 and ran.object["drift"]["runs"] == 60


def test_drift_needs_a_training_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    weights = tmp_path / "mine.json"
    monkeypatch.setenv("GROUNDGRAPH_EVALUATOR", str(weights))
    get_settings.cache_clear()
    (tmp_path / "training_record.json").write_text(json.dumps({}), encoding="utf-8")
    ran = run(capsys, "evaluator", "drift")
    assert ran.status == 2 and "training_record.json" in ran.err and "evaluator train" in ran.err
