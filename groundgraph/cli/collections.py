"""`groundgraph collections`: what is indexed."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groundgraph.cli.terminal import size, write, write_json

if TYPE_CHECKING:
    from groundgraph.knowledge.store import CollectionInfo

PIPED_WIDTH = 1000
"""Columns where there is no terminal: lines are not to be broken."""


def collections(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """List the collections."""
    found = all_collections()
    if as_json:
        write_json({"collections": found})
    elif found:
        _show(found)
    else:
        write("No collections yet: groundgraph index PATH makes one.")


def all_collections() -> list[dict[str, Any]]:
    """Return every collection as plain JSON values, its size in bytes."""
    from groundgraph.knowledge.index import collections as find

    return [_object(info) for info in find()]


def _object(info: "CollectionInfo") -> dict[str, Any]:
    files = [info.path] if info.path.is_file() else info.path.rglob("*")
    return {
        "name": info.name,
        "documents": info.documents,
        "chunks": info.chunks,
        "embedding_model": info.embedding_model,
        "bytes": sum(file.stat().st_size for file in files if file.is_file()),
        "path": str(info.path),
    }


def _show(found: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("Name", box=None, pad_edge=False)
    for title in ("Documents", "Chunks"):
        table.add_column(title, justify="right")
    table.add_column("Embedding model")
    table.add_column("Size", justify="right")
    table.add_column("Path", overflow="fold")
    for row in found:
        counts = [f"{row[key]:,}" for key in ("documents", "chunks")]
        table.add_row(row["name"], *counts, row["embedding_model"], size(row["bytes"]), row["path"])
    Console(width=None if sys.stdout.isatty() else PIPED_WIDTH, markup=False, highlight=False).print(table)
