"""The command line: one file a command. Heavy imports wait inside the commands, so that `--help` is instant."""

import os
from typing import NoReturn

INTERRUPTED = 130
"""Exit status after Ctrl-C."""


def main() -> NoReturn:
    """Run this process's command line and end with its exit status, also where Ctrl-C comes while it is imported."""
    try:
        from groundgraph.cli.app import main as run
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
    run()
