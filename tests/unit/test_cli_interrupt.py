"""Ctrl-C ends a real run at once, with status 130 and no traceback; in a chat it ends the answer only."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundgraph.knowledge.index import index
from tests.cli import hears_ctrl_c
from tests.endpoint import Endpoint

ASK = ["ask", "How deep is the sea?", "-p", "naive"]


CODE = "from groundgraph.cli import main; main()"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """Serve a slow model, with one document in the collection."""
    note = tmp_path / "sea.md"
    note.write_text("The sea is deep.")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with Endpoint(reply=lambda request: "The sea is deep [1].") as endpoint:
        endpoint.configure(monkeypatch, embedding_model="openai:test")
        index([note])
        endpoint.latency = 30.0
        yield endpoint


def interrupt(running: subprocess.Popen[str], endpoint: Endpoint) -> None:
    """Press Ctrl-C as soon as the endpoint is asked."""
    before = len(endpoint.requests)
    while len(endpoint.requests) == before and running.poll() is None:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT")
def test_ctrl_c_while_the_model_is_slow(endpoint: Endpoint) -> None:
    command = [sys.executable, "-c", CODE, *ASK]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=hears_ctrl_c) as running:
        interrupt(running, endpoint)
        _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert said == ""


def test_ctrl_c_while_the_commands_are_imported() -> None:
    pressed = """
import sys
class Pressed:
    def find_spec(self, name, path, target=None):
        if name == "groundgraph.cli.ask":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Pressed())
"""
    command = [sys.executable, "-c", pressed + CODE, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT")
def test_ctrl_c_in_a_chat(endpoint: Endpoint) -> None:
    command = [sys.executable, "-c", CODE, "chat", "-p", "naive", "--set", "search_mode=keyword"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes, preexec_fn=hears_ctrl_c) as running:
        assert running.stdin
        running.stdin.write("How deep is the sea?\n")
        running.stdin.flush()
        interrupt(running, endpoint)
        endpoint.latency = 0.0
        out, said = running.communicate("Is the sea deep?\n", timeout=10)
    assert (running.returncode, out, said) == (0, "The sea is deep [1].\n", "stopped\n")
