"""`groundgraph evaluator`: commands about the embedded evaluator."""

from pathlib import Path
from typing import Annotated

import typer

evaluator = typer.Typer(help="Train the embedded evaluator.", rich_markup_mode=None, add_completion=False)


@evaluator.callback()
def group() -> None:
    """Train the embedded evaluator."""


@evaluator.command()
def train(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA_DIR",
            envvar="GROUNDGRAPH_QA",
            help="Folder with corpus.jsonl and queries.jsonl.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write the weights instead of where they are used.")
    ] = None,
) -> int:
    """Learn from labelled questions, and record what was measured."""
    from groundgraph.grading.train import main

    return main([str(data), *(["--out", str(out)] if out else [])])
