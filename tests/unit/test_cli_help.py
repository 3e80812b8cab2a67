"""Every command's help text, and how fast it comes."""

import subprocess
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli import run

COMMANDS = ["", "index", "ask", "chat", "feedback", "eval", "compare", "tune", "chunks", "graph", "doctor", "serve"]
COMMANDS += [
    "testset",
    "collections",
    "evaluator",
    "intents",
    "intents train",
    "self-rag",
    "self-rag label",
    "self-rag train",
]
ACTIONS = ("list", "create", "describe", "inspect", "delete", "export", "import")
COMMANDS += [f"collections {action}" for action in ACTIONS]
COMMANDS += [f"evaluator {action}" for action in ("train", "calibrate", "check", "drift", "label", "export")]
HEAVY = ("langgraph", "langchain", "langchain_core", "numpy", "faiss", "rich")


@pytest.fixture(autouse=True)
def width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.parametrize("command", COMMANDS)
def test_help(command: str, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion) -> None:
    ran = run(capsys, *command.split(), "--help")
    assert ran.status == 0
    assert ran.out == snapshot


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys).out == run(capsys, "--help").out


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from groundgraph.cli.app import run; run(['ask', '--help']); print(*sys.modules, file=sys.stderr)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert not set(HEAVY) & set(done.stderr.split())
