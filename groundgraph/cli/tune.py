"""`groundgraph tune`: settings for a pattern, chosen on one's own questions."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundgraph.cli import INTERRUPTED
from groundgraph.cli.options import AsJSON, Collections, Profile, Quiet, Settings
from groundgraph.cli.terminal import shows_progress, write, write_json
from groundgraph.errors import InputError

if TYPE_CHECKING:
    from groundgraph.evaluation.asker import Asker, Done
    from groundgraph.evaluation.holdout import Parts
    from groundgraph.evaluation.tune import Tuner
    from groundgraph.evaluation.tuning_record import TuningRecord
    from state.context import Context

PATTERN = "crag"
NOTHING = 1


def tune(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[PATTERN] QUESTIONS",
            help="Pattern, by default crag; and a JSON Lines or CSV file of questions.",
            show_default=False,
        ),
    ],
    collection: Collections = None,
    budget: Annotated[
        int, typer.Option(metavar="CALLS", min=0, help="Model calls that may be spent; what needs none costs nothing.")
    ] = 0,
    chunker: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Chunker to try; the files are read into a collection of its own. May be repeated."
        ),
    ] = None,
    split: Annotated[str | None, typer.Option(metavar="NAME", help="Choose on questions of this split only.")] = None,
    held_out: Annotated[
        str | None, typer.Option(metavar="NAME", help="Measure on this split; by default on half of the questions.")
    ] = None,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Questions to choose on, at most.")] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Which questions are taken and held out.")] = 0,
    settings: Settings = None,
    profile: Profile = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the profile to this TOML file.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a report with the threshold map.")] = None,
    as_json: AsJSON = False,
    quiet: Quiet = False,
) -> int:
    """Choose a pattern's settings on your questions, and measure the choice on others.

    Tries ways of searching, top_k, thresholds, and what only answers tell apart, and writes a profile for --profile.
    Says when a gain is within noise. Model calls are kept: after Ctrl-C, the same command goes on where it was. Exit
    status: 0 done, 1 nothing could be tried, 2 bad use, 130 interrupted.
    """
    import asyncio

    from groundgraph.cli.context import build_context
    from groundgraph.cli.progress import bars
    from groundgraph.evaluation.files import check_writable
    from groundgraph.evaluation.holdout import part
    from groundgraph.evaluation.pages import check_packages
    from groundgraph.evaluation.tune import Tuner, check_budget
    from groundgraph.evaluation.tuning_record import finish, record_of
    from groundgraph.knowledge.choose import named

    pattern, file = _pattern_and_file(words)
    for path in (out, html):
        if path is not None:
            check_writable(path)
    if html is not None:
        check_packages()
    context = build_context(profile, settings or [], collection or [])
    if context.web_search == "ask":
        raise InputError("web_search='ask': tuning cannot ask a person; set it to 'on' or 'off'")
    check_budget(pattern, context, budget)
    parts, warnings = _with_known_sources(part(file, split=split, held_out=held_out, limit=limit, seed=seed), context)
    with bars(show=shows_progress(quiet=quiet, as_json=as_json)) as report:
        chunked = _chunked(parts, context, chunker or [], report)
        record = record_of(
            pattern,
            context,
            parts.record,
            [*named(context.collections), *chunked],
            held_out=held_out,
            budget=budget,
            profile=profile.name if profile else None,
            warnings=warnings,
        )
        asker = _asker(record, context, report)
        tuner = Tuner(pattern, context, parts.tuning, parts.held_out, asker, budget, chunked)
        try:
            asyncio.run(tuner.run())
        except KeyboardInterrupt:
            typer.echo("stopped; the model calls so far are kept: the same command goes on", err=True)
            return INTERRUPTED
    _give(tuner, finish(record, tuner), out=out, html=html, as_json=as_json)
    return 0 if tuner.is_tried else NOTHING


def _pattern_and_file(words: list[str]) -> tuple[str, Path]:
    from graphs.catalogue import load

    if len(words) > 2:
        raise InputError(f"tune {' '.join(words)!r}: give a pattern, or none, and one file of questions")
    pattern = words[0] if len(words) == 2 else PATTERN
    load(pattern)
    return pattern, Path(words[-1])


def _with_known_sources(parts: "Parts", context: "Context") -> "tuple[Parts, list[str]]":
    """Return the questions with the sources that they mean, and what is to be warned of."""
    from groundgraph.evaluation.sources import known_sources
    from groundgraph.knowledge.choose import named

    known = known_sources([*parts.tuning, *parts.held_out], named(context.collections), parts.record.file)
    for warning in known.warnings:
        typer.echo(f"warning: {warning}", err=True)
    middle = len(parts.tuning)
    renamed = parts._replace(tuning=[*known.questions[:middle]], held_out=[*known.questions[middle:]])
    return renamed, known.warnings


def _chunked(parts: "Parts", context: "Context", chunkers: list[str], report: "Done") -> list[str]:
    """Return the names of the collections that hold the same documents, cut by these chunkers."""
    from groundgraph.evaluation.rechunk import check_chunkers, rechunked
    from groundgraph.knowledge.choose import named

    collections = named(context.collections)
    if not chunkers:
        return []
    if len(collections) > 1:
        raise InputError(f"chunkers are tried on one collection, but {len(collections)} are given: name one")
    check_chunkers(parts.tuning)
    return rechunked(collections[0], chunkers, report)


def _asker(record: "TuningRecord", context: "Context", report: "Done") -> "Asker":
    """Return what asks, and keeps what it paid for beside the record, which begins here."""
    from groundgraph.cli.run import prepare_model
    from groundgraph.evaluation.asker import Asker
    from groundgraph.evaluation.tuning_record import begin

    if record.budget:
        prepare_model(context, show=False)
    return Asker(begin(record), _concurrency(context), report)


def _concurrency(context: "Context") -> int:
    from groundgraph.cli.run import EMBEDDED
    from groundgraph.models import default_chat_model

    name = context.chat_model or default_chat_model() or EMBEDDED
    return 1 if name.startswith(EMBEDDED) else context.max_concurrency


def _give(tuner: "Tuner", record: "TuningRecord", *, out: Path | None, html: Path | None, as_json: bool) -> None:
    from groundgraph.evaluation.tuned import map_lines, profile, summary, together, write_tuning_report
    from groundgraph.evaluation.tuning_record import folder_of

    folder = folder_of(record)
    text = profile(tuner, shlex.join(["groundgraph", *sys.argv[1:]]), record, folder)
    if out is not None and tuner.is_tried:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    if html is not None and tuner.is_tried:
        write_tuning_report(tuner, html, text)
    if as_json:
        found = record.model_dump(mode="json", include={"settings", "stages", "all_together", "verdict"})
        decisions = [one._asdict() for one in tuner.map.decisions] if tuner.map else []
        write_json({**found, "model_calls": tuner.asker.calls, "map": decisions, "record": str(folder)})
        return
    for line in (*map(summary, tuner.choices), *together(tuner)):
        write(line)
    for line in ["", *map_lines(tuner.map)] if tuner.map else []:
        write(line)
    write(f"\n{record.verdict}\nRecord: {folder}")
    if tuner.is_tried:
        write(f"\n{text}" if out is None else f"Profile: {out}")
