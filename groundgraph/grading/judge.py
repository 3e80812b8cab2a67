"""The language-model evaluator: one short question about each passage, all at once."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from groundgraph.errors import ModelUnavailable
from groundgraph.grading.rubrics import HELPS, Rubric
from groundgraph.grading.terms import is_cjk
from groundgraph.knowledge.passage import Passage
from groundgraph.models import Reply, ask
from groundgraph.models.escape import escape

WORD_TOKENS = 4
TOP_TOKENS = 10
THOUGHT_TOKENS = 1024
"""Tokens for a model that could not say its verdict in one word, such as one that thinks first."""


@dataclass(frozen=True)
class Verdict:
    """What a model said about one passage."""

    score: float | None
    """Score in [0, 1] by the rubric; None means ambiguous."""
    ambiguous: str | None = None
    """Why there is no score."""
    reply: Reply | None = None
    """What the model said, with the tokens of every attempt; None if it did not answer."""


async def judge(
    model: str, question: str, passages: Sequence[Passage], *, rubric: Rubric = HELPS, max_concurrency: int = 8
) -> list[Verdict]:
    """Return one verdict a passage, in order, asking about at most `max_concurrency` of them at a time.

    The score comes from the log probabilities of the first word where the endpoint gives them, else from the text.
    One that cannot be read, or was not given, is ambiguous.

    Raises:
        ModelUnavailable: No passage could be judged because the model does not answer.
        ModelError: The endpoint refuses.
    """
    limit = asyncio.Semaphore(max_concurrency)

    async def judge_one(passage: Passage) -> Verdict | ModelUnavailable:
        async with limit:
            try:
                return await _judge_passage(model, question, passage, rubric)
            except ModelUnavailable as error:
                return error

    tasks = [asyncio.create_task(judge_one(passage)) for passage in passages]
    try:
        outcomes = await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
    failures = [outcome for outcome in outcomes if isinstance(outcome, ModelUnavailable)]
    if failures and len(failures) == len(outcomes):
        raise failures[0]
    return [Verdict(None, str(o)) if isinstance(o, ModelUnavailable) else o for o in outcomes]


async def _judge_passage(model: str, question: str, passage: Passage, rubric: Rubric) -> Verdict:
    score, reply = await ask_briefly(model, judge_messages(question, passage, rubric), rubric.read)
    ambiguous = f"the verdict {reply.text[:80]!r} is {rubric.unreadable}" if score is None else None
    return Verdict(score, ambiguous, reply)


async def ask_briefly(
    model: str,
    messages: Sequence[BaseMessage],
    read: Callable[[Reply], float | None],
    max_tokens: int = WORD_TOKENS,
) -> tuple[float | None, Reply]:
    """Return the score that `read` finds in a short reply, None if it finds none, and the reply.

    A model whose reply was cut before it said anything to the point is asked again, with room to think; the reply then
    counts the calls and tokens of both.

    Raises:
        ModelError: As `ask` does.
    """
    reply = await ask(model, messages, max_tokens=max_tokens, top_logprobs=TOP_TOKENS)
    score = read(reply)
    if score is None and reply.finish_reason == "length":
        cut, reply = reply, await ask(model, messages, max_tokens=THOUGHT_TOKENS)
        score = read(reply)
        reply = replace(
            reply,
            prompt_tokens=cut.prompt_tokens + reply.prompt_tokens,
            completion_tokens=cut.completion_tokens + reply.completion_tokens,
            calls=cut.calls + reply.calls,
            estimated_calls=cut.estimated_calls + reply.estimated_calls,
        )
    return score, reply


def judge_messages(question: str, passage: Passage, rubric: Rubric = HELPS) -> list[BaseMessage]:
    """Return the prompt about one passage, with tags inside the passage escaped."""
    asked = rubric.question_zh if is_cjk(question) else rubric.question_en
    text = f"<passage>\n{escape(passage.context)}\n</passage>\n\nQuestion: {question}\n\n{asked}"
    return [SystemMessage(rubric.instruction), HumanMessage(text)]
