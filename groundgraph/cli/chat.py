"""`groundgraph chat`: ask again and again, with follow-ups."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import typer

from groundgraph.cli.options import Collections, Preset, Profile, Settings
from groundgraph.cli.terminal import shows_progress, write
from groundgraph.errors import GroundgraphError, InputError

if TYPE_CHECKING:
    from langchain_core.messages import AnyMessage

    from groundgraph.cli.run import Result
    from state.context import Context

WELCOME = "Ask about your documents. /help lists the commands, Ctrl-D ends."
HELP = """\
/pattern NAME  run another pattern from now on; without NAME, say which there are
/sources       show where the last answer's citations point
/why           show the path of the last answer
/new           forget the conversation
/help          show this
/quit          end"""
REMEMBERED = 40
"""Messages that are kept."""


def chat(
    pattern: Annotated[str, typer.Option("--pattern", "-p", metavar="NAME", help="Graph to run.")] = "router",
    collection: Collections = None,
    preset: Preset = None,
    settings: Settings = None,
    profile: Profile = None,
) -> None:
    """Answer questions from your documents one after the other; follow-ups are understood.

    Without a terminal it reads one question a line. Ctrl-C stops an answer, Ctrl-D ends the chat.
    """
    from graphs.catalogue import load
    from groundgraph.cli.context import build_context
    from groundgraph.cli.run import prepare_weights

    load(pattern)
    conversation = Conversation(pattern, build_context(profile, settings or [], collection or [], preset))
    prepare_weights(conversation.context, show=shows_progress(quiet=False))
    for line in _lines():
        try:
            if line.startswith("/"):
                conversation.command(line)
            else:
                conversation.ask(line)
        except GroundgraphError as error:
            typer.echo(f"error: {error}", err=True)
        except KeyboardInterrupt:
            typer.echo("stopped", err=True)
        except EOFError:
            return


@dataclass
class Conversation:
    """The turns so far, and how the next question is answered."""

    pattern: str
    context: "Context"
    history: "list[AnyMessage]" = field(default_factory=list)
    last: "Result | None" = None

    def ask(self, question: str) -> None:
        """Answer a question and remember the turn; one that fails or is stopped is forgotten.

        Raises:
            GroundgraphError: The question cannot be used, or a model or collection cannot be had.
        """
        from graphs.catalogue import load
        from groundgraph.cli.live import Live
        from groundgraph.cli.result import show_answer, show_warnings
        from groundgraph.cli.run import run

        with Live(progress=shows_progress(quiet=False), as_json=False) as live:
            self.last = run(load(self.pattern), question, self.context, live, self.history)
        self.history = self.last.answer["messages"][-REMEMBERED:]
        show_answer(self.last)
        show_warnings(self.last)

    def command(self, line: str) -> None:
        """Do what a line such as `/pattern naive` says.

        Raises:
            InputError: There is no such command or pattern.
            EOFError: It says to end.
        """
        from groundgraph.cli.result import show_path, show_sources

        name, _, argument = line.partition(" ")
        commands: dict[str, Callable[[], None]] = {
            "/pattern": lambda: self._choose(argument.strip()),
            "/sources": lambda: self._show(show_sources),
            "/why": lambda: self._show(show_path),
            "/new": self._forget,
            "/help": lambda: write(HELP),
            "/quit": _end,
        }
        if name not in commands:
            raise InputError(f"{name!r} is no command; there are {', '.join(commands)}")
        commands[name]()

    def _choose(self, name: str) -> None:
        from graphs.catalogue import PATTERNS, load

        if name:
            load(name)
            self.pattern = name
        for known, about in PATTERNS.items() if not name else ():
            write(f"{'*' if known == self.pattern else ' '} {known:<14} {about}")

    def _show(self, show: "Callable[[Result], None]") -> None:
        if self.last is None:
            raise InputError("there is no answer yet: ask something")
        show(self.last)

    def _forget(self) -> None:
        self.history, self.last = [], None


def _lines() -> Iterator[str]:
    """Yield what a person types, or the lines of a pipe, without those that are empty; Ctrl-C clears the line."""
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if is_terminal:
        with contextlib.suppress(ImportError):  # Windows has none
            import readline  # noqa: F401 - gives `input` its editing and its history
        write(WELCOME, dim=True)
    while True:
        try:
            line = input("> " if is_terminal else "").strip()
        except KeyboardInterrupt:
            typer.echo(err=True)
            continue
        except EOFError:
            if is_terminal:
                write()  # ends the line of the prompt
            return
        if line:
            yield line


def _end() -> None:
    raise EOFError
