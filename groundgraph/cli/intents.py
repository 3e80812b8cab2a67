"""`groundgraph intents`: commands about the router's embedded intent classifier."""

from pathlib import Path
from typing import Annotated

import typer

intents = typer.Typer(help="Train the router's intent classifier.", rich_markup_mode=None, add_completion=False)


@intents.callback()
def group() -> None:
    """Train the router's intent classifier."""


@intents.command()
def train(
    check: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSON of utterances apart from training, to measure on.")
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(metavar="DATA_DIR", envvar="GROUNDGRAPH_QA", help="Folder with queries.jsonl, to measure on."),
    ] = None,
) -> int:
    """Learn from the project's own utterances, and record what was measured."""
    from groundgraph.grading.intent_training import main

    given = {"--check": check, "--questions": questions}
    return main([word for option, value in given.items() if value for word in (option, str(value))])
