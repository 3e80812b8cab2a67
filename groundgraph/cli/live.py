"""What a person sees, and is asked, while a run goes on."""

import sys
from types import TracebackType
from typing import Self

import typer
from rich.console import Console

from groundgraph.cli.terminal import printable

YES_OR_NO = {"y": True, "yes": True, "n": False, "no": False}


class Live:
    """Show the running node, write the answer as it comes, and ask before the web is searched.

    `streamed` is the text that was written; nothing is where stdout is no terminal.
    """

    def __init__(self, *, progress: bool, as_json: bool) -> None:
        self.streamed = ""
        self.warnings: list[str] = []
        self._streams = sys.stdout.isatty() and not as_json
        self._may_ask = sys.stdin.isatty() and sys.stderr.isatty() and not as_json
        self._spinner = Console(stderr=True).status("") if progress else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop()
        if self.streamed:
            typer.echo()  # ends the line, whether the answer is complete or was interrupted

    def started(self, node: str) -> None:
        """Say which node runs, until the answer begins."""
        if self._spinner and not self.streamed:
            self._spinner.update(f"{node} …")
            self._spinner.start()

    def piece(self, text: str) -> None:
        """Write a piece of the answer."""
        text = text if self.streamed else text.lstrip()
        if self._streams and text:
            self._stop()
            self.streamed += text
            typer.echo(printable(text), nl=False)

    def may_search(self, query: str, provider: str) -> bool | str:
        """Return whether `query` may be sent: true, false, or the query to send instead."""
        self._stop()
        if not self._may_ask:
            self.warnings.append(
                f"web search for {query!r} denied: there is no terminal to ask on; use --set web_search=on or off"
            )
            return False
        typer.echo(f"Your documents do not settle this. Ask {provider} for: {printable(query)}", err=True)
        while True:
            said: str = typer.prompt("Send it? y, n, or other words to send", default="n", err=True).strip()
            if said.lower() in YES_OR_NO:
                return YES_OR_NO[said.lower()]
            if any(character.isalnum() for character in said):
                return said

    def _stop(self) -> None:
        if self._spinner:
            self._spinner.stop()
