"""Each example runs as its docstring says; those that call a server run in tests/server."""

import sys
from collections.abc import Callable
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from tests.doubles import FixedEvaluator, FixedSearch, FixedWeb, passage
from tests.endpoint import Endpoint, Request

EXAMPLES = Path(__file__).parents[2] / "examples"
HANDBOOK = "The notice period is three months."
LAW = "By law, one month is the shortest notice."
ANSWER = "The notice period is three months [1]."
QUESTION = "How long is the notice period?"
OTHER = "Who waters the plants?"


@pytest.fixture(autouse=True)
def documents(finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator]) -> FixedEvaluator:
    finds([passage(HANDBOOK, "handbook.md"), passage("Lunch is at noon.", "canteen.md")])
    return evaluates({"three months": 0.9})


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run an example as its docstring says, and return what it prints."""

    def run(name: str, *arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", [name, *arguments])
        with pytest.raises(SystemExit) as ended:
            run_path(str(EXAMPLES / name), run_name="__main__")
        assert not ended.value.code
        return capsys.readouterr().out

    return run


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Any:
    with Endpoint(reply=ANSWER) as endpoint:
        endpoint.configure(monkeypatch)
        yield endpoint


def test_invoke(run: Callable[..., str], endpoint: Endpoint) -> None:
    answer, citation, *path = run("invoke.py", QUESTION, "--collection", "work").splitlines()
    assert answer == ANSWER
    assert citation == f"[1] handbook.md, characters 0-34: “{HANDBOOK}”"
    assert [line.partition(" ")[0] for line in path] == ["receive", "retrieve", "grade", "refine", "generate"]


def test_invoke_where_the_documents_do_not_answer(
    run: Callable[..., str], documents: FixedEvaluator, endpoint: Endpoint
) -> None:
    documents.scores = {}
    assert run("invoke.py", OTHER).splitlines()[-1].startswith("Refused: no passage answers the question")
    assert endpoint.requests == []


def test_subgraph(run: Callable[..., str], documents: FixedEvaluator, endpoint: Endpoint) -> None:
    assert run("subgraph.py", QUESTION).splitlines() == [ANSWER, "assigned to: nobody"]
    documents.scores = {}
    answer, assigned = run("subgraph.py", OTHER).splitlines()
    assert answer.startswith("A colleague will answer you: no passage") and assigned == "assigned to: second level"


def test_agent(
    run: Callable[..., str],
    documents: FixedEvaluator,
    web: Callable[..., FixedWeb],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It looks up, is refused, lets the tool correct itself, and the person agrees to the query."""
    documents.scores = {"By law": 0.9}
    searched = web(LAW)
    agreed: list[str] = []
    monkeypatch.setattr("typer.confirm", lambda text: agreed.append(text) or True)

    def tool_calls(request: Request) -> list[dict[str, Any]]:
        if "tools" not in request:
            return []
        looked_up = sum(message["role"] == "tool" for message in request["messages"])
        return [{"name": "look_up", "args": {"question": QUESTION, "correct": looked_up == 1}}] if looked_up < 2 else []

    def reply(request: Request) -> str:
        prompt = request["messages"][0]["content"]
        if "web search query" in prompt:
            return "shortest notice period by law"
        return "By law, one month at least [1]." if "numbered passages" in prompt else "At least a month [1]."

    with Endpoint(reply=reply, tool_calls=tool_calls) as endpoint:
        endpoint.configure(monkeypatch)
        said = run("agent.py", QUESTION, "--collection", "work")
    assert agreed == ["Send 'shortest notice period by law' to tavily?"]
    assert searched.queries == ["shortest notice period by law"]
    assert "Refused: no passage answers the question" in said
    assert "By law, one month at least [1].\n[1] https://example.org/1" in said
    assert said.rstrip().endswith("At least a month [1].")


def test_the_readme_names_every_example() -> None:
    named = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    files = {path.name for path in EXAMPLES.iterdir() if path.suffix in {".py", ".sh"}} - {"__init__.py"}
    assert {name for name in files if f"[{name}]({name})" not in named} == set()
