"""Label pairs without a person: the chat model judges what a search finds, and doubts are marked for one."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from groundgraph.errors import InputError
from groundgraph.grading.evaluator import Evaluator
from groundgraph.grading.judge import judge
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import search, stored_vectors


@dataclass(frozen=True)
class LabelledPair:
    """One line of what `load_pairs` reads."""

    question: str
    passage: str
    heading: str
    source: str
    """Where the passage stands, for the person who looks at it."""
    label: int
    """1 if the chat model takes the passage to help, else 0."""
    chat_model: float | None
    """The chat model's probability of yes; None if its verdict could not be read, and the evaluator decided."""
    evaluator: float
    review: bool
    """Whether the two disagree, so that a person should look at the pair."""


def read_questions(path: Path) -> list[str]:
    """Return the questions of a file: one a line, or JSON Lines with `question`.

    Raises:
        InputError: The file cannot be read, holds none, or a JSON line has no question.
    """
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        said = getattr(error, "strerror", None) or "it is not UTF-8"
        raise InputError(f"questions {str(path)!r}: {said}; give a file with one question a line") from None
    found = [_question(path, number, line) for number, line in enumerate(lines, start=1)]
    if not found:
        raise InputError(f"questions {str(path)!r}: the file is empty; give one question a line")
    return list(dict.fromkeys(found))


async def label(
    question: str, collections: Sequence[str], model: str, evaluator: Evaluator, *, k: int = 5, max_concurrency: int = 8
) -> list[LabelledPair]:
    """Return a labelled pair for each passage that a search finds for a question.

    Raises:
        CollectionError: A collection is missing.
        ModelError: A model cannot be had, or does not answer.
    """
    passages = (await asyncio.to_thread(lambda: search(question, collections, k=k))).passages
    scores = await asyncio.to_thread(_scores, question, passages, evaluator)
    verdicts = await judge(model, question, passages, max_concurrency=max_concurrency)
    pairs = []
    for passage, score, verdict in zip(passages, scores, verdicts, strict=True):
        says = score if verdict.score is None else verdict.score
        pairs.append(
            LabelledPair(
                question,
                passage.page_content,
                passage.heading,
                passage.source,
                int(says > 0.5),
                verdict.score,
                score,
                review=verdict.score is None or (says > 0.5) != (score > 0.5),
            )
        )
    return pairs


def as_line(pair: LabelledPair) -> str:
    """Return the pair as one line of JSON."""
    return json.dumps(asdict(pair), ensure_ascii=False)


def _scores(question: str, passages: Sequence[Passage], evaluator: Evaluator) -> list[float]:
    return evaluator.score(question, passages, stored_vectors(passages, evaluator.embedding_model))


def _question(path: Path, number: int, line: str) -> str:
    if not line.startswith("{"):
        return line
    try:
        question = json.loads(line).get("question")
    except json.JSONDecodeError:
        question = None
    if not isinstance(question, str) or not question.strip():
        raise InputError(f'questions {str(path)!r} line {number}: give a question, as text or as {{"question": …}}')
    return question
