"""`groundgraph ask`: ask a question, see the answer and how it came about."""

from typing import TYPE_CHECKING, Annotated

import typer

from groundgraph.cli.options import AsJSON, Collections, Preset, Profile, Settings
from groundgraph.cli.terminal import shows_progress, write, write_json
from groundgraph.errors import InputError

if TYPE_CHECKING:
    from state.context import Context

REFUSED = 3


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What to ask.", show_default=False)],
    pattern: Annotated[str, typer.Option("--pattern", "-p", metavar="NAME", help="Graph to run.")] = "router",
    collection: Collections = None,
    preset: Preset = None,
    settings: Settings = None,
    profile: Profile = None,
    as_json: AsJSON = False,
    trace: Annotated[bool, typer.Option("--trace", help="Show every step with all its figures and seconds.")] = False,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Show, in colour, how sure the model was of each sentence (flare).")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show the answer and its citations only.")] = False,
    explain_route: Annotated[
        bool, typer.Option("--explain-route", help="Show what the router would do, with all scores, and stop.")
    ] = False,
) -> int:
    """Answer a question from your documents, or refuse.

    Exit status: 0 answered, 3 refused, 2 bad use.
    """
    from graphs.catalogue import load
    from groundgraph.cli.context import build_context
    from groundgraph.cli.feedback import record_run
    from groundgraph.cli.live import Live
    from groundgraph.cli.result import as_object, show
    from groundgraph.cli.run import prepare_weights, run
    from groundgraph.errors import InputError

    if confidence and as_json:
        raise InputError("--confidence has no effect with --json, whose steps hold it: leave one of them out")
    graph = load(pattern)
    context = build_context(profile, settings or [], collection or [], preset)
    if explain_route:
        return _explain(pattern, question, context, as_json=as_json)
    progress = shows_progress(quiet=quiet, as_json=as_json)
    prepare_weights(context, show=progress)
    with Live(progress=progress, as_json=as_json) as live:
        result = run(graph, question, context, live)
    run_id = record_run(result, context)
    if as_json:
        write_json({**as_object(result), "run": run_id})
    else:
        show(result, trace=trace, quiet=quiet, confidence=confidence)
        if trace and run_id:
            write(f"Run {run_id}: groundgraph feedback {run_id} up|down", dim=True)
    return REFUSED if result.answer["refused"] else 0


def _explain(pattern: str, question: str, context: "Context", *, as_json: bool) -> int:
    from groundgraph.cli.route import explain, show_route

    if pattern != "router":
        raise InputError(f"--explain-route with pattern={pattern!r}: only the router chooses; leave --pattern out")
    (write_json if as_json else show_route)(explain(question, context))
    return 0
