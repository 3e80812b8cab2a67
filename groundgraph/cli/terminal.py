"""What reaches the terminal: text without control characters, JSON, and whether progress may be shown."""

import json
import sys
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

PIPED_WIDTH = 1000
"""Columns where there is no terminal: lines are not to be broken."""

_CONTROL = {code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


def printable(text: str) -> str:
    """Return the text without control characters: what stands in a document must not steer a terminal."""
    return text.translate(_CONTROL)


def one_line(text: str, width: int) -> str:
    """Return the text on one line of at most `width` characters."""
    line = " ".join(printable(text).split())
    return line if len(line) <= width else f"{line[: width - 1]}…"


def write(text: str = "", *, dim: bool = False, color: str | None = None) -> None:
    """Write a line to stdout; without style where that is no terminal."""
    typer.secho(printable(text), dim=dim or None, fg=color)


def write_json(value: dict[str, Any]) -> None:
    """Write one JSON object to stdout."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def table_console() -> "Console":
    """Return what tables are printed on: stdout, their cells as they are."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else PIPED_WIDTH, markup=False, highlight=False)


def shows_progress(*, quiet: bool, as_json: bool = False) -> bool:
    """Return whether bars and spinners are wanted: on a terminal only, on stderr."""
    return not (quiet or as_json) and sys.stderr.isatty()


def size(count: int) -> str:
    """Return a number of bytes as people read it, such as `1.1 GB`."""
    for power, unit in ((4, "TB"), (3, "GB"), (2, "MB"), (1, "kB")):
        if count >= 1000**power:
            return f"{count / 1000**power:.1f} {unit}"
    return f"{count} B"
