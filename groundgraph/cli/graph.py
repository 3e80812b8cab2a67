"""`groundgraph graph`: draw a pattern."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from groundgraph.errors import InputError

if TYPE_CHECKING:
    from langchain_core.runnables.graph import Graph

Format = Literal["mermaid", "ascii", "png"]


def graph(
    pattern: Annotated[
        str, typer.Argument(metavar="PATTERN", help="Pattern to draw, such as crag.", show_default=False)
    ],
    format: Annotated[Format, typer.Option("--format", "-f", help="How to draw it.")] = "mermaid",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File to write instead of stdout.")
    ] = None,
) -> None:
    """Draw a pattern's graph, subgraphs included. Nothing is sent anywhere; png needs pygraphviz."""
    from graphs.catalogue import load

    if format == "png" and output is None and sys.stdout.isatty():
        raise InputError("format='png': a terminal cannot show it; give --output FILE")
    drawing = _draw(load(pattern).get_graph(xray=True), format)
    if output:
        try:
            output.write_bytes(drawing)
        except OSError as error:
            raise InputError(
                f"--output {str(output)!r} cannot be written ({str(error.strerror).lower()}): "
                "give a file in a folder that exists and can be written"
            ) from error
    else:
        typer.echo(drawing, nl=False)


def _draw(graph: "Graph", format: Format) -> bytes:
    if format == "png":
        try:
            return graph.draw_png(None)
        except ImportError:
            raise InputError(
                "format='png': pygraphviz is not installed; install Graphviz and pip install pygraphviz, "
                "or use --format mermaid"
            ) from None
    return (graph.draw_mermaid() if format == "mermaid" else f"{graph.draw_ascii()}\n").encode()
