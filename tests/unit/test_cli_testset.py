"""`groundgraph testset`: what it prints and keeps, its exit statuses, Ctrl-C, and the embedded models."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from groundgraph.evaluation.questions import load_questions
from groundgraph.evaluation.testset.records import read_card
from groundgraph.knowledge.index import index
from tests.cli import hears_ctrl_c, run
from tests.endpoint import Endpoint, Request

Capsys = pytest.CaptureFixture[str]

HEIGHTS = {"Amber": 310, "Birch": 320, "Cedar": 330}
TEXT = "{name} Tower rises {height} metres above the harbour of its city and was finished by local masons."


def said(request: Request) -> str:
    """Make a good question of a sentence about a tower, one that points at nothing otherwise; grade everything yes."""
    prompt = request["messages"][-1]["content"]
    if "Does the passage help?" in prompt:
        return "yes"
    if found := re.search(r"Sentence: (\w+) Tower rises (\d+)", prompt):
        return json.dumps({"answer": f"{found[2]} metres", "question": f"How high is the {found[1]} Tower?"})
    return json.dumps({"answer": "tall", "detail": "height", "question": "How tall is it?"})


@pytest.fixture
def notes(tmp_path: Path) -> list[Path]:
    for name, height in HEIGHTS.items():
        (tmp_path / f"{name}.md").write_text(TEXT.format(name=name, height=height))
    return [tmp_path / f"{name}.md" for name in HEIGHTS]


def made(*options: str) -> list[str]:
    return ["testset", "notes", "--set", "evaluator=llm", "--multi", "0", *options]


def test_questions_are_made_counted_and_asked(
    notes: list[Path], capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Endpoint(reply=said) as endpoint:
        endpoint.configure(monkeypatch, embedding_model="openai:test")
        index(notes, "notes")
        ran = run(capsys, *made("-n", "4", "--unanswerable", "0.25"))
        assert (ran.status, ran.err) == (1, "")  # no unanswerable one could be made
        assert ran.out.splitlines() == [
            "single: 3 wanted, 3 made, 3 kept",
            "unanswerable: 1 wanted, 3 made, 0 kept",
            "  discarded, 3×: does not stand alone",
            "Fewer than asked for: the rest was tried and discarded, or the collection holds no more to ask about",
            "Kept in notes-testset.jsonl, what was discarded in notes-testset.discarded.jsonl, "
            "how it was made in notes-testset.card.json",
            "Read the questions, then ask them: groundgraph eval notes-testset.jsonl --collection notes",
        ]
        asked = len(endpoint.requests)
        assert run(capsys, *made("-n", "4", "--unanswerable", "0.25")) == ran
        assert len(endpoint.requests) == asked
    assert len(load_questions(Path("notes-testset.jsonl")).items) == 3


def test_json_is_one_object(notes: list[Path], capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint(reply=said) as endpoint:
        endpoint.configure(monkeypatch, embedding_model="openai:test")
        index(notes, "notes")
        options = ["-n", "2", "--unanswerable", "0", "--out", "mine.jsonl", "--model", "openai:other", "--json"]
        ran = run(capsys, *made(*options))
        assert {request["model"] for request in endpoint.requests if "messages" in request} == {"other"}
    assert ran.status == 0 and ran.object["file"] == "mine.jsonl" and ran.object["complete"]
    assert ran.object["card"] == read_card(Path("mine.jsonl")).model_dump(mode="json")
    assert ran.object["card"]["counts"]["single"]["kept"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], "error: no collection 'none'"),
        (["notes", "--out", "x.csv"], "error: --out 'x.csv': questions are written as JSON Lines"),
        (["notes", "--out", "no/such/x.jsonl"], "error: --out 'no/such/x.jsonl': there is no such folder"),
        (["notes", "--multi", "0.9"], "error: multi=0.9 and unanswerable=0.2: the two shares may be at most 1"),
        (["notes", "--set", "top_k=0"], "error: Context.top_k=0"),
    ],
)
def test_bad_use_is_one_line(
    arguments: list[str], message: str, notes: list[Path], capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Endpoint(reply=said) as endpoint:
        endpoint.configure(monkeypatch, embedding_model="openai:test")
        index(notes, "notes")
        ran = run(capsys, "testset", *arguments)
        assert not any("messages" in request for request in endpoint.requests)
    assert ran.status == 2 and ran.err.startswith(message) and ran.err.count("\n") == 1


def test_without_a_chat_model_the_remedy_is_named(capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodes.model.default_chat_model", lambda: None)
    ran = run(capsys, "testset", "notes")
    assert ran.status == 2
    assert ran.err.startswith("error: groundgraph testset needs a chat model; no chat model: set OPENAI_API_KEY")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT")
def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(
    notes: list[Path], capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = {"seconds": 30.0}

    def reply(request: Request) -> str:
        if "Sentence:" in request["messages"][-1]["content"] and len(written()) > 1:
            time.sleep(slow["seconds"])
        return said(request)

    def written() -> list[Request]:
        return [one for one in endpoint.requests if "Sentence:" in str(one.get("messages"))]

    arguments = made("-n", "3", "--unanswerable", "0", "--concurrency", "1", "--out", "kept.jsonl")
    with Endpoint(reply=reply) as endpoint:
        endpoint.configure(monkeypatch, embedding_model="openai:test")
        index(notes, "notes")
        command = [sys.executable, "-c", "from groundgraph.cli import main; main()", *arguments]
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
        with subprocess.Popen(
            command, env=environment, stderr=subprocess.PIPE, text=True, preexec_fn=hears_ctrl_c
        ) as running:
            while len(written()) < 2 and running.poll() is None:
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            _, error = running.communicate(timeout=60)
        assert running.returncode == 130
        assert error == "stopped; what is done is in kept.jsonl: the same command goes on\n"
        assert len(load_questions(Path("kept.jsonl")).items) == 1

        slow["seconds"] = 0.0
        assert run(capsys, *arguments).status == 0
        assert len(written()) == 2 + 2
    assert len(load_questions(Path("kept.jsonl")).items) == 3


@pytest.mark.local
def test_the_embedded_models_make_a_question(capsys: Capsys) -> None:
    docs = Path(__file__).parents[2] / "docs"
    pages = [docs / "answers-and-citations.md", docs / "web-and-privacy.md", docs / "quick-start-zh.md"]
    assert run(capsys, "index", *map(str, pages), "--collection", "docs").status == 0
    ran = run(capsys, "testset", "docs", "-n", "1", "--json")
    assert ran.status == 0 and ran.object["card"]["model"].startswith("llamacpp:")
    for question in load_questions(Path("docs-testset.jsonl")).items:
        assert question.answerable and question.answers and len(question.rel or {}) == 1
