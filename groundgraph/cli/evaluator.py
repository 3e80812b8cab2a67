"""`groundgraph evaluator`: train, check and share what scores passages."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from groundgraph.cli import INTERRUPTED
from groundgraph.cli.options import AsJSON, Collections
from groundgraph.errors import InputError

evaluator = typer.Typer(rich_markup_mode=None, add_completion=False)

FEW = 100
"""Questions from which the weights may be worth more than the project's own."""

_DATA = typer.Argument(
    metavar="DATA",
    envvar="GROUNDGRAPH_QA",
    help="Folder with corpus.jsonl and queries.jsonl, or JSON Lines of question, passage, label.",
    show_default=False,
)
Data = Annotated[Path, _DATA]
Labels = Annotated[bool, typer.Option("--feedback", help="Take what people said of answers in place of DATA.")]
Collection = Annotated[
    str | None, typer.Option("--collection", "-c", metavar="NAME", help="Where hard negatives for pairs are searched.")
]
ChatModel = Annotated[str | None, typer.Option(metavar="PROVIDER:MODEL", help="Chat model that reads the passages.")]


@evaluator.callback()
def group() -> None:
    """Train, check and share the evaluator."""


@evaluator.command()
def train(
    context: typer.Context,
    data: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="DATA",
            envvar="GROUNDGRAPH_QA",
            help="Folders with corpus.jsonl and queries.jsonl, or JSON Lines of question, passage, label.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Where to write the weights instead of the home folder, where they are used."
        ),
    ] = None,
    collection: Collection = None,
    feedback: Labels = False,
    sample: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Draw N questions of each source that has no val or test question."),
    ] = None,
    unseen: Annotated[
        list[Path] | None,
        typer.Option(metavar="DATA", help="Data to measure on and not to learn from; may be repeated."),
    ] = None,
) -> int:
    """Learn from labelled questions, or from feedback, and record what was measured.

    Without --out, the new weights are put to use unless those in use do better on the test questions, beyond chance.
    Exit status: 0 done, 1 the new weights are worse and not put to use, 2 bad use.
    """
    from groundgraph.cli.evaluator_tables import tables
    from groundgraph.cli.evaluator_train import settle, trained_path, weights_in_use
    from groundgraph.cli.terminal import write
    from groundgraph.grading.runs import feedback_path
    from groundgraph.grading.train import train

    chosen = _data(context, data or (), feedback=feedback) or [feedback_path()]
    written = out or trained_path()
    record = train(chosen, written, collection, sample, unseen or (), weights_in_use())
    for title, table in tables(record).items():
        write(f"{title}\n\n{table}\n")
    if record["refinement"]:
        _table("Refinement, test questions", record["refinement"]["test"])
    if (learned := record["questions"]["train"]) < FEW:
        typer.echo(f"warning: learned from {learned} questions; fewer than {FEW} teach little", err=True)
    return settle(record, written, out)


@evaluator.command()
def calibrate(
    data: Data,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to write; by default in GROUNDGRAPH_HOME, and used from there."),
    ] = None,
    chat_model: ChatModel = None,
    seconds: Annotated[float, typer.Option(metavar="S", min=0, help="Time for reading; a second call goes on.")] = 600,
) -> None:
    """Learn what the chat model's reading is worth to the evaluator cascade, and record what was measured."""
    from groundgraph.cli.evaluator_calibrate import calibrate_cascade
    from groundgraph.cli.terminal import write
    from groundgraph.grading.cascade import CALIBRATION
    from groundgraph.grading.weights_file import own

    if out is None:
        out = own(CALIBRATION)
        out.parent.mkdir(parents=True, exist_ok=True)
    figures = calibrate_cascade(data, out, chat_model, seconds)
    _table("Questions, each by a calibration that did not see it", figures)
    write(f"written: {out}")
    if out == own(CALIBRATION):
        write("in use from now on; delete the file to go back to the project's own")


@evaluator.command()
def drift(
    last: Annotated[int, typer.Option(metavar="N", min=1, help="Recent runs to look at.")] = 500,
    as_json: AsJSON = False,
) -> int:
    """Compare the scores of recent questions with those the evaluator learned from, and with what people said.

    Exit status: 0 stable or too few runs, 1 shifted, 2 bad use.
    """
    from groundgraph.cli.evaluator_check import watched
    from groundgraph.cli.terminal import write, write_json

    found = watched(last)
    if as_json:
        write_json(found)
    else:
        _table("Scores of recent runs", {"embedded": found["drift"]}, first="evaluator")
        for scored_by, runs in found["not_counted"].items():
            write(f"Not counted: {runs} run{'s' * (runs != 1)} scored by {scored_by}")
        if found["feedback"]:
            _table("Feedback", found["feedback"], first="evaluator")
        else:
            write("No feedback yet: groundgraph feedback RUN up|down")
    verdicts = [found["drift"], found["feedback"].get("embedded", {})]
    return 1 if any(one.get("verdict", "").startswith("shifted") for one in verdicts) else 0


