"""Draw what a command prints at a terminal: `python docs/images/terminal.py FILE.svg groundgraph ask …`."""

import io
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

COLUMNS = 110
WITHOUT_FONTS = re.sub(r"@font-face {{.*?}}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
"""The terminal of Rich, but for the fonts that it would load from elsewhere."""


def printed(command: list[str]) -> str:
    """Return what a command writes to a terminal, colours included."""
    ours, its = pty.openpty()
    process = subprocess.Popen(command, stdout=its, stderr=subprocess.DEVNULL)
    os.close(its)
    said = bytearray()
    try:
        while piece := os.read(ours, 4096):
            said += piece
    except OSError:
        pass  # so Linux says that the terminal has no writer any more
    process.wait()
    return said.decode().replace("\r\n", "\n")


def draw(file: Path, command: list[str]) -> None:
    """Write the picture of a command and what it prints."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(Text(f"$ {shlex.join(command)}", style="bold"))
    console.print(Text.from_ansi(printed(command)), overflow="fold")
    file.write_text(console.export_svg(title="groundgraph", code_format=WITHOUT_FONTS, unique_id="terminal"), "utf-8")


if __name__ == "__main__":
    draw(Path(sys.argv[1]), sys.argv[2:])
