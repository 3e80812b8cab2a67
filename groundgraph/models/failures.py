"""Turn what clients raise into one clear line: which model, where, what happened, and the remedy."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from groundgraph.errors import GroundgraphError, ModelError, ModelUnavailable
from groundgraph.settings import get_settings

_BUSY = {408, 409, 425, 429}
_MALFORMED = (ValueError, TypeError, LookupError, AttributeError)
"""What langchain-openai lets out when a body is no JSON, or JSON of another shape."""


class RequestRejected(ModelError):
    """The endpoint understood who asks but not what (400, 413, 422): another request may do."""

    def __init__(self, line: str, said: str = "") -> None:
        super().__init__(line)
        self.said = said
        """The endpoint's own words; empty where the prompt is the reason."""


@contextmanager
def clear_errors(name: str, base_url: str | None = None) -> Iterator[None]:
    """Raise what goes wrong inside in the project's terms.

    Args:
        name: The model, as `provider:model`.
        base_url: Its endpoint, of which the message shows host and port only.

    Raises:
        ModelUnavailable: No connection, a time-out, 429 or 5xx after all retries, an error in place of a reply or
            amid a stream, or a body that makes no sense.
        RequestRejected: 400, 413 or 422.
        ModelError: 401, 403, 404 and any other refusal.
    """
    try:
        yield
    except GroundgraphError:
        raise
    except UnicodeEncodeError as error:
        bad = error.object[error.start : error.end]
        raise RequestRejected(
            f"{_place(name, base_url)}: the prompt holds {bad!r}, which is no text: remove it"
        ) from None
    except _client_errors() as error:
        raise _explain(error, name, base_url) from error
    except _MALFORMED as error:
        if error.args and isinstance(said := error.args[0], dict):  # a body {"error": {…}} with status 200
            raise _failed(_place(name, base_url), _words(said.get("message", said))) from error
        raise ModelUnavailable(
            f"{_place(name, base_url)} sent a reply that makes no sense ({_one_line(error)}): "
            "check that the address speaks the OpenAI API and ends in /v1"
        ) from error


def _client_errors() -> tuple[type[Exception], ...]:
    """Return what clients raise; a function, so that only a failure imports their packages."""
    from langchain_core.exceptions import LangChainException
    from openai import OpenAIError

    return LangChainException, OpenAIError, OSError


def _explain(error: Exception, name: str, base_url: str | None) -> ModelError:
    from langchain_core.exceptions import ContextOverflowError

    where, what = _place(name, base_url), _one_line(error)
    status = getattr(error, "status_code", None)
    if isinstance(error, ContextOverflowError) or "context size" in what or "context length" in what:
        remedy = "lower top_k, ask a shorter question, or raise GROUNDGRAPH_LLAMACPP_CONTEXT for an embedded model"
        return RequestRejected(f"{where}: the prompt is longer than the model's context ({what}): {remedy}")
    if status is None:
        return _failed(where, what) if _is_told(error) else _unreachable(error, where, what)
    if status in {401, 403}:
        return ModelError(f"{where} refused the key ({status}): set OPENAI_API_KEY to one that may use this model")
    if status == 404:
        return ModelError(f"{where} is not known there (404): check the model's name and OPENAI_BASE_URL")
    if status in _BUSY:
        return ModelUnavailable(f"{where} is overloaded or over its quota ({status}): wait, or lower max_concurrency")
    if status >= 500:
        return _failed(where, f"{status}: {what}")
    line = f"{where} rejected the request ({status}: {what}): check the model's name and what it can do"
    return RequestRejected(line, what) if status in {400, 413, 422} else ModelError(line)


def _is_told(error: Exception) -> bool:
    """Tell whether the endpoint itself reports the error, which it does without a status amid a stream."""
    from openai import APIConnectionError, APIError

    return isinstance(error, APIError) and not isinstance(error, APIConnectionError)


def _failed(where: str, what: str) -> ModelUnavailable:
    return ModelUnavailable(f"{where} failed ({what}): try again later, or look at the server's log")


def _unreachable(error: Exception, where: str, what: str) -> ModelUnavailable:
    if isinstance(error, TimeoutError) or "timed out" in what.lower() or "timeout" in type(error).__name__.lower():
        seconds = get_settings().request_timeout
        return ModelUnavailable(
            f"{where} did not answer in time: raise GROUNDGRAPH_REQUEST_TIMEOUT={seconds:g} (seconds)"
        )
    cause = _one_line(error.__cause__.__cause__ or error.__cause__) if error.__cause__ else what
    return ModelUnavailable(
        f"{where} cannot be reached ({cause or what}): check that it runs, OPENAI_BASE_URL and network"
    )


def _place(name: str, base_url: str | None) -> str:
    if base_url is None:
        return f"model {name!r}"
    address = urlsplit(base_url)
    port = f":{address.port}" if address.port else ""
    return f"model {name!r} at {address.hostname}{port}"


def _one_line(error: BaseException) -> str:
    """Return the error's own words as `_words` does."""
    body = getattr(error, "body", None)
    said = body.get("message", body) if isinstance(body, dict) else body
    return _words(said or error)


def _words(said: object) -> str:
    """Return what was said, short, on one line and without the key."""
    text = " ".join(str(said).split())
    key = get_settings().openai_api_key
    if key and key.get_secret_value():
        text = text.replace(key.get_secret_value(), "***")
    text = re.sub(r"\bsk-[\w*-]+", "***", text)
    return text if len(text) <= 200 else f"{text[:200]}…"
