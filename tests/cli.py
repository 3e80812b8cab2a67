"""Run the command line as a person would, in this process."""

import json
import signal
import sys
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from groundgraph.cli.app import run as run_command

hears_ctrl_c = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
"""For `preexec_fn`: a shell that starts the tests in the background has them, and their children, ignore it."""


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str

    @property
    def object(self) -> Any:
        """What stands on stdout, which must be one JSON value and nothing else."""
        return json.loads(self.out)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> Ran:
    status = run_command(arguments)
    out, err = capsys.readouterr()
    return Ran(status, out, err)


def run_at_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Ran:
    """Run as if all three streams were a terminal."""
    with monkeypatch.context() as patched:
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            patched.setattr(stream, "isatty", lambda: True)
        return run(capsys, *arguments)
