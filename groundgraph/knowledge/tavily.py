"""Search the web with Tavily."""

import asyncio
from typing import Any

from groundgraph.errors import WebSearchError
from groundgraph.knowledge.search import SearchResult
from groundgraph.knowledge.web_results import web_passages
from groundgraph.settings import Settings, get_settings

ADDRESS = "https://api.tavily.com"


class Tavily:
    """Tavily, by `tavily-python`; TAVILY_BASE_URL points it at a proxy."""

    async def search(self, query: str, k: int) -> SearchResult:
        """Return at most `k` results; overload, timeouts and failures of the server are retried twice."""
        settings = await asyncio.to_thread(_settings)
        if (key := settings.tavily_api_key) is None:
            raise WebSearchError("TAVILY_API_KEY is not set: set it, or take another web_provider")
        import httpx
        from tavily.errors import BadRequestError, ForbiddenError, InvalidAPIKeyError, UsageLimitExceededError
        from tavily.errors import TimeoutError as TavilyTimeout

        passing = (UsageLimitExceededError, TavilyTimeout, httpx.HTTPError)
        try:
            reply = await _ask(key.get_secret_value(), settings.tavily_base_url or ADDRESS, query, k, passing)
        except (InvalidAPIKeyError, ForbiddenError):
            raise WebSearchError("Tavily refused the key in TAVILY_API_KEY: check it") from None
        except (*passing, BadRequestError) as error:
            raise WebSearchError(f"Tavily did not answer ({type(error).__name__}): try again later") from None
        except (ValueError, AttributeError):  # no JSON, or JSON that is no object
            reply = {}
        if not isinstance(reply.get("results"), list):
            raise WebSearchError("Tavily's reply holds no results: check TAVILY_BASE_URL")
        return SearchResult(await asyncio.to_thread(web_passages, reply["results"], k), [])


def _settings() -> Settings:
    """Return the settings, and import what takes a while, which does not belong on an event loop."""
    import tavily  # noqa: F401

    return get_settings()


async def _ask(key: str, base_url: str, query: str, k: int, passing: tuple[type[Exception], ...]) -> Any:
    from tavily import AsyncTavilyClient

    from groundgraph.knowledge.web_client import SECONDS, http_client, retried

    async with http_client(base_url) as http:
        client = AsyncTavilyClient(key, client=http)
        search = retried(lambda error: isinstance(error, passing), client.search)
        return await search(query, max_results=k, timeout=SECONDS)
