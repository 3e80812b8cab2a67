"""Progress bars and spinners, on stderr."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.text import Text

Report = Callable[[str, int, int], None]
"""Told what is being done, how much is done, and of how much."""

LABELS = {
    "load": "reading files",
    "compare": "comparing sentences",
    "embed": "embedding chunks",
    "build": "building the vector index",
}


class RateColumn(ProgressColumn):
    """Things done per second."""

    def render(self, task: Task) -> Text:
        """Return the rate; nothing before it is known."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.1f}/s" if speed else "")


@contextmanager
def bars(*, show: bool, in_bytes: bool = False) -> Iterator[Report]:
    """Give a function to report progress to; every kind of work has its bar, with rate and time left."""
    if not show:
        yield lambda what, done, total: None
        return
    amount = [DownloadColumn(), TransferSpeedColumn()] if in_bytes else [MofNCompleteColumn(), RateColumn()]
    text = TextColumn("{task.description}", markup=False)
    with Progress(
        SpinnerColumn(), text, BarColumn(), *amount, TimeRemainingColumn(), console=Console(stderr=True)
    ) as progress:
        tasks: dict[str, TaskID] = {}

        def report(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = progress.add_task(LABELS.get(what, what), total=total)
            progress.update(tasks[what], completed=done, total=total)

        yield report


def spinner(what: str, *, show: bool) -> AbstractContextManager[object]:
    """Show a spinner with `what` beside it while the block runs."""
    return Console(stderr=True).status(what) if show else nullcontext()
