"""The application: its commands, its exit statuses, and its errors in one line."""

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from groundgraph.cli import INTERRUPTED
from groundgraph.cli.ask import ask
from groundgraph.cli.chat import chat
from groundgraph.cli.chunks import chunks
from groundgraph.cli.collections import collections
from groundgraph.cli.compare import compare
from groundgraph.cli.doctor import doctor
from groundgraph.cli.evaluate import evaluate
from groundgraph.cli.evaluator import evaluator
from groundgraph.cli.feedback import feedback
from groundgraph.cli.graph import graph
from groundgraph.cli.index import index
from groundgraph.cli.intents import intents
from groundgraph.cli.self_rag import self_rag
from groundgraph.cli.serve import serve
from groundgraph.cli.terminal import write_json
from groundgraph.cli.testset import testset
from groundgraph.cli.tune import tune
from groundgraph.errors import GroundgraphError

BAD_USE = 2

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
for command in (index, ask, chat, feedback, compare, tune, testset, chunks, graph, doctor, serve):
    app.command()(command)
app.command("eval")(evaluate)
app.add_typer(collections, name="collections")
app.add_typer(evaluator, name="evaluator")
app.add_typer(intents, name="intents")
app.add_typer(self_rag, name="self-rag")


@app.callback()
def root(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error; may stand anywhere.")] = False,
) -> None:
    """Answer questions from your own documents, with numbered citations, or say that they hold no answer."""


def main() -> NoReturn:
    """Run this process's command line and end with its exit status."""
    status = run(sys.argv[1:])
    if status == INTERRUPTED:
        sys.stdout.flush()
        os._exit(status)  # an ordinary exit would first wait for threads that wait on a network
    sys.exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit status: 0 done, 1 partly done, 2 bad use, 3 refused, 130 interrupted.

    An error is one line on stderr; with `--json` it is the one JSON object on stdout.
    """
    given = list(arguments) or ["--help"]
    debug = "--debug" in given
    try:
        status = app([word for word in given if word != "--debug"], prog_name="groundgraph", standalone_mode=False)
    except typer.Abort:  # Ctrl-C or Ctrl-D where a person was asked; elsewhere Typer returns 130 by itself
        return INTERRUPTED
    except (GroundgraphError, typer.TyperException, OSError) as error:
        if debug:
            traceback.print_exc()
        message = _message(error)
        if "--json" in given:
            write_json({"error": message})
        else:
            typer.echo(f"error: {message}", err=True)
        return BAD_USE
    return int(status or 0)


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename!r}: {str(error.strerror).lower()}; check that it exists and that you may use it"
    if not isinstance(error, typer.TyperException):
        return str(error)
    usage = getattr(error, "ctx", None)  # only usage errors know their command
    hint = f" See {usage.command_path} --help." if usage else ""
    return f"{' '.join(error.format_message().split())}{hint}"
