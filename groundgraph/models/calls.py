"""Ask a chat model: internal calls, whose text is no part of the answer that a user watches being written."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from groundgraph.models.chat import call_options, chat_model, chat_models, speaks_openai
from groundgraph.models.failures import clear_errors
from groundgraph.models.features import Cap, Feature
from groundgraph.models.logprobs import (
    PARTIAL,
    TokenLogprob,
    joined_tokens,
    spells,
    token_logprobs,
    tokens_between,
    whole_characters,
)
from groundgraph.models.thinking import ThinkingFilter, without_thinking
from groundgraph.models.tokens import estimate_tokens

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
    from langchain_core.runnables import RunnableConfig

QUIET: "RunnableConfig" = {"tags": ["nostream"]}
"""LangGraph leaves calls with this tag out of its message stream."""

logprobs_feature = Feature()
chat_cap = Cap()


def followed() -> dict[str, Any]:
    """Return the options of a call by `agenerate` that make it known, as `QUIET`, to who follows the run."""
    from langchain_core.runnables.config import ensure_config

    return {"tags": QUIET["tags"], "callbacks": ensure_config()["callbacks"]}


@dataclass(frozen=True)
class Reply:
    """What a chat model said, its thinking removed."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    """Tokens as the endpoint counted them, thinking included; estimated where it does not say."""
    logprobs: tuple[TokenLogprob, ...] | None = None
    """The tokens of `text`; None means not asked for, or not available from this endpoint.

    Tokens that do not spell the whole text, such as the first few of a list that the endpoint cuts, count as not
    available: what is not in the list is not known to be sure. A beginning that a continued reply repeats is exempt.
    """
    finish_reason: str = ""
    """`stop`, `length` if the token limit cut the text, or what else the endpoint says; empty if it does not."""
    calls: int = 1
    """Requests that it took; 0 for a further reply to a request that another one counts."""
    cap: int | None = None
    """Likeliest tokens that the endpoint reports at a place, where these are fewer than were asked for."""
    estimated_calls: int = 0
    """Those of them whose tokens are estimated, since the endpoint reports none."""


async def ask(
    model: str,
    messages: "Sequence[BaseMessage]",
    *,
    max_tokens: int = 256,
    temperature: float = 0.0,
    top_logprobs: int = 0,
    **options: Any,
) -> Reply:
    """Return the model's reply to `messages`.

    Args:
        model: Name as `provider:model`.
        messages: The conversation, the last message to be answered.
        max_tokens: Limit of the reply's length.
        temperature: 0 for the likeliest reply; at most 2.
        top_logprobs: How many of the likeliest tokens to report at each place, up to 20, or to the endpoint's cap; 0
            asks for none.
        options: Further fields of the request, such as `stop`.

    Raises:
        InputError: The name is not one of a model.
        ModelUnavailable: The endpoint is down, slow, overloaded or talks rubbish, after all retries.
        ModelError: The endpoint refuses.
    """
    if not top_logprobs or not speaks_openai(model.partition(":")[0]):
        return await _ask(model, messages, max_tokens, temperature, options)

    async def with_top(most: int) -> Reply:
        extra = {"logprobs": True, "top_logprobs": most}
        reply = await _ask(model, messages, max_tokens, temperature, options | extra)
        return reply if most == top_logprobs else replace(reply, cap=most)

    async def with_logprobs(wanted: bool) -> Reply:
        if wanted:
            return await chat_cap.attempt(model, top_logprobs, with_top)
        return await _ask(model, messages, max_tokens, temperature, options)

    return await logprobs_feature.attempt(model, with_logprobs)


async def _ask(
    model: str, messages: "Sequence[BaseMessage]", max_tokens: int, temperature: float, extra: dict[str, Any]
) -> Reply:
    chat = await live(model)
    base_url, options = prepared(model, chat, max_tokens, temperature, extra)
    with clear_errors(model, base_url):
        return reply_of(await chat.ainvoke(list(messages), QUIET, **options), messages)


async def stream(
    model: str, messages: "Sequence[BaseMessage]", *, max_tokens: int = 512, temperature: float = 0.0, **options: Any
) -> AsyncGenerator[str | Reply]:
    """Yield the reply's text piece by piece without its thinking, and at the end the whole `Reply`.

    The Reply is authoritative: only there is thinking known that a lone `</think>` ended.

    Raises:
        InputError, ModelUnavailable, ModelError: As `ask` does.
    """
    chat = await live(model)
    base_url, options = prepared(model, chat, max_tokens, temperature, options)
    thinking = ThinkingFilter()
    whole: AIMessageChunk | None = None
    chunks = cast("AsyncGenerator[AIMessageChunk]", chat.astream(list(messages), QUIET, **options))
    with clear_errors(model, base_url):
        async with aclosing(chunks):
            async for chunk in chunks:
                whole = chunk if whole is None else whole + chunk
                if piece := thinking.feed(whole_characters(str(chunk.text))):
                    yield piece
    if piece := thinking.end():
        yield piece
    yield Reply("") if whole is None else reply_of(whole, messages)


async def live(model: str) -> "BaseChatModel":
    """Return the model; made in a thread if need be, since a start reads files and may take minutes."""
    chat = chat_models.made(model)
    return await asyncio.to_thread(chat_model, model) if chat is None else chat


def prepared(
    model: str, chat: "BaseChatModel", max_tokens: int, temperature: float, extra: dict[str, Any] | None = None
) -> tuple[str | None, dict[str, Any]]:
    """Return the address of the model's endpoint, and the options of a call with these and `extra` fields."""
    base_url, extra = getattr(chat, "openai_api_base", None), extra or {}
    options = call_options(model, base_url, max_tokens, temperature)
    body = {**options.get("extra_body", {}), **extra.get("extra_body", {})}
    return base_url, {**options, **extra, **({"extra_body": body} if body else {})}


def begun_by(messages: "Sequence[BaseMessage]") -> str:
    """Return the text that the model is to go on with; empty where its reply is a message of its own."""
    return str(messages[-1].text) if messages and messages[-1].type == "ai" else ""


def reply_of(message: "AIMessage", messages: "Sequence[BaseMessage]") -> Reply:
    """Return what a message says, its thinking removed; its tokens are estimated if the endpoint reports none.

    Args:
        message: Of the model; it may repeat the text that it was begun with.
        messages: What it replies to.
    """
    said, tokens = str(message.text), token_logprobs(message)
    if PARTIAL in said and tokens and all(token.raw is not None for token in tokens):
        said = joined_tokens(tokens)
    said = whole_characters(said)
    usage = message.usage_metadata
    read, written = (usage["input_tokens"], usage["output_tokens"]) if usage else (0, 0)
    if estimated := not (read or written):
        read, written = estimate_tokens("\n".join(str(one.text) for one in messages)), estimate_tokens(said)
    text = without_thinking(said)
    if tokens and text != said:
        start = said.rfind(text) if text else len(said)
        tokens = tokens_between(said, tokens, max(start, 0), len(said))
    if tokens and not spells(text.removeprefix(begun_by(messages)), tokens):
        tokens = None
    return Reply(
        text=text,
        prompt_tokens=read,
        completion_tokens=written,
        logprobs=tokens,
        finish_reason=str(message.response_metadata.get("finish_reason") or ""),
        estimated_calls=int(estimated),
    )
