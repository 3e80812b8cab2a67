"""`groundgraph eval`: the table, the JSON, the exit statuses, and Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from groundgraph.errors import ModelError
from groundgraph.evaluation.records import read_rows, read_scores
from groundgraph.knowledge.index import index
from tests.cli import hears_ctrl_c, run
from tests.doubles import FixedEvaluator
from tests.embedder import use_bag_embedder
from tests.endpoint import Endpoint, Request
from tests.scripted import Line, scripted

Capsys = pytest.CaptureFixture[str]
Evaluates = Callable[..., FixedEvaluator]

ANSWER = "The tower is 330 metres tall [1]."


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.jsonl"
    rows = [{"id": f"q{n}", "question": f"How tall is tower {n}?", "answers": ["330 metres"]} for n in range(3)]
    path.write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "paris.md").write_text("The Eiffel Tower is 330 metres tall.")
    return path


@pytest.fixture
def indexed(file: Path, monkeypatch: pytest.MonkeyPatch, evaluates: Evaluates) -> list[str]:
    """The arguments of an evaluation on indexed documents."""
    use_bag_embedder(monkeypatch)
    index([file.with_name("paris.md")])
    evaluates({"Eiffel": 0.9, "330": 0.8})
    return ["eval", str(file), "--collection", "default", "--pattern", "naive,crag"]


def test_a_table_of_metrics_by_pattern_and_what_they_cost(indexed: list[str], capsys: Capsys) -> None:
    with scripted(Line(None, ANSWER, times=6)) as (model, _):
        ran = run(capsys, *indexed, "--set", f"chat_model={model}")
    assert (ran.status, ran.err) == (0, "")
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert lines[0] == "naive crag"
    assert "containment 1.000 [1.00, 1.00] of 3 1.000 [1.00, 1.00] of 3" in lines
    assert "false_refusal 0.000 [0.00, 0.00] of 3 0.000 [0.00, 0.00] of 3" in lines
    assert "model calls 3 3" in lines
    folder = Path(lines[-1].removeprefix("Kept in "))
    assert folder.parent == Path("runs") and folder.name.endswith("-mine")
    assert {path.name for path in folder.iterdir()} == {"run.json", "rows.jsonl", "scores.json"}


def test_the_same_command_again_asks_nothing(indexed: list[str], capsys: Capsys) -> None:
    with scripted(Line(None, ANSWER, times=6)) as (model, _):
        first, again = (run(capsys, *indexed, "--set", f"chat_model={model}") for _ in range(2))
    assert first == again


def test_json_is_one_object(indexed: list[str], capsys: Capsys) -> None:
    with scripted(Line(None, ANSWER, times=2)) as (model, _):
        options = ["--limit", "1", "--metric", "f1", "--json", "--out", "kept"]
        ran = run(capsys, *indexed, *options, "--set", f"chat_model={model}")
    assert ran.object["valid"] and ran.object["folder"] == "kept"
    assert ran.object["scores"]["naive"]["metrics"].keys() == {"f1"}
    assert ran.object["run"]["questions"]["limit"] == 1
    assert (ran.object["failed"], ran.object["unscored"]) == ([], {})


def test_too_few_scored_rows_make_the_run_invalid_and_exit_1(indexed: list[str], capsys: Capsys) -> None:
    with scripted(Line("You rate", "no idea", times=6), Line(None, ANSWER, times=6)) as (model, _):
        options = ["--judge", model, "--metric", "correctness", "--set", f"chat_model={model}"]
        ran = run(capsys, *indexed, *options)
    assert ran.status == 1
    reason = "the judge's reply holds no rating"
    assert f"not scored: correctness, 6× (naive q0, crag q0, naive q1 and 3 more): {reason}" in ran.out
    assert "Invalid: naive correctness was scored on 0 of 3 rows; crag correctness was" in ran.out
    with scripted(Line("You rate", "no idea", times=6)) as (model, _):
        options = ["--judge", model, "--metric", "correctness", "--set", f"chat_model={model}"]
        found = run(capsys, *indexed, *options, "--json").object["unscored"]
    every = [{"pattern": pattern, "id": f"q{n}"} for n in range(3) for pattern in ("naive", "crag")]
    assert found == {"correctness": {reason: every}}


def test_failed_questions_are_named(indexed: list[str], capsys: Capsys) -> None:
    lines = [Line("tower 1", ModelError("the endpoint refuses")), Line(None, ANSWER, times=2)]
    with scripted(*lines) as (model, _):
        ran = run(capsys, *indexed, "--pattern", "naive", "--metric", "f1", "--set", f"chat_model={model}")
    assert ran.status == 0
    assert "failed: naive, q1: the endpoint refuses" in ran.out
    assert "not scored: f1, 1× (naive q1): not answered: the endpoint refuses" in ran.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--pattern", "crack"], "error: pattern='crack': unknown; known are naive"),
        (["--pattern", ","], "error: --pattern ',': names no pattern"),
        (["--pattern", "naive", "--retrieval-only"], "error: --retrieval-only runs no pattern"),
        (["--metric", "beauty"], "error: metric 'beauty': unknown"),
        (["--collection", "none"], "error: no collection 'none'"),
        (["--split", "test"], "error: questions"),
    ],
)
def test_bad_use_is_one_line(indexed: list[str], options: list[str], message: str, capsys: Capsys) -> None:
    ran = run(capsys, *indexed, *options)
    assert ran.status == 2 and ran.err.startswith(message) and ran.err.count("\n") == 1
    assert not Path("runs").exists()


def test_one_reason_is_one_line(indexed: list[str], capsys: Capsys) -> None:
    with scripted(Line(None, ModelError("the endpoint refuses"), times=6)) as (model, _):
        ran = run(capsys, *indexed, "--set", f"chat_model={model}")
    assert ran.status == 1
    failed = [line for line in ran.out.splitlines() if "refuses" in line]
    assert len(failed) == 2 and failed[0].endswith(
        "faithfulness, false_refusal, 6× (naive q0, crag q0, naive q1 and 3 more): not answered: the endpoint refuses"
    )
    assert failed[1].endswith(" and 5 more: the endpoint refuses")


def test_questions_alone_are_answered_and_it_says_what_scoring_takes(indexed: list[str], capsys: Capsys) -> None:
    file = Path(indexed[1])
    file.write_text('{"question": "How tall is tower 1?", "anwsers": ["330"]}\n')
    with scripted(Line(None, "NOT FOUND", times=1)) as (model, _):
        ran = run(capsys, *indexed, "--pattern", "naive", "--out", "kept", "--set", f"chat_model={model}")
    assert (ran.status, len(read_rows(Path("kept")))) == (0, 1)
    assert "Nothing to score: give answers, rel or --judge." in ran.out
    assert ran.err == "warning: questions 'mine.jsonl': columns that are not read: 'anwsers' (is it answers?)\n"
    refused = run(capsys, "eval", str(file), "--retrieval-only")
    assert refused.status == 2 and refused.err.startswith("error: --retrieval-only scores by the sources that answer")


def test_the_table_says_what_the_evaluator_is_worth(indexed: list[str], capsys: Capsys) -> None:
    file = Path(indexed[1])
    file.with_name("cats.md").write_text("A cat in a tower purrs.")
    index([file.with_name("cats.md")])
    known = {"question": "How tall is the Eiffel tower?", "answers": ["330 metres"]}
    table, listed = (
        lines_of(run_graded(capsys, indexed, known | {"rel": rel}))
        for rel in ({"paris.md": 2, "cats.md": 0}, ["paris.md"])
    )
    assert "AUC, evaluator embedded – 1.000 of 2 passages" in table
    assert "calibration error – 0.050" in table
    assert "correct: relevant, not – 1, 0" in table and "incorrect: relevant, not – 0, 1" in table
    assert not [line for line in listed if line.startswith(("AUC", "calibration"))]
    assert [line for line in listed if line.startswith("Evaluator embedded: no AUC, calibration or tiers, since of 1 ")]


def run_graded(capsys: Capsys, indexed: list[str], question: dict[str, object]) -> str:
    """Return what an evaluation by this one question says; its folder is one of its own."""
    Path(indexed[1]).write_text(json.dumps(question))
    with scripted(Line(None, ANSWER, times=2)) as (model, _):
        return run(capsys, *indexed, "--set", f"chat_model={model}").out


def lines_of(said: str) -> list[str]:
    return [" ".join(line.split()) for line in said.splitlines()]


def test_without_the_embedded_evaluator_a_default_run_is_valid(
    indexed: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    monkeypatch.setattr("groundgraph.evaluation.embedded_judge.find_spec", lambda name: None)
    with scripted(Line(None, ANSWER, times=3)) as (model, _):
        ran = run(capsys, *indexed, "--pattern", "naive", "--set", f"chat_model={model}")
    assert ran.status == 0 and "not scored" not in ran.out and "answer_relevancy" not in ran.out


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT")
def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    slow = {"seconds": 0.0}

    def reply(request: Request) -> str:
        asked = sum("messages" in one for one in endpoint.requests)
        time.sleep(slow["seconds"] if asked > 1 else 0)
        return ANSWER

    with Endpoint(reply=reply) as endpoint:
        endpoint.configure(monkeypatch, embedding_model="openai:test")
        index([file.with_name("paris.md")])
        slow["seconds"] = 30.0
        arguments = ["eval", str(file), "-p", "naive", "--metric", "containment", "--concurrency", "1", "--out", "kept"]
        command = [sys.executable, "-c", "from groundgraph.cli import main; main()", *arguments]
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
        with subprocess.Popen(
            command, env=environment, stderr=subprocess.PIPE, text=True, preexec_fn=hears_ctrl_c
        ) as running:
            while sum("messages" in one for one in endpoint.requests) < 2 and running.poll() is None:
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            _, said = running.communicate(timeout=60)
        assert running.returncode == 130
        assert said == "stopped; what is done is in kept: the same command goes on\n"
        assert [row.id for row in read_rows(Path("kept"))] == ["q0"]

        slow["seconds"] = 0.0
        asked = sum("messages" in one for one in endpoint.requests)
        assert run(capsys, *arguments).status == 0
        assert sum("messages" in one for one in endpoint.requests) == asked + 2
    assert read_scores(Path("kept")).patterns["naive"].metrics["containment"].mean == 1
