"""The examples that call a running server."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.conftest import HANDBOOK_ANSWER, Server

pytestmark = [pytest.mark.local, pytest.mark.server]

EXAMPLES = Path(__file__).parents[2] / "examples"
QUESTION = "How long is the notice period?"


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_sdk(server: Server) -> None:
    asked = [QUESTION, "And how long is it for interns?", "--collection", "work", "--url", server.url]
    first, source, second, *_ = run(sys.executable, str(EXAMPLES / "sdk.py"), *asked).splitlines()
    assert first == second == HANDBOOK_ANSWER
    assert source.startswith("[1] ") and source.endswith("handbook.md, Contracts")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_http(server: Server) -> None:
    whole, streamed = run("bash", str(EXAMPLES / "http.sh"), server.url).split("\n", 1)
    assert f'"answer":"{HANDBOOK_ANSWER}"' in whole
    assert "event: messages" in streamed and "event: values" in streamed
