"""What `groundgraph evaluator label` does: a line for each pair as it is labelled, so that little is lost by Ctrl-C."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track

from groundgraph.errors import InputError
from groundgraph.grading.evaluator import embedded_evaluator
from groundgraph.grading.label import as_line, label, read_questions
from nodes.model import required_chat_model
from state.context import Context


def label_all(
    questions: Path, out: Path, collections: Sequence[str], chat_model: str | None, top_k: int
) -> tuple[int, int]:
    """Write the labelled pairs of every question; return how many there are, and how many a person should look at.

    Raises:
        InputError: The questions cannot be read, or `out` exists.
        CollectionError: A collection is missing.
        ModelError: A model cannot be had, or does not answer.
    """
    if out.exists():
        raise InputError(f"--out {str(out)!r} exists: take another name, or delete it first")
    asked = read_questions(questions)
    context = Context.parse({"chat_model": chat_model} if chat_model else None)
    written = review = 0
    with asyncio.Runner() as runner, out.open("w", encoding="utf-8") as file:
        model = runner.run(required_chat_model(context, "evaluator label"))
        for question in track(asked, "Labelling", transient=True, console=Console(stderr=True)):
            for pair in runner.run(label(question, collections, model, embedded_evaluator(), k=top_k)):
                file.write(as_line(pair) + "\n")
                written, review = written + 1, review + pair.review
            file.flush()
    return written, review
