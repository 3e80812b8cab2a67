"""With the web off nothing leaves the machine: no connection and no look-up but of the machine itself."""

import socket
import subprocess
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from graphs.catalogue import PATTERNS, load
from groundgraph.errors import ModelError
from groundgraph.knowledge.index import index
from tests.cli import run
from tests.doubles import FixedEvaluator
from tests.embedder import use_bag_embedder
from tests.endpoint import Endpoint
from tests.network import nothing_leaves

pytestmark = pytest.mark.enable_socket  # what watches here sees what was tried, and blocks look-ups too

ANSWER = "The Eiffel Tower is 330 metres tall [1]."
QUESTIONS = {"How tall is the Eiffel Tower?": 0.9, "Who painted the Mona Lisa?": 0.1}
"""One that the documents answer, and one that they do not, for which a pattern would search the web."""


@pytest.fixture
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, evaluates: Callable[..., FixedEvaluator]) -> Path:
    """Return a folder of documents, on a machine where every web provider is set up."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "tower.md").write_text("The Eiffel Tower is 330 metres tall. See https://example.org/tower.")
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-secret")
    monkeypatch.setenv("SEARXNG_BASE_URL", "https://search.example.org")
    use_bag_embedder(monkeypatch)
    evaluates({})
    monkeypatch.setattr("nodes.classify_intent.embedded_intent", lambda text: {"simple_fact": 0.9})
    monkeypatch.setattr("groundgraph.knowledge.web_client.wait_random_exponential", lambda **_: lambda _: 0)
    return tmp_path / "notes"


@pytest.mark.parametrize("pattern", PATTERNS)
def test_nothing_leaves_the_machine(
    pattern: str, private: Path, evaluates: Callable[..., FixedEvaluator], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither where a model answers at an endpoint of the machine, nor where sentences are quoted."""
    with Endpoint(reply=ANSWER) as endpoint, nothing_leaves() as attempts:
        endpoint.configure(monkeypatch)
        index([private])
        for (question, score), answerer in product(QUESTIONS.items(), ("model", "extractive")):
            evaluates({"330": score})
            try:
                context = {"answerer": answerer, "rewrite": "on"}
                result = load(pattern).invoke({"question": question}, context=context)
            except ModelError as error:
                assert answerer == "extractive" and "need a chat model" in str(error)
            else:
                assert result["steps"] and not result["usage"]["searches"]
    assert attempts == []


def test_nor_does_it_from_the_command_line(private: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with nothing_leaves() as attempts:
        for command in (
            ["index", str(private)], ["chunks", "tower"], ["collections"], ["doctor"], ["feedback", "last", "up"],
            ["ask", "How tall is the Eiffel Tower?", "--pattern", "crag", "--set", "answerer=extractive"],
        ):  # fmt: skip
            run(capsys, *command)
    assert attempts == []


@pytest.mark.parametrize(
    ("provider", "host"),
    [("tavily", "api.tavily.com"), ("searxng", "search.example.org"), ("collection:default", None)],
)
def test_with_the_web_on_the_provider_is_asked_and_no_one_else(provider: str, host: str | None, private: Path) -> None:
    context = {"answerer": "extractive", "web_search": "on", "web_provider": provider}
    with nothing_leaves() as attempts:
        index([private])
        result = load("crag").invoke({"question": "Who painted the Mona Lisa?"}, context=context)
    assert result["refused"]
    assert {*attempts} == ({f"socket.getaddrinfo {host}"} if host else set())
    assert bool(result["warnings"]) == bool(host)


def send_datagram() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as sender:
        sender.sendto(b"secret", ("192.0.2.1", 53))


@pytest.mark.parametrize(
    "leave",
    [
        lambda: socket.create_connection(("192.0.2.1", 80), 1),
        lambda: socket.getaddrinfo("example.org", 80),
        lambda: socket.gethostbyname("example.org"),
        send_datagram,
        lambda: subprocess.run(["curl", "https://example.org"], check=False),
    ],
)
def test_what_would_leave_is_seen(leave: Callable[[], object]) -> None:
    with nothing_leaves() as attempts, pytest.raises(OSError, match="nothing may leave"):
        leave()
    assert len(attempts) == 1


@pytest.mark.local
def test_nor_does_anything_with_the_embedded_models(tmp_path: Path) -> None:
    (tmp_path / "tower.md").write_text("The Eiffel Tower is 330 metres tall.")
    with nothing_leaves() as attempts:
        index([tmp_path / "tower.md"])
        context = {"answerer": "extractive", "rerank": "evaluator"}
        result = load("router").invoke({"question": "How tall is the Eiffel Tower?"}, context=context)
    assert attempts == [] and result["citations"]
