"""Web search providers behind one seam."""

from collections.abc import Callable
from typing import Protocol

from groundgraph.errors import InputError
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.search import SearchResult
from groundgraph.knowledge.searxng import SearXNG
from groundgraph.knowledge.tavily import Tavily
from groundgraph.knowledge.web_collection import WebCollection

COLLECTION = "collection:"
"""Begins the name of a provider that is a collection."""


class WebProvider(Protocol):
    """Something that searches the web."""

    async def search(self, query: str, k: int) -> SearchResult:
        """Return at most `k` results with the origin `web`, best first, each with an address to cite it by.

        Raises:
            WebSearchError: The provider is not configured, or failed.
        """
        ...


WEB_PROVIDERS: dict[str, Callable[[], WebProvider]] = {"searxng": SearXNG, "tavily": Tavily}


def web_provider(name: str) -> WebProvider:
    """Return the provider of this name; `collection:NAME` is a collection in place of the web.

    Raises:
        InputError: There is none of this name.
    """
    if name.startswith(COLLECTION):
        return WebCollection(name.removeprefix(COLLECTION))
    if name not in WEB_PROVIDERS:
        known = ", ".join(sorted(WEB_PROVIDERS))
        raise InputError(f"web_provider={name!r}: unknown; known are {known} and {COLLECTION}NAME")
    return WEB_PROVIDERS[name]()


def check_web_provider(name: str) -> None:
    """Raise for a name that a search would stumble on; reads the disk: not for an event loop.

    Raises:
        InputError: There is no provider of this name, or no collection can have it.
        CollectionError: There is no such collection.
    """
    if isinstance(provider := web_provider(name), WebCollection):
        Collection.open(provider.name)
