"""`groundgraph index`: read documents into a collection."""

from collections.abc import Mapping
from itertools import islice
from typing import Annotated

import typer

from groundgraph.cli.terminal import printable, shows_progress, write

PARTLY_READ = 1
MOST_HIDDEN = 20
"""Documents with hidden text that are named; of more, their number is said."""


def index(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH", help="Files, folders and http(s) addresses to read.", show_default=False),
    ],
    collection: Annotated[
        str, typer.Option("--collection", "-c", metavar="NAME", help="Collection to read them into.")
    ] = "default",
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Each row of a .jsonl file is a document.")] = False,
    embedding_model: Annotated[
        str | None, typer.Option(metavar="PROVIDER:MODEL", help="Embedding model of a new collection.")
    ] = None,
    chunker: Annotated[
        str | None, typer.Option(metavar="NAME", help="How to cut documents; kept for the next time.")
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove the documents of a folder that is not there any more.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say only what could not be read.")] = False,
) -> int:
    """Read files, folders and addresses into a collection.

    What has not changed is not embedded again, and what is gone is removed. Reads .md .txt .html .pdf .docx .pptx
    .xlsx .eml .epub .csv .json .jsonl, programs and other text. Exit status: 0 all was read, 1 some files could not
    be read, 2 nothing could be read or bad use.
    """
    from groundgraph.cli.progress import bars
    from groundgraph.knowledge.index import index as bring_up_to_date

    with bars(show=shows_progress(quiet=quiet)) as report:
        done = bring_up_to_date(
            paths,
            collection,
            jsonl=jsonl,
            embedding_model=embedding_model,
            chunker=chunker,
            prune=prune,
            progress=report,
        )
    if not quiet:
        write(
            f"{collection}: {done.added} added, {done.updated} updated, {done.unchanged} unchanged, "
            f"{done.removed} removed; {done.chunks} chunks, {done.embedded} embedded"
        )
        _say_hidden(done.hidden)
    for unreadable in done.unreadable:
        typer.echo(f"not read: {printable(unreadable.source)}: {printable(unreadable.reason)}", err=True)
    return PARTLY_READ if done.unreadable else 0


def _say_hidden(hidden: Mapping[str, str]) -> None:
    for source, what in islice(hidden.items(), MOST_HIDDEN):
        typer.echo(f"left out: {printable(source)}: {what}", err=True)
    if len(hidden) > MOST_HIDDEN:
        typer.echo(f"left out: hidden text of {len(hidden) - MOST_HIDDEN:,} more documents", err=True)