@evaluator.command()
def check(
    context: typer.Context,
    data: Annotated[Path | None, _DATA] = None,
    name: Annotated[str, typer.Option("--evaluator", metavar="NAME", help="Evaluator to check.")] = "embedded",
    floor: Annotated[
        list[str] | None, typer.Option(metavar="FIGURE=VALUE", help="Least value of a figure; may be repeated.")
    ] = None,
    ceiling: Annotated[
        list[str] | None, typer.Option(metavar="FIGURE=VALUE", help="Most value of a figure; may be repeated.")
    ] = None,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Draw N questions.")] = None,
    collection: Collection = None,
    chat_model: ChatModel = None,
    feedback: Labels = False,
    as_json: AsJSON = False,
) -> int:
    """Measure an evaluator on labelled questions, source by source, or its scores by what people said of them.

    Exit status: 0 good, 1 below a floor or above a ceiling, or people found otherwise than the scores promise, 2 bad
    use.
    """
    from groundgraph.cli.evaluator_check import bounds, judged, measured, missed
    from groundgraph.cli.terminal import write, write_json

    least, most = bounds(floor or []), bounds(ceiling or [])
    chosen = _data(context, [data] if data else (), feedback=feedback)
    if feedback and (limit or collection or chat_model):
        raise InputError("--limit, --collection and --chat-model have no effect with --feedback: leave them out")
    found = measured(chosen[0], name, collection, chat_model, limit) if chosen else judged(name)
    failures, verdict = missed(found["figures"]["all"], least, most), found.get("verdict", "")
    if as_json:
        write_json({**found, "failures": failures})
    else:
        _table(f"Evaluator {name}", found["figures"])
        _table("Pairs in each tier", found["tiers"], first="pairs")
        for line in filter(None, [verdict, *failures]):
            write(line)
    return 1 if failures or verdict.startswith("shifted") else 0


@evaluator.command()
def label(
    questions: Annotated[
        Path, typer.Argument(metavar="QUESTIONS", help="File of questions, one a line.", show_default=False)
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where to write the pairs.")],
    collection: Collections = None,
    chat_model: ChatModel = None,
    top_k: Annotated[int, typer.Option(metavar="N", min=1, max=100, help="Passages of a question.")] = 5,
) -> int:
    """Let the chat model label what a search finds, and mark the pairs that a person should look at.

    A question's pairs are kept at once: after Ctrl-C, the same command goes on where it was. Exit status: 0 done, 2 bad
    use, 130 interrupted.
    """
    from groundgraph.cli.evaluator_label import label_all
    from groundgraph.cli.terminal import write
    from groundgraph.knowledge.choose import named

    try:
        pairs, review = label_all(questions, out, named(collection or ["default"]), chat_model, top_k)
    except KeyboardInterrupt:
        typer.echo(f"stopped; what is done is in {out}: the same command goes on", err=True)
        return INTERRUPTED
    write(f"written: {out}, {pairs} pairs, {review} of them to be looked at (review: true)")
    return 0


@evaluator.command()
def export(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="File to write.", show_default=False)],
) -> None:
    """Write the weights in use and their training record, for another machine or GROUNDGRAPH_EVALUATOR."""
    from groundgraph.cli.terminal import write
    from groundgraph.grading.weights import load_weights, record_path, weights_path

    used, record = weights_path(), record_path(out)
    out.write_text(load_weights(used).model_dump_json(indent=1) + "\n", encoding="utf-8")
    try:
        record.write_bytes(record_path(used).read_bytes())
    except FileNotFoundError:
        write(f"written: {out}")
        typer.echo(f"warning: no training record {str(record_path(used))!r}: drift cannot be told with {out}", err=True)
    else:
        write(f"written: {out} and {record.name}")


def _data(context: typer.Context, data: Sequence[Path], *, feedback: bool) -> Sequence[Path]:
    """Return the data to use, none for feedback; a folder in the environment gives way to it."""
    source = context.get_parameter_source("data")
    if feedback and data and source and source.name != "ENVIRONMENT":
        raise InputError(f"DATA={' '.join(map(str, data))!r} and --feedback: give one of them")
    if not feedback and not data:
        raise InputError("nothing to go by: give DATA, or --feedback")
    return () if feedback else data


def _table(title: str, rows: dict[str, Any], first: str = "source") -> None:
    from rich.console import Console
    from rich.table import Table

    columns = list(next(iter(rows.values()), {}))
    table = Table(first, *(column.replace("_", " ") for column in columns), title=title)
    for name, row in rows.items():
        table.add_row(name, *(_cell(row[column]) for column in columns))
    Console().print(table)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple | list):
        return " to ".join(f"{end:.2f}" for end in value)
    return value if isinstance(value, str) else f"{value:.4g}"
