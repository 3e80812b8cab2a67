"""`groundgraph eval`: ask patterns a file of questions, and score what comes back."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundgraph.cli import INTERRUPTED
from groundgraph.cli.options import AsJSON, Collections, Concurrency, Profile, Quiet, Settings
from groundgraph.cli.terminal import shows_progress
from groundgraph.errors import InputError

if TYPE_CHECKING:
    from groundgraph.evaluation.run import Evaluation

INVALID = 1


def evaluate(
    questions: Annotated[
        Path, typer.Argument(metavar="QUESTIONS", help="JSON Lines or CSV file; only `question` is required.")
    ],
    collection: Collections = None,
    pattern: Annotated[
        str | None, typer.Option("--pattern", "-p", metavar="NAME[,NAME…]", help="Graphs to ask.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Ask N questions, of each source as many.")
    ] = None,
    split: Annotated[
        str | None, typer.Option(metavar="NAME[,NAME…]", help="Ask questions of these splits only.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(metavar="NAME[,NAME…]", help="Ask questions of these sources only.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Which questions --limit takes.")] = 0,
    settings: Settings = None,
    profile: Profile = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of the run; by default runs/DATE-NAME.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(metavar="PROVIDER:MODEL", help="Chat model that judges, not the embedded evaluator.")
    ] = None,
    ragas: Annotated[
        bool, typer.Option("--ragas", help="Let the package ragas compute its four metrics, with the judge.")
    ] = False,
    metric: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Metric to compute; may be repeated.")
    ] = None,
    retrieval_only: Annotated[
        bool, typer.Option("--retrieval-only", help="Score what is retrieved; ask no model, run no pattern.")
    ] = False,
    concurrency: Concurrency = None,
    min_scored: Annotated[
        float, typer.Option(min=0, max=1, metavar="SHARE", help="Share of rows that a valid metric is scored on.")
    ] = 0.5,
    as_json: AsJSON = False,
    quiet: Quiet = False,
) -> int:
    """Ask patterns your questions, and score what comes back.

    Answers, citations, refusals, retrieval and cost are scored. Every answer is kept at once: after Ctrl-C, the same
    command goes on where it was. Exit status: 0 done, 1 too few rows could be scored, 2 bad use, 130 interrupted.
    """
    from groundgraph.cli.context import build_context
    from groundgraph.evaluation.plan import plan
    from groundgraph.evaluation.questions import load_questions

    planned = plan(
        load_questions(questions, split=split, source=source, limit=limit, seed=seed),
        _patterns(pattern, retrieval_only),
        build_context(profile, settings or [], collection or []),
        profile=profile.name if profile else None,
        judge=judge,
        ragas=ragas,
        metrics=metric or [],
        retrieval_only=retrieval_only,
        concurrency=concurrency,
        min_scored=min_scored,
    )
    return _run(planned, out, progress=shows_progress(quiet=quiet, as_json=as_json), as_json=as_json)


def _patterns(given: str | None, retrieval_only: bool) -> list[str]:
    if given is None:
        return [] if retrieval_only else ["router"]
    names = [name.strip() for name in given.split(",") if name.strip()]
    if not names:
        raise InputError(f"--pattern {given!r}: names no pattern")
    return names


def _run(planned: "Evaluation", out: Path | None, *, progress: bool, as_json: bool) -> int:
    import asyncio

    from groundgraph.cli.run import prepare_model
    from groundgraph.cli.scores import Running, show, show_json
    from groundgraph.evaluation.run import evaluate as run
    from groundgraph.evaluation.run import folder_for

    for warning in planned.record.warnings:
        typer.echo(f"warning: {warning}", err=True)
    folder = out or folder_for(planned.record)
    prepare_model(planned.context, show=progress)
    try:
        with Running(show=progress) as running:
            scores = asyncio.run(run(planned, folder, running.done))
    except KeyboardInterrupt:
        typer.echo(f"stopped; what is done is in {folder}: the same command goes on", err=True)
        return INTERRUPTED
    (show_json if as_json else show)(folder, scores)
    return 0 if scores.valid or scores.is_empty else INVALID
