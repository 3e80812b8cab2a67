"""What `groundgraph evaluator label` does: each question's pairs are kept at once, and a second call goes on."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ValidationError
from rich.console import Console
from rich.progress import track

from groundgraph.errors import InputError
from groundgraph.evaluation.files import replace_file
from groundgraph.grading.evaluator import embedded_evaluator
from groundgraph.grading.label import as_line, label, read_questions
from nodes.model import required_chat_model
from state.context import Context


class _Pair(BaseModel):
    """What counts of a pair that an earlier call wrote; a person may have corrected it."""

    question: str
    passage: str
    label: int
    review: bool = False


_START = b'{"question": '
"""How a line begins that an interrupt may have torn; another is not ours to cut."""


def label_all(
    questions: Path, out: Path, collections: Sequence[str], chat_model: str | None, top_k: int
) -> tuple[int, int]:
    """Write the labelled pairs of every question; return how many there are, and how many a person should look at.

    Questions that have pairs in `out` are not labelled again, and those pairs stay as they are.

    Raises:
        InputError: The questions cannot be read, or `out` holds something else than pairs.
        CollectionError: A collection is missing.
        ModelError: A model cannot be had, or does not answer.
    """
    asked = read_questions(questions)
    kept = _kept(out) if out.exists() else []
    known = {pair.question for pair in kept}
    context = Context.parse({"chat_model": chat_model} if chat_model else None)
    written, review = len(kept), sum(pair.review for pair in kept)
    with asyncio.Runner() as runner, out.open("a", encoding="utf-8") as file:
        model = runner.run(required_chat_model(context, "evaluator label"))
        todo = [question for question in asked if question not in known]
        for question in track(todo, "Labelling", transient=True, console=Console(stderr=True)):
            pairs = runner.run(label(question, collections, model, embedded_evaluator(), k=top_k))
            file.write("".join(as_line(pair) + "\n" for pair in pairs))
            file.flush()
            written, review = written + len(pairs), review + sum(pair.review for pair in pairs)
    return written, review


def _kept(out: Path) -> list[_Pair]:
    """Return the pairs of an earlier call; if a kill tore the last line, without those of the question it was at.

    Raises:
        InputError: A line is no pair.
    """
    lines = out.read_bytes().split(b"\n")
    kept: list[tuple[_Pair, bytes]] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            kept.append((_Pair.model_validate_json(line), line))
        except ValidationError:
            if number < len(lines) or not line.startswith(_START):
                raise InputError(
                    f"--out {str(out)!r} exists, and line {number} is no labelled pair: take another name"
                ) from None
            kept = [(pair, whole) for pair, whole in kept if pair.question != kept[-1][0].question]
    if lines[-1]:
        replace_file(out, "".join(line.decode() + "\n" for _, line in kept))
    return [pair for pair, _ in kept]
