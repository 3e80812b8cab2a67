"""`groundgraph self-rag`: make a model with reflection tokens: label its training data, and fine-tune it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundgraph.cli import INTERRUPTED
from groundgraph.cli.options import AsJSON, Collections, Quiet
from groundgraph.cli.terminal import shows_progress, write, write_json

if TYPE_CHECKING:
    from groundgraph.grading.reflection_data import Labelled
    from groundgraph.grading.reflection_train import Trained

PARTLY = 1

self_rag = typer.Typer(
    help="Make a model with reflection tokens for Self-RAG.", rich_markup_mode=None, add_completion=False
)


@self_rag.callback()
def group() -> None:
    """Make a model with reflection tokens for Self-RAG: label its training data, then fine-tune it."""


@self_rag.command()
def label(
    instructions: Annotated[
        Path, typer.Argument(metavar="INSTRUCTIONS", help="JSON Lines: `instruction` and `output` in each.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the examples and their card.")],
    collection: Collections = None,
    critic: Annotated[
        str | None, typer.Option(metavar="PROVIDER:MODEL", help="Chat model that labels, not the default one.")
    ] = None,
    passages: Annotated[int, typer.Option(min=1, max=20, metavar="N", help="Passages for each sentence.")] = 3,
    relabel: Annotated[
        float, typer.Option(min=0, max=1, metavar="SHARE", help="Share to label again, to measure agreement.")
    ] = 0.1,
    seed: Annotated[int, typer.Option(metavar="N", help="Which pairs are labelled again.")] = 0,
    concurrency: Annotated[int, typer.Option(min=1, metavar="N", help="Model calls in flight at once.")] = 8,
    as_json: AsJSON = False,
    quiet: Quiet = False,
) -> int:
    """Label instructions and their answers with reflection tokens.

    A critic marks which sentences need passages, how relevant these are and what they support, and how useful the
    answer is. Every label is kept at once: after Ctrl-C, or when the critic is up again, the same command goes on where
    it was. Exit status: 0 done, 1 some were left out, 2 bad use, 130 interrupted.
    """
    import asyncio

    from groundgraph.cli.progress import bars
    from groundgraph.errors import ModelError
    from groundgraph.evaluation.labelling import begin, record_of
    from groundgraph.grading.reflection_card import write as write_folder
    from groundgraph.grading.reflection_data import label as label_pairs
    from groundgraph.grading.reflection_data import load_pairs
    from groundgraph.knowledge.choose import named
    from groundgraph.models import default_chat_model
    from nodes.model import NO_MODEL

    pairs = load_pairs(instructions)
    model = critic or default_chat_model()
    if model is None:
        raise ModelError(f"labelling needs a chat model; {NO_MODEL}")
    collections = named(collection or ["default"])
    log = begin(out, record_of(instructions, len(pairs), model, collections, passages, relabel, seed))
    try:
        with bars(show=shows_progress(quiet=quiet, as_json=as_json)) as done:
            labelled = asyncio.run(
                label_pairs(
                    pairs,
                    model,
                    collections,
                    passages=passages,
                    relabel=relabel,
                    seed=seed,
                    max_concurrency=concurrency,
                    log=log,
                    done=done,
                )
            )
    except KeyboardInterrupt:
        typer.echo(f"stopped; what is done is in {out}: the same command goes on", err=True)
        return INTERRUPTED
    about = {"Instructions": instructions.name, "Critic": model, "Collections": ", ".join(collections)}
    write_folder(out, labelled, about)
    _show(out, labelled, as_json=as_json)
    return PARTLY if labelled.left_out else 0


@self_rag.command()
def train(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="Folder that `self-rag label` wrote.")],
    base: Annotated[str, typer.Option(metavar="MODEL", help="Model to start from: a folder, or a Hugging Face name.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the fine-tuned model.")],
    epochs: Annotated[float, typer.Option(min=0.01, metavar="N", help="Passes over the examples.")] = 3.0,
    learning_rate: Annotated[float, typer.Option(min=0, metavar="RATE", help="Its peak.")] = 2e-5,
    batch_size: Annotated[int, typer.Option(min=1, metavar="N", help="Examples in a step.")] = 8,
    max_length: Annotated[int, typer.Option(min=8, metavar="N", help="Longest example, in tokens.")] = 2048,
    held_out: Annotated[
        float, typer.Option(min=0, max=0.9, metavar="SHARE", help="Share of the examples to measure with.")
    ] = 0.1,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the order, and of what is held out.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Fine-tune a model to write reflection tokens, by TRL; needs the extra `train`.

    The text of passages is left out of the loss. The reflection tokens of examples held out measure what was learned.
    """
    from groundgraph.cli.progress import bars
    from groundgraph.grading.reflection_train import Recipe, fine_tune

    recipe = Recipe(epochs, learning_rate, batch_size, max_length, held_out, seed)
    with bars(show=shows_progress(quiet=quiet, as_json=as_json)) as done:
        trained = fine_tune(data, base, out, recipe, done)
    _show_trained(out, trained, as_json=as_json)


def _show_trained(out: Path, trained: "Trained", *, as_json: bool) -> None:
    if as_json:
        figures = {kind: {"right": right, "of": of} for kind, (right, of) in trained.accuracy.items()}
        write_json({"folder": str(out), **vars(trained), "accuracy": figures})
        return
    write(
        f"{out}: fine-tuned on {trained.examples} examples in {trained.steps} steps, mean loss {trained.loss:.3f}; "
        f"{trained.left_out} too long"
    )
    for kind, (right, of) in trained.accuracy.items():
        write(f"  {kind}: {right} of {of} tokens right in examples held out")


def _show(out: Path, labelled: "Labelled", *, as_json: bool) -> None:
    left_out = sum(labelled.left_out.values())
    if as_json:
        write_json(
            {
                "folder": str(out),
                "examples": len(labelled.examples),
                "tokens": dict(labelled.counts),
                "left_out": dict(labelled.left_out),
                "agreement": {kind: {"same": same, "of": of} for kind, (same, of) in labelled.agreement.items()},
                "model_calls": labelled.calls,
            }
        )
        return
    write(f"{len(labelled.examples)} examples in {out}, {left_out} left out, {labelled.calls} model calls")
    for reason, count in labelled.left_out.most_common():
        write(f"  left out: {count} × {reason}")
    for kind, (same, of) in labelled.agreement.items():
        write(f"  {kind}: {same} of {of} labels came out the same again")
