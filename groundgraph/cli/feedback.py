"""`groundgraph feedback`: say whether a run's passages helped, and so teach the evaluator."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from groundgraph.cli.terminal import write

if TYPE_CHECKING:
    from groundgraph.cli.run import Result
    from state.context import Context


class Thumb(StrEnum):
    """What a person thinks."""

    up = "up"
    down = "down"


def feedback(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of the run, or last.", show_default=False)],
    thumb: Annotated[Thumb, typer.Argument(metavar="up|down", help="Whether it helped.", show_default=False)],
    passage: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Number of one passage; default: those that are cited.")
    ] = None,
) -> None:
    """Say whether the passages of an answer helped; the evaluator can be checked against it and learn from it."""
    from groundgraph.grading.runs import feedback_path, give_feedback

    given = give_feedback(run, thumb.value, passage)
    write(f"{len(given)} {'pair' if len(given) == 1 else 'pairs'} labelled, in {feedback_path()}")


def record_run(result: "Result", context: "Context") -> str | None:
    """Keep a short record of a run in GROUNDGRAPH_HOME; return its id, None where GROUNDGRAPH_RECORD_RUNS is off.

    A record that cannot be written is a warning of the run.
    """
    import uuid

    from groundgraph.grading.runs import remember
    from groundgraph.settings import get_settings
    from state.record import record_of

    if not get_settings().record_runs:
        return None
    record = record_of(uuid.uuid4().hex[:8], result.pattern, context, result.answer)
    try:
        remember(record)
    except OSError as error:
        result.warnings.append(f"the run is not on record: {str(error.strerror).lower()}; check GROUNDGRAPH_HOME")
        return None
    return record.id
