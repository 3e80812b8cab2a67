"""`groundgraph collections`: what is indexed, and what can be done with it as a whole."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groundgraph.cli.options import AsJSON
from groundgraph.cli.terminal import size, table_console, write, write_json

if TYPE_CHECKING:
    from groundgraph.knowledge.store import CollectionInfo, Unusable

SHOWN = 20
"""Documents that are named without --json."""

Name = Annotated[str, typer.Argument(metavar="NAME", help="Collection.", show_default=False)]

collections = typer.Typer(rich_markup_mode=None, add_completion=False)


@collections.callback(invoke_without_command=True)
def group(context: typer.Context, as_json: AsJSON = False) -> None:
    """List, make, inspect, delete or move collections."""
    if context.invoked_subcommand is None:
        list_all(as_json)


@collections.command("list")
def list_all(as_json: AsJSON = False) -> None:
    """List the collections."""
    found = all_collections()
    if as_json:
        write_json({"collections": found})
    elif found:
        _show(found)
    else:
        write("No collections yet: groundgraph index PATH makes one.")


@collections.command()
def create(
    name: Name,
    description: Annotated[str, typer.Option(metavar="TEXT", help="What it is about, in a line.")] = "",
    embedding_model: Annotated[
        str | None, typer.Option(metavar="PROVIDER:MODEL", help="Embedding model of its vectors.")
    ] = None,
    chunker: Annotated[str | None, typer.Option(metavar="NAME", help="How documents are cut.")] = None,
) -> None:
    """Make an empty collection."""
    from groundgraph.errors import CollectionError
    from groundgraph.knowledge.folders import collection_names
    from groundgraph.knowledge.index import Collection

    if name in collection_names():
        raise CollectionError(f"collection {name!r} exists: take another name, or delete it first")
    collection = Collection.open(name, embedding_model=embedding_model, chunker=chunker, create=True)
    collection.describe(description)
    write(f"{collection.name}: made, with {collection.info().embedding_model}")


@collections.command()
def describe(
    name: Name, description: Annotated[str, typer.Argument(metavar="TEXT", help="What it is about, in a line.")]
) -> None:
    """Say what a collection is about, by which the router picks those to search."""
    from groundgraph.knowledge.index import Collection

    Collection.open(name).describe(" ".join(description.split()))
    write(f"{name}: described")


@collections.command()
def inspect(name: Name, as_json: AsJSON = False) -> None:
    """Say what a collection is and which documents it holds."""
    from groundgraph.knowledge.index import Collection

    collection = Collection.open(name)
    found = {**_object(collection.info()), "sources": collection.sources()}
    if as_json:
        write_json(found)
        return
    sources = found.pop("sources")
    for key, value in found.items():
        shown = size(value) if key == "bytes" else f"{value:,}" if isinstance(value, int) else value
        write(f"{key.replace('_', ' ')}: {shown}")
    for source in sources[:SHOWN]:
        write(f"  {source}")
    if len(sources) > SHOWN:
        write(f"  and {len(sources) - SHOWN:,} more; --json shows all")


@collections.command()
def delete(
    name: Name, yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask whether it is meant.")] = False
) -> None:
    """Delete a collection, even a damaged one; the documents it was made from stay."""
    from groundgraph.errors import InputError
    from groundgraph.knowledge.index import delete as remove
    from groundgraph.knowledge.index import look_at
    from groundgraph.knowledge.store import Unusable

    found = look_at(name)
    if not yes:
        if not sys.stdin.isatty():
            raise InputError(f"collection {name!r} is not deleted without a person to ask: add --yes")
        held = ", which is damaged" if isinstance(found, Unusable) else f" with {found.documents:,} documents"
        typer.confirm(f"Delete {name}{held}?", abort=True)
    remove(name)
    write(f"{name}: deleted")


@collections.command()
def export(name: Name, file: Annotated[Path, typer.Argument(metavar="FILE", help="File to write, a new one.")]) -> None:
    """Write a collection into one file."""
    from groundgraph.knowledge.index import Collection

    Collection.open(name).export(file)
    write(f"{name}: exported to {file} ({size(file.stat().st_size)})")


@collections.command("import")
def import_one(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File that export wrote.", show_default=False)],
    name: Annotated[
        str | None, typer.Option("--collection", "-c", metavar="NAME", help="Its name here; by default the file's.")
    ] = None,
    embedding_model: Annotated[
        str | None,
        typer.Option(metavar="PROVIDER:MODEL", help="Model it must be made with; by default that of new collections."),
    ] = None,
) -> None:
    """Make a collection from a file that export wrote. Nothing in the file is trusted."""
    from groundgraph.knowledge.index import Collection

    collection = Collection.from_file(file.stem if name is None else name, file, embedding_model=embedding_model)
    info = collection.info()
    write(f"{info.name}: imported, {info.documents:,} documents, {info.chunks:,} chunks")


def all_collections() -> list[dict[str, Any]]:
    """Return every collection as plain JSON values, its size in bytes; one that cannot be opened has an `error`."""
    from groundgraph.knowledge.index import collections as find

    return [_object(info) for info in find()]


def _object(info: "CollectionInfo | Unusable") -> dict[str, Any]:
    from groundgraph.knowledge.store import Unusable

    if isinstance(info, Unusable):
        return {"name": info.name, "path": str(info.path), "error": info.reason}
    files = [info.path] if info.path.is_file() else info.path.rglob("*")
    return {
        "name": info.name,
        "description": info.description,
        "documents": info.documents,
        "chunks": info.chunks,
        "embedding_model": info.embedding_model,
        "dimension": info.dimension,
        "chunker": info.chunker,
        "bytes": sum(file.stat().st_size for file in files if file.is_file()),
        "path": str(info.path),
    }


def _show(found: list[dict[str, Any]]) -> None:
    from rich.table import Table

    table = Table("Name", box=None, pad_edge=False)
    for title in ("Documents", "Chunks"):
        table.add_column(title, justify="right")
    table.add_column("Embedding model")
    table.add_column("Size", justify="right")
    table.add_column("Path", overflow="fold")
    for row in found:
        if "error" in row:
            continue
        counts = [f"{row[key]:,}" for key in ("documents", "chunks")]
        table.add_row(row["name"], *counts, row["embedding_model"], size(row["bytes"]), row["path"])
    table_console().print(table)
    for row in found:
        if "error" in row:
            write(f"{row['name']}: {row['error']}")
