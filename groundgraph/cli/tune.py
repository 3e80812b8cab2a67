"""`groundgraph tune`: settings for a pattern, chosen on one's own questions."""

import hashlib
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groundgraph.cli import INTERRUPTED
from groundgraph.cli.options import AsJSON, Collections, Profile, Quiet, Settings
from groundgraph.cli.terminal import shows_progress, write, write_json
from groundgraph.errors import InputError

if TYPE_CHECKING:
    from groundgraph.evaluation.asker import Done
    from groundgraph.evaluation.choice import Choice, Whole
    from groundgraph.evaluation.holdout import Parts
    from groundgraph.evaluation.tune import Tuner
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

    pattern, file = _pattern_and_file(words)
    for path in (out, html):
        if path is not None:
            check_writable(path)
    if html is not None:
        check_packages()
    context = build_context(profile, settings or [], collection or [])
    if context.web_search == "ask":
        raise InputError("web_search='ask': tuning cannot ask a person; set it to 'on' or 'off'")
    parts = part(file, split=split, held_out=held_out, limit=limit, seed=seed)
    with bars(show=shows_progress(quiet=quiet, as_json=as_json)) as report:
        tuner = _tuner(pattern, file.name, parts, context, budget, chunker or [], report)
        try:
            asyncio.run(tuner.run())
        except KeyboardInterrupt:
            typer.echo("stopped; the model calls so far are kept: the same command goes on", err=True)
            return INTERRUPTED
    _give(tuner, file, parts.sha256, out=out, html=html, as_json=as_json)
    return 0 if tuner.is_tried else NOTHING


def _pattern_and_file(words: list[str]) -> tuple[str, Path]:
    from graphs.catalogue import load

    if len(words) > 2:
        raise InputError(f"tune {' '.join(words)!r}: give a pattern, or none, and one file of questions")
    pattern = words[0] if len(words) == 2 else PATTERN
    load(pattern)
    return pattern, Path(words[-1])


def _tuner(
    pattern: str, file: str, parts: "Parts", context: "Context", budget: int, chunkers: list[str], report: "Done"
) -> "Tuner":
    from groundgraph.cli.run import prepare_model
    from groundgraph.evaluation.asker import Asker
    from groundgraph.evaluation.plan import endpoint
    from groundgraph.evaluation.rechunk import check_chunkers, rechunked
    from groundgraph.evaluation.tune import Tuner, check_budget
    from groundgraph.knowledge.choose import named
    from groundgraph.knowledge.index import Collection
    from groundgraph.models import default_chat_model

    check_budget(pattern, context, budget)
    collections = named(context.collections)
    parts = _with_known_sources(parts, collections, file)
    infos = [Collection.open(name).info() for name in collections]
    if chunkers and len(infos) > 1:
        raise InputError(f"chunkers are tried on one collection, but {len(infos)} are given: name one")
    if chunkers:
        check_chunkers(parts.tuning)
    chunked = rechunked(infos[0].name, chunkers, report) if chunkers else []
    if budget:
        prepare_model(context, show=False)
    made_of = [
        pattern,
        endpoint([context.chat_model or default_chat_model()]),
        parts.sha256,
        context.model_dump(mode="json"),
        [(info.name, info.generation) for info in infos],
    ]
    digest = hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:12]
    asker = Asker(Path("runs") / f"tune-{pattern}-{digest}", _concurrency(context), report)
    return Tuner(pattern, context, parts.tuning, parts.held_out, asker, budget, chunked)


def _with_known_sources(parts: "Parts", collections: list[str], file: str) -> "Parts":
    from groundgraph.evaluation.sources import known_sources

    known = known_sources([*parts.tuning, *parts.held_out], collections, file)
    for warning in known.warnings:
        typer.echo(f"warning: {warning}", err=True)
    middle = len(parts.tuning)
    return parts._replace(tuning=[*known.questions[:middle]], held_out=[*known.questions[middle:]])


def _concurrency(context: "Context") -> int:
    from groundgraph.cli.run import EMBEDDED
    from groundgraph.models import default_chat_model

    name = context.chat_model or default_chat_model() or EMBEDDED
    return 1 if name.startswith(EMBEDDED) else context.max_concurrency


def _give(tuner: "Tuner", file: Path, sha256: str, *, out: Path | None, html: Path | None, as_json: bool) -> None:
    from groundgraph.evaluation.profile import differing
    from groundgraph.evaluation.tuned import map_lines, profile, summary, together, verdict, write_tuning_report

    text = profile(tuner, shlex.join(["groundgraph", *sys.argv[1:]]), sha256, file.name)
    if out is not None and tuner.is_tried:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    if html is not None and tuner.is_tried:
        write_tuning_report(tuner, html, text)
    if as_json:
        stages = [_figures(choice) for choice in tuner.choices]
        found = {"settings": differing(tuner.profile), "stages": stages, "model_calls": tuner.asker.calls}
        found |= {"map": [one._asdict() for one in tuner.map.decisions] if tuner.map else []}
        found |= {"all_together": [_figures(one) for one in tuner.whole]}
        write_json({**found, "verdict": verdict(tuner.choices, tuner.whole)})
        return
    for line in (*map(summary, tuner.choices), *together(tuner)):
        write(line)
    for line in ["", *map_lines(tuner.map)] if tuner.map else []:
        write(line)
    write(f"\n{verdict(tuner.choices, tuner.whole)}")
    if tuner.is_tried:
        write(f"\n{text}" if out is None else f"Profile: {out}")


def _figures(measured: "Choice | Whole") -> dict[str, Any]:
    figures = {name: getattr(measured, name)._asdict() for name in ("before", "after", "gain")}
    return {**measured._asdict(), **figures, "within_noise": measured.gain.is_noise}
