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


def record_run(question: str, result: "Result", context: "Context") -> str | None:
    """Keep a short record of a run in GROUNDGRAPH_HOME; return its id, None where GROUNDGRAPH_RECORD_RUNS is off.

    A record that cannot be written is a warning of the run.
    """
    import uuid
    from datetime import UTC, datetime

    from groundgraph.grading.runs import Judged, RunRecord, remember
    from groundgraph.settings import get_settings

    if not get_settings().record_runs:
        return None
    answer = result.answer
    graded = [step["figures"].get("scores", []) for step in answer["steps"] if step["node"] == "grade"]
    scores = [score for found in graded for score in found if score is not None]
    record = RunRecord(
        id=uuid.uuid4().hex[:8],
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        pattern=result.pattern,
        evaluator=context.evaluator,
        question=question,
        refused=answer["refused"],
        best=max(scores, default=None),
        cited=tuple(citation["number"] for citation in answer["citations"]),
        passages=tuple(
            Judged(source=p.source, heading=p.heading, text=p.page_content, score=p.score) for p in answer["passages"]
        ),
    )
    try:
        remember(record)
    except OSError as error:
        result.warnings.append(f"the run is not on record: {str(error.strerror).lower()}; check GROUNDGRAPH_HOME")
        return None
    return record.id
