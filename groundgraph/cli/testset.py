"""`groundgraph testset`: make questions from one's own documents, for people who have none."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from groundgraph.cli import INTERRUPTED
from groundgraph.cli.options import AsJSON, Concurrency, Profile, Quiet, Settings
from groundgraph.cli.terminal import shows_progress, write, write_json

if TYPE_CHECKING:
    from groundgraph.evaluation.testset.plan import Plan
    from groundgraph.evaluation.testset.records import Card, Count, Kind

FEWER = 1


def testset(
    collection: Annotated[
        str, typer.Argument(metavar="COLLECTION", help="Whose documents to ask about.", show_default=False)
    ],
    number: Annotated[int, typer.Option("--number", "-n", min=1, metavar="N", help="Questions to make.")] = 50,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File of questions; by default COLLECTION-testset.jsonl.")
    ] = None,
    language: Annotated[
        Literal["en", "zh"] | None, typer.Option(metavar="LANGUAGE", help="Ask about passages in en or zh only.")
    ] = None,
    multi: Annotated[
        float, typer.Option(min=0, max=1, metavar="SHARE", help="Share of questions that take two passages.")
    ] = 0.2,
    unanswerable: Annotated[
        float, typer.Option(min=0, max=1, metavar="SHARE", help="Share of questions that no passage answers.")
    ] = 0.2,
    model: Annotated[
        str | None, typer.Option(metavar="PROVIDER:MODEL", help="Chat model that makes the questions.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Which passages are drawn.")] = 0,
    settings: Settings = None,
    profile: Profile = None,
    concurrency: Concurrency = None,
    as_json: AsJSON = False,
    quiet: Quiet = False,
) -> int:
    """Make questions from your documents, for groundgraph eval; each is checked, and bad ones are discarded.

    Every question is kept at once: after Ctrl-C, the same command goes on where it was. Exit status: 0 done, 1 fewer
    good questions than asked for, 2 bad use, 130 interrupted.
    """
    import asyncio

    from groundgraph.cli.context import build_context
    from groundgraph.cli.run import prepare_model
    from groundgraph.evaluation.testset.plan import plan
    from nodes.model import required_chat_model

    chosen = [f"chat_model={model}"] if model else []
    context = build_context(profile, [*(settings or []), *chosen], [collection])
    planned = plan(
        collection,
        number,
        asyncio.run(required_chat_model(context, "groundgraph testset")),
        context,
        language=language,
        multi=multi,
        unanswerable=unanswerable,
        seed=seed,
        concurrency=concurrency,
    )
    progress = shows_progress(quiet=quiet, as_json=as_json)
    prepare_model(planned.context, show=progress)
    return _run(planned, out or Path(f"{collection}-testset.jsonl"), progress=progress, as_json=as_json)


def _run(planned: "Plan", file: Path, *, progress: bool, as_json: bool) -> int:
    import asyncio

    from groundgraph.cli.progress import bars
    from groundgraph.evaluation.testset.make import make

    try:
        with bars(show=progress) as report:

            def done(counts: Mapping["Kind", "Count"]) -> None:
                report("questions kept", sum(one.kept for one in counts.values()), sum(planned.wanted.values()))

            card = asyncio.run(make(planned, file, done))
    except KeyboardInterrupt:
        typer.echo(f"stopped; what is done is in {file}: the same command goes on", err=True)
        return INTERRUPTED
    (_show_json if as_json else _show)(file, card)
    return 0 if card.complete else FEWER


def _show(file: Path, card: "Card") -> None:
    from groundgraph.evaluation.testset.records import card_file, discarded_file

    for kind, found in card.counts.items():
        write(f"{kind}: {found.wanted} wanted, {found.made} made, {found.kept} kept")
        for reason, times in found.discarded.items():
            write(f"  discarded, {times}×: {reason}")
    if not card.complete:
        write("Fewer than asked for: the rest was tried and discarded, or the collection holds no more to ask about")
    write(f"Kept in {file}, what was discarded in {discarded_file(file)}, how it was made in {card_file(file)}")
    write(f"Read the questions, then ask them: groundgraph eval {file} --collection {card.collection.name}")


def _show_json(file: Path, card: "Card") -> None:
    write_json({"file": str(file), "complete": card.complete, "card": card.model_dump(mode="json")})
