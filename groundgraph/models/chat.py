"""Chat models by name, `provider:model`."""

import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from groundgraph.errors import InputError, ModelError
from groundgraph.models.catalog import DEFAULT_WEIGHTS
from groundgraph.models.once import Once
from groundgraph.models.weights import weights_status
from groundgraph.settings import get_settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

OPENAI_URL = "https://api.openai.com/v1"
_EMBEDDED_TIMEOUT = 600.0
"""Seconds: on two slow cores a long prompt takes minutes to read, and requests queue for a slot."""
_EMBEDDED_RETRIES = 2
"""llama.cpp closes kept connections when it likes, and a request may just then be on its way."""
_REASONING = re.compile(r"(o\d|gpt-5(?!-chat))")
"""OpenAI models that take no temperature and no log probabilities."""


def default_chat_model() -> str | None:
    """Return the chat model to use when a run names none; None if there is none without a download.

    In this order: GROUNDGRAPH_CHAT_MODEL; the endpoint in the environment; the embedded model, if its weights are here.
    """
    settings = get_settings()
    if settings.chat_model:
        return settings.chat_model
    if settings.openai_api_key or settings.openai_base_url:
        return f"openai:{settings.openai_model}"
    if find_spec("xllamacpp") and weights_status(DEFAULT_WEIGHTS) in {"cache", "packages"}:
        return f"llamacpp:{DEFAULT_WEIGHTS}"
    return None


def split_name(name: str, kind: str, example: str) -> tuple[str, str]:
    """Return provider and model of `provider:model`.

    Raises:
        InputError: A part is missing.
    """
    provider, colon, model = name.partition(":")
    if not (provider and colon and model):
        raise InputError(f"{kind} model {name!r}: give it as provider:model, such as {example!r}")
    return provider, model


def endpoint_settings(name: str) -> tuple[str, str]:
    """Return base URL and key of the OpenAI-compatible endpoint in the environment.

    Raises:
        ModelError: Neither is set.
    """
    settings = get_settings()
    if settings.openai_api_key is None and settings.openai_base_url is None:
        raise ModelError(
            f"model {name!r} needs an endpoint: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of yours"
        )
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else "none"
    return settings.openai_base_url or OPENAI_URL, key


def _openai(model: str) -> "BaseChatModel":
    settings = get_settings()
    base_url, key = endpoint_settings(f"openai:{model}")
    return _chat_openai(model, base_url, key, settings.request_timeout, settings.max_retries)


def _llamacpp(model: str) -> "BaseChatModel":
    from groundgraph.models.embedded import embedded_server

    server = embedded_server(model)
    return _chat_openai(model, server.base_url, server.key, _EMBEDDED_TIMEOUT, _EMBEDDED_RETRIES)


def _chat_openai(model: str, base_url: str, key: str, timeout: float, retries: int) -> "BaseChatModel":
    import openai
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    from groundgraph.models.http import http_clients

    return ChatOpenAI(
        model=model,
        base_url=base_url,
        api_key=SecretStr(key),
        timeout=openai.Timeout(timeout, connect=10.0),
        max_retries=retries,
        stream_usage=True,
        stream_chunk_timeout=None,  # the read timeout bounds the wait for a chunk
        use_responses_api=None if base_url == OPENAI_URL else False,
        openai_proxy=None,
        **http_clients(base_url),
    )


def call_options(name: str, base_url: str | None, max_tokens: int, temperature: float) -> dict[str, Any]:
    """Return the options of one call in the words the model's endpoint understands."""
    provider, model = name.split(":", 1)
    if not speaks_openai(provider):
        return {"max_tokens": max_tokens, "temperature": temperature}
    if _REASONING.match(model):
        return {"max_completion_tokens": max_tokens}
    if base_url == OPENAI_URL:
        return {"max_completion_tokens": max_tokens, "temperature": temperature}
    # The word OpenAI has given up is the one that all other servers heed.
    return {"extra_body": {"max_tokens": max_tokens}, "temperature": temperature}


def speaks_openai(provider: str) -> bool:
    """Return whether the provider's models take OpenAI's request fields."""
    return provider in {"openai", "llamacpp"}


PROVIDERS: dict[str, Callable[[str], "BaseChatModel"]] = {"openai": _openai, "llamacpp": _llamacpp}
"""How a model of each provider is made; any other provider is left to `langchain.chat_models.init_chat_model`."""


def _make(name: str) -> "BaseChatModel":
    provider, model = split_name(name, "chat", "openai:gpt-4o-mini")
    return PROVIDERS[provider](model) if provider in PROVIDERS else _other(name, provider, model)


def _other(name: str, provider: str, model: str) -> "BaseChatModel":
    from langchain.chat_models import init_chat_model

    try:
        chat: BaseChatModel = init_chat_model(model, model_provider=provider)
    except ImportError as error:
        raise ModelError(f"chat model {name!r} needs a package: {' '.join(str(error).split())}") from None
    except ValueError as error:
        said = " ".join(str(error).split())
        if said.startswith("Unsupported"):
            known = f"{', '.join(PROVIDERS)}, {said.rpartition(': ')[2]}"
            raise InputError(f"chat model {name!r}: unknown provider {provider!r}; known are {known}") from None
        raise ModelError(f"chat model {name!r} cannot be set up: {said}") from None
    return chat


def close_http_clients(model: object) -> None:
    """Close the connections of a model of langchain-openai."""
    if (client := getattr(model, "http_client", None)) is not None:
        client.close()
    if (close_pools := getattr(getattr(model, "http_async_client", None), "close_pools", None)) is not None:
        close_pools()


def check_provider(name: str) -> None:
    """Raise if `name` is not `provider:model`, or its provider is unknown; loads no embedded model.

    Raises:
        InputError, ModelError: As `chat_model` does.
    """
    if split_name(name, "chat", "openai:gpt-4o-mini")[0] not in PROVIDERS:
        chat_model(name)


chat_models = Once(_make, close_http_clients)


def chat_model(name: str) -> "BaseChatModel":
    """Return the chat model called `name`, made at its first use and shared by threads, event loops and graphs.

    May block for long (weights, server start, imports): on an event loop call it in a thread.

    Args:
        name: `provider:model`: `openai:` for OpenAI and every compatible server, `llamacpp:` for the embedded one,
            else a provider of `langchain.chat_models.init_chat_model`.

    Raises:
        InputError: The name is not `provider:model`, or the provider is unknown.
        ModelError: A key, package or weight file is missing or wrong.
    """
    return chat_models(name)
