"""Ask a chat model for several replies to one prompt."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from groundgraph.errors import ModelUnavailable
from groundgraph.models.calls import Reply, ask, followed, live, prepared, reply_of
from groundgraph.models.chat import speaks_openai
from groundgraph.models.failures import RequestRejected, clear_errors
from groundgraph.models.features import Feature

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

choices_feature = Feature()


async def ask_several(
    model: str,
    messages: "Sequence[BaseMessage]",
    count: int,
    *,
    max_tokens: int = 256,
    temperature: float = 0.7,
    max_concurrency: int = 8,
    **options: Any,
) -> list[Reply | ModelUnavailable]:
    """Return `count` replies; in place of each that failed, its error.

    One request asks for all (`n`) where the endpoint can do that; elsewhere each has its own, at most
    `max_concurrency` at once. The first reply of a shared request bears its cost, the others none.

    Args:
        model: Name as `provider:model`.
        messages: The conversation, the last message to be answered.
        count: At least 1.
        max_tokens: Limit of each reply's length.
        temperature: Above 0, else all replies are alike; at most 2.
        max_concurrency: Requests in flight at once.
        options: Further fields of the request.

    Raises:
        InputError, ModelError: As `ask` does.
    """
    turns = asyncio.Semaphore(max_concurrency)

    async def one() -> Reply | ModelUnavailable:
        try:
            async with turns:
                return await ask(model, messages, max_tokens=max_tokens, temperature=temperature, **options)
        except ModelUnavailable as error:
            return error

    async def call(together: bool) -> list[Reply | ModelUnavailable]:
        if together:
            return await _choices(model, messages, count, max_tokens, temperature, options)
        return list(await asyncio.gather(*(one() for _ in range(count))))

    if count == 1 or not speaks_openai(model.partition(":")[0]):
        return await call(False)
    try:
        return await choices_feature.attempt(model, call)
    except ModelUnavailable as error:
        return [error] * count


async def _choices(
    model: str,
    messages: "Sequence[BaseMessage]",
    count: int,
    max_tokens: int,
    temperature: float,
    extra: dict[str, Any],
) -> list[Reply | ModelUnavailable]:
    chat = await live(model)
    base_url, options = prepared(model, chat, max_tokens, temperature, extra)
    with clear_errors(model, base_url):
        # stream=False: LangChain would stream under LangGraph, and mix the choices.
        result = await chat.agenerate([list(messages)], **followed(), n=count, stream=False, **options)
    found: Any = result.generations[0]
    if len(found) < count:  # a server that ignores what it does not know
        raise RequestRejected(f"model {model!r} gave {len(found)} replies where n={count}: ask for one at a time")
    replies = [reply_of(choice.message, messages) for choice in found]
    first, *others = replies
    if first.estimated_calls:  # what is reported is of all choices together
        first = replace(first, completion_tokens=sum(reply.completion_tokens for reply in replies))
    return [first, *(Reply(other.text, calls=0, finish_reason=other.finish_reason) for other in others)]
