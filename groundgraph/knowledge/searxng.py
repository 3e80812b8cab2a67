"""Search the web with a SearXNG instance, such as one's own inside a company."""

import asyncio
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from groundgraph.errors import WebSearchError
from groundgraph.knowledge.search import SearchResult
from groundgraph.knowledge.web_results import web_passages
from groundgraph.settings import Settings, get_settings

if TYPE_CHECKING:
    import httpx

MAX_BYTES = 5_000_000
"""Bytes of the longest reply that is read, unpacked."""
_OVERLOADED = 429
_STATUSES = {
    403: "refuses JSON (403): add json to search.formats in its settings.yml",
    404: "has no search page (404): check SEARXNG_BASE_URL",
    _OVERLOADED: "is overloaded (429): try again later, or mend its limiter",
}


class SearXNG:
    """SearXNG, by its JSON API at SEARXNG_BASE_URL; what its results name is not fetched."""

    async def search(self, query: str, k: int) -> SearchResult:
        """Return at most `k` results; overload, timeouts and failures of the server are retried twice."""
        if (base_url := (await asyncio.to_thread(_settings)).searxng_base_url) is None:
            raise WebSearchError("SEARXNG_BASE_URL is not set: set it to the address of your SearXNG instance")
        import httpx

        host = urlsplit(base_url).hostname
        try:
            reply = await _ask(base_url, query)
        except httpx.HTTPStatusError as error:
            raise WebSearchError(f"SearXNG at {host} {_said(error.response)}") from None
        except httpx.HTTPError as error:
            kind = type(error).__name__
            raise WebSearchError(f"SearXNG at {host} did not answer ({kind}): check SEARXNG_BASE_URL") from None
        except ValueError as error:
            raise WebSearchError(f"SearXNG at {host} sent what cannot be read ({error})") from None
        if not isinstance(reply, dict) or not isinstance(reply.get("results"), list):
            raise WebSearchError(f"the reply of SearXNG at {host} holds no results: check SEARXNG_BASE_URL")
        passages = await asyncio.to_thread(web_passages, reply["results"], k)
        return SearchResult(passages, [] if passages else _silent_engines(reply.get("unresponsive_engines")))


def _settings() -> Settings:
    """Return the settings, and import what does not belong on an event loop."""
    import httpx  # noqa: F401

    return get_settings()


async def _ask(base_url: str, query: str) -> Any:
    from groundgraph.knowledge.web_client import http_client, retried

    async with http_client(base_url) as client:
        return json.loads(await retried(_is_passing, _body)(client, query))


async def _body(client: "httpx.AsyncClient", query: str) -> bytes:
    data = bytearray()
    async with client.stream("GET", "/search", params={"q": query, "format": "json"}) as response:
        response.raise_for_status()  # raises for a redirect too
        async for part in response.aiter_bytes():
            data += part
            if len(data) > MAX_BYTES:
                raise ValueError(f"more than {MAX_BYTES:,} bytes")
    return bytes(data)


def _is_passing(error: BaseException) -> bool:
    import httpx

    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code == _OVERLOADED or error.response.is_server_error
    return isinstance(error, httpx.TransportError)


def _said(response: "httpx.Response") -> str:
    if response.is_redirect:
        return "redirects: set SEARXNG_BASE_URL to where it redirects to"
    status = response.status_code
    return _STATUSES.get(status, f"answers {status}: look at its log")


def _silent_engines(told: Any) -> list[str]:
    """Return a warning that names the engines which did not answer, told as pairs of engine and reason."""
    names = [str(pair[0]) for pair in told or () if isinstance(pair, list) and pair]
    return [f"web search: SearXNG's engines {', '.join(names)} did not answer"] if names else []
