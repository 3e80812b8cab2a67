"""The directive `commands`: the help of every command of the application, as it is printed."""

import io
import os
from collections.abc import Iterator
from contextlib import redirect_stdout
from typing import Any
from unittest.mock import patch

import typer
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from groundgraph.cli.app import app as application
from groundgraph.cli.app import run

COLUMNS = "100"


def names(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of the command itself and of every command below it."""
    yield path
    for name, below in getattr(command, "commands", {}).items():
        yield from names(below, (*path, name))


def help_of(path: tuple[str, ...]) -> str:
    """Return what `groundgraph … --help` prints."""
    printed = io.StringIO()
    with redirect_stdout(printed), patch.dict(os.environ, {"COLUMNS": COLUMNS}):
        run([*path, "--help"])
    return printed.getvalue()


class Commands(SphinxDirective):
    """A section for each command, in the order in which the application lists them."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        lines: list[str] = []
        for path in names(typer.main.get_command(application)):
            title = " ".join(("groundgraph", *path))
            lines += [title, "-" * len(title), "", ".. code-block:: text", ""]
            lines += [f"   {line}" for line in help_of(path).strip().splitlines()] + [""]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
