"""Ctrl-C ends a real run at once, with status 130 and no traceback."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from groundgraph.knowledge.index import index
from tests.endpoint import Endpoint

ASK = ["ask", "How deep is the sea?", "-p", "naive"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT")
def test_ctrl_c_while_the_model_is_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = tmp_path / "sea.md"
    note.write_text("The sea is deep.")
    with Endpoint() as endpoint:
        endpoint.configure(monkeypatch, embedding_model="openai:test")
        index([note])
        endpoint.latency = 30.0
        code = "from groundgraph.cli import main; main()"
        root = Path(__file__).parents[2]
        environment = os.environ | {"PYTHONPATH": str(root)}
        command = [sys.executable, "-c", code, *ASK]
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as running:
            before = len(endpoint.requests)
            while len(endpoint.requests) == before and running.poll() is None:
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            _, said = running.communicate(timeout=10)
    assert running.returncode == 130
    assert said == ""
