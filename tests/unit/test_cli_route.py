"""`groundgraph ask --explain-route`: what the router would do, without doing it."""

from pathlib import Path

import pytest

from groundgraph.knowledge.index import Collection, index
from tests.cli import run
from tests.embedder import use_bag_embedder

Capsys = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def collections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    monkeypatch.setattr(
        "nodes.classify_intent.embedded_intent", lambda text: {"simple_fact": 0.7, "vague": 0.2, "smalltalk": 0.1}
    )
    for name, about in (("hotels", "hotels and rooms"), ("kettles", "kettles and water")):
        file = tmp_path / f"{name}.md"
        file.write_text(f"All about {about}.")
        index([file], name)
        Collection.open(name).describe(about)


def test_all_scores_and_what_would_run(capsys: Capsys) -> None:
    ran = run(capsys, "ask", "How many rooms have hotels?", "--explain-route", "-c", "*")
    assert ran.status == 0 and ran.err == ""
    assert [line.split() for line in ran.out.splitlines()] == [
        ["Intents"],
        ["simple_fact", "0.70"],
        ["vague", "0.20"],
        ["smalltalk", "0.10"],
        ["Collections"],
        ["hotels", "0.516", "searched"],
        ["kettles", "0.000", "left", "out"],
        ["Would", "run:", "crag", "(simple_fact", "→", "crag)"],
    ]


def test_as_json(capsys: Capsys) -> None:
    route = run(capsys, "ask", "How many rooms have hotels?", "--explain-route", "-c", "*", "--json").object
    assert route["pattern"] == "crag" and route["collections"] == ["hotels"]
    assert route["intents"] == {"simple_fact": 0.7, "vague": 0.2, "smalltalk": 0.1}
    assert route["collection_scores"].keys() == {"hotels", "kettles"}


def test_one_collection_has_no_score(capsys: Capsys) -> None:
    ran = run(capsys, "ask", "How many rooms have hotels?", "--explain-route", "-c", "hotels")
    assert "  hotels                  searched" in ran.out.splitlines()


def test_a_forced_pattern_has_no_intents(capsys: Capsys) -> None:
    options = ["--explain-route", "-c", "hotels", "--set", "router.pattern=naive"]
    ran = run(capsys, "ask", "How many rooms have hotels?", *options)
    assert "Intents" not in ran.out and "Would run: naive (forced → naive)" in ran.out


def test_only_the_router_has_a_route(capsys: Capsys) -> None:
    ran = run(capsys, "ask", "How many rooms?", "--explain-route", "-p", "naive")
    assert ran.status == 2
    assert ran.err == "error: --explain-route with pattern='naive': only the router chooses; leave --pattern out\n"
