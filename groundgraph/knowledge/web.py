"""Web search providers behind one seam."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from groundgraph.errors import InputError, WebSearchError
from groundgraph.knowledge.passage import Passage
from groundgraph.settings import get_settings

MAX_CHARACTERS = 2_000
"""Longest text taken of one result."""


class WebProvider(Protocol):
    """Something that searches the web."""

    async def search(self, query: str, k: int) -> list[Passage]:
        """Return at most `k` results, best first, with their addresses as sources.

        Raises:
            WebSearchError: The provider is not configured, or failed.
        """
        ...


class Tavily:
    """Tavily, by `tavily-python`; TAVILY_BASE_URL points it at a proxy."""

    async def search(self, query: str, k: int) -> list[Passage]:
        """Return at most `k` results; overload, timeouts and server errors are retried twice."""
        client = await asyncio.to_thread(_tavily_client)  # reads certificates from disk
        import httpx
        from tavily.errors import BadRequestError, ForbiddenError, InvalidAPIKeyError, UsageLimitExceededError
        from tavily.errors import TimeoutError as TavilyTimeout

        passing = (UsageLimitExceededError, TavilyTimeout, httpx.HTTPError)
        patient = retry(
            retry=retry_if_exception_type(passing),
            stop=stop_after_attempt(3),
            wait=wait_exponential_jitter(initial=0.5, max=8),
            reraise=True,
        )
        try:
            async with client:
                reply = await patient(client.search)(query, max_results=k)
        except (InvalidAPIKeyError, ForbiddenError):
            raise WebSearchError("Tavily refused the key in TAVILY_API_KEY: check it") from None
        except (*passing, BadRequestError, ValueError) as error:
            raise WebSearchError(f"Tavily did not answer ({type(error).__name__}): try again later") from None
        return [_passage(result) for result in reply.get("results", [])[:k] if result.get("content")]


def _tavily_client() -> Any:
    from tavily import AsyncTavilyClient

    settings = get_settings()
    if settings.tavily_api_key is None:
        raise WebSearchError("TAVILY_API_KEY is not set: set it, or run with web_search='off'")
    return AsyncTavilyClient(settings.tavily_api_key.get_secret_value(), api_base_url=settings.tavily_base_url)


def _passage(result: dict[str, Any]) -> Passage:
    text = str(result["content"])[:MAX_CHARACTERS]
    address = str(result.get("url", ""))
    title = str(result.get("title") or "")
    return Passage(id=address, page_content=text, source=address, heading=title, end=len(text), origin="web")


WEB_PROVIDERS: dict[str, Callable[[], WebProvider]] = {"tavily": Tavily}


def web_provider(name: str) -> WebProvider:
    """Return the provider of this name.

    Raises:
        InputError: There is none of this name.
    """
    if name not in WEB_PROVIDERS:
        raise InputError(f"web_provider={name!r}: unknown; known are {', '.join(sorted(WEB_PROVIDERS))}")
    return WEB_PROVIDERS[name]()
