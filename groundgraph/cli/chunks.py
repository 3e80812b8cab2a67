"""`groundgraph chunks`: how a document is cut."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groundgraph.cli.options import AsJSON
from groundgraph.cli.terminal import one_line, printable, write, write_json
from groundgraph.errors import InputError, LoadError

if TYPE_CHECKING:
    from groundgraph.knowledge.chunk import Chunk
    from groundgraph.knowledge.document import LoadedDocument

PARTLY_READ = 1
BARS = 10
"""Bars of the histogram, over sizes up to the limit."""
BAR_WIDTH = 40
PREVIEW = 160
"""Characters of a chunk that are shown without `--whole`."""

Cut = list[tuple["LoadedDocument", list["Chunk"]]]


def chunks(
    path: Annotated[str, typer.Argument(metavar="FILE", help="File, folder or address to cut.", show_default=False)],
    chunker: Annotated[
        str, typer.Option(metavar="NAME", help="How to cut: paragraph, fixed, semantic or hierarchical.")
    ] = "paragraph",
    size: Annotated[
        int | None, typer.Option(metavar="N", help="Most characters of a chunk; by default the chunker's own.")
    ] = None,
    overlap: Annotated[int, typer.Option(metavar="N", help="Characters that neighbours share; fixed only.")] = 0,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Each row of a .jsonl file is a document.")] = False,
    embedding_model: Annotated[
        str | None, typer.Option(metavar="PROVIDER:MODEL", help="Embedding model for semantic.")
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Show chunks whole.")] = False,
    as_json: AsJSON = False,
) -> int:
    """Show how a document is cut into chunks. Nothing is kept.

    Exit status: 0 all was read, 1 some could not be read, 2 nothing could be read or bad use.
    """
    from groundgraph.knowledge.chunk import CHUNKERS, chunk
    from groundgraph.knowledge.document import LoadedDocument, Unreadable
    from groundgraph.knowledge.load import load

    _check_options(chunker, embedding_model, whole=whole, as_json=as_json)
    loaded = list(load([path], jsonl=jsonl))
    unreadable = [one for one in loaded if isinstance(one, Unreadable)]
    if len(unreadable) == len(loaded):
        raise LoadError(f"nothing readable in {path!r} ({'; '.join(map(str, unreadable[:5])) or 'no files in it'})")
    documents = [one for one in loaded if isinstance(one, LoadedDocument)]
    embed = partial(_embed, embedding_model)
    cut = [(one, chunk(one, chunker=chunker, size=size, overlap=overlap, embed=embed)) for one in documents]
    bars = histogram([len(piece.text) for _, pieces in cut for piece in pieces], size or CHUNKERS[chunker])
    if as_json:
        write_json(_object(cut, bars, [asdict(one) for one in unreadable]))
    else:
        _show(cut, bars, whole=whole)
    for document in documents if not as_json else ():
        if document.hidden:
            typer.echo(f"left out: {printable(document.source)}: {document.hidden}", err=True)
    for one in unreadable if not as_json else ():
        typer.echo(f"not read: {printable(one.source)}: {printable(one.reason)}", err=True)
    return PARTLY_READ if unreadable else 0


def histogram(sizes: Iterable[int], limit: int) -> list[tuple[int, int, int]]:
    """Return (first size, last size, number of chunks) of each of at most `BARS` equal ranges up to `limit`."""
    step = -(-limit // BARS)
    counts = Counter((size - 1) // step for size in sizes)
    return [
        (first, min(first + step - 1, limit), counts[number]) for number, first in enumerate(range(1, limit + 1, step))
    ]


def _check_options(chunker: str, embedding_model: str | None, *, whole: bool, as_json: bool) -> None:
    """Refuse options that would have no effect; `chunk` itself refuses an overlap."""
    if embedding_model and chunker != "semantic":
        raise InputError(f"--embedding-model {embedding_model} is for --chunker semantic only: leave one of them out")
    if whole and as_json:
        raise InputError("--whole does nothing beside --json, which gives chunks whole: leave one of them out")


def _embed(name: str | None, texts: Sequence[str]) -> Any:
    from groundgraph.models import default_embedding_model, embedding_model

    return embedding_model(name or default_embedding_model()).embed_passages(texts)


def _object(cut: Cut, bars: list[tuple[int, int, int]], unreadable: list[dict[str, str]]) -> dict[str, Any]:
    return {
        "documents": [
            {
                "source": document.source,
                "title": document.title,
                "hidden": document.hidden,
                "chunks": [asdict(piece) for piece in pieces],
            }
            for document, pieces in cut
        ],
        "histogram": [{"from": first, "to": last, "chunks": count} for first, last, count in bars],
        "unreadable": unreadable,
    }


def _show(cut: Cut, bars: list[tuple[int, int, int]], *, whole: bool) -> None:
    for document, pieces in cut:
        parents = len({piece.parent for piece in pieces if piece.parent})
        of = f" of {_count(parents, 'parent')}" if parents else ""
        write(f"{document.source}: {_count(len(pieces), 'chunk')}{of}")
        for number, piece in enumerate(pieces, start=1):
            write(f"\n{number}. {_place(piece)}", dim=True)
            write(piece.text if whole else one_line(piece.text, PREVIEW))
        write()
    most = max(count for _, _, count in bars) or 1
    width = len(f"{bars[-1][1]:,}")
    write("Characters   Chunks")
    for first, last, count in bars:
        bar = "█" * -(-count * BAR_WIDTH // most)
        write(f"{first:>{width},}–{last:<{width},} {count:>8,} {bar}".rstrip())


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _place(piece: "Chunk") -> str:
    """Return where a chunk stands and how long it is."""
    parts = [f"p. {piece.page}"] if piece.page else []
    parts += [one_line(piece.heading, 100)] if piece.heading else []
    parts += [f"characters {piece.start}-{piece.end}"]
    parts += [f"parent {piece.parent[0]}-{piece.parent[1]}"] if piece.parent else []
    return ", ".join([*parts, f"{len(piece.text)} long"])
