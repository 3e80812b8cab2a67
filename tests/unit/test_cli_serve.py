"""`groundgraph serve`: on loopback only, from the project's folder, telling nobody."""

import os
import socket
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import groundgraph
from tests.cli import run

Capsys = pytest.CaptureFixture[str]
PROJECT = Path(groundgraph.__file__).parents[1]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], dict[str, str], Path]]:
    """Record what would replace this process."""
    calls: list[tuple[list[str], dict[str, str], Path]] = []
    monkeypatch.setattr(os, "execve", lambda path, command, env: calls.append((command, env, Path.cwd())))
    return calls


def test_the_server_starts_on_loopback(
    started: list[tuple[list[str], dict[str, str], Path]], capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(PROJECT / "docs")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert run(capsys, "serve", "--port", str(port)).status == 0
    ((command, environment, folder),) = started
    assert command[:4] == [sys.executable, "-m", "langgraph_cli", "dev"]
    assert command[command.index("--host") + 1] == "127.0.0.1" and "--no-browser" in command
    assert environment["LANGGRAPH_CLI_NO_ANALYTICS"] == "1"
    assert folder == PROJECT


def test_a_port_in_use_is_one_line(capsys: Capsys) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = run(capsys, "serve", "--port", str(taken.getsockname()[1]))
    assert ran.status == 2
    assert ran.err.endswith(": Address already in use; choose another with --port\n")


def test_without_the_server_extra(monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    absent = {"langgraph_cli", "langgraph_api"}
    monkeypatch.setattr("groundgraph.cli.serve.find_spec", lambda name: None if name in absent else find_spec(name))
    ran = run(capsys, "serve")
    assert ran.err == "error: the LangGraph server is not installed: pip install '.[server]'\n"
