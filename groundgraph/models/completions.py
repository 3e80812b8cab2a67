"""Let a model write on after a plain text, through the completions endpoint: no chat template stands in between."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from groundgraph.errors import InputError
from groundgraph.models.calls import Reply, followed, reply_of
from groundgraph.models.chat import close_http_clients, endpoint_settings, speaks_openai, split_name
from groundgraph.models.failures import clear_errors
from groundgraph.models.features import Cap, Feature
from groundgraph.models.once import Once
from groundgraph.settings import get_settings

if TYPE_CHECKING:
    from langchain_openai import OpenAI

SHOW_SPECIAL: dict[str, Any] = {"skip_special_tokens": False, "spaces_between_special_tokens": False}
"""What vLLM wants to be told to leave the special tokens in its text."""
_EMBEDDED_TIMEOUT = 600.0

special_tokens_feature = Feature()
completion_cap = Cap(needed=True)


async def complete(
    model: str, prompt: str, *, max_tokens: int, top_logprobs: int = 0, token_ids: Sequence[int] = ()
) -> Reply:
    """Return the likeliest continuation of `prompt`, special tokens included where the endpoint can show them.

    Args:
        model: Name as `openai:model` or `llamacpp:model`.
        prompt: The text as the model gets it.
        max_tokens: Limit of the continuation's length.
        top_logprobs: How many of the likeliest tokens to report at each place, up to 20, or to the endpoint's cap; 0
            asks for none.
        token_ids: Numbers of tokens to report at each place in place of the likeliest ones, where the endpoint can.

    Raises:
        InputError: The provider has no completions endpoint.
        ModelUnavailable, ModelError: As `ask` does.
    """
    made = completion_models.made(model)
    llm = await asyncio.to_thread(completion_models, model) if made is None else made
    options: dict[str, Any] = {**followed(), "max_tokens": max_tokens, "temperature": 0.0}

    async def call_with(special: bool, most: int) -> Reply:
        body = {**(SHOW_SPECIAL if special else {}), **({"logprob_token_ids": [*token_ids]} if token_ids else {})}
        extra: dict[str, Any] = {**({"extra_body": body} if body else {}), **({"logprobs": most} if most else {})}
        with clear_errors(model, llm.openai_api_base):
            reply = _reply(await llm.agenerate([prompt], **options, **extra), prompt)
        return reply if most == top_logprobs else replace(reply, cap=most)

    async def call(special: bool) -> Reply:
        return await completion_cap.attempt(model, top_logprobs, partial(call_with, special))

    return await special_tokens_feature.attempt(model, call)


def _reply(result: Any, prompt: str) -> Reply:
    from langchain_core.messages import AIMessage, HumanMessage

    generation = result.generations[0][0]
    usage = (result.llm_output or {}).get("token_usage") or {}
    read, written = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
    counted: Any = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    message = AIMessage(generation.text, response_metadata=generation.generation_info, usage_metadata=counted)
    return reply_of(message, [HumanMessage(prompt)])


def _make(name: str) -> "OpenAI":
    import openai
    from langchain_openai import OpenAI
    from pydantic import SecretStr

    from groundgraph.models.http import http_clients

    provider, model = split_name(name, "chat", "openai:gpt-4o-mini")
    if not speaks_openai(provider):
        raise InputError(f"model {name!r}: {provider!r} has no completions endpoint; use openai: or llamacpp:")
    settings = get_settings()
    timeout = settings.request_timeout
    if provider == "llamacpp":
        from groundgraph.models.embedded import embedded_server

        server = embedded_server(model)
        base_url, key, timeout = server.base_url, server.key, _EMBEDDED_TIMEOUT
    else:
        base_url, key = endpoint_settings(name)
    return OpenAI(
        model=model,
        base_url=base_url,
        api_key=SecretStr(key),
        timeout=openai.Timeout(timeout, connect=10.0),
        max_retries=settings.max_retries,
        openai_proxy=None,
        **http_clients(base_url),
    )


completion_models = Once(_make, close_http_clients)
