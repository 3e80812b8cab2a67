"""The command line: one file a command. Heavy imports wait inside the commands, so that `--help` is instant."""

from groundgraph.cli.app import main

__all__ = ["main"]
