"""A collection in place of the web, for a network that has none."""

import asyncio
from dataclasses import dataclass

from groundgraph.errors import CollectionError, ModelError, WebSearchError
from groundgraph.knowledge.search import SearchResult, search


@dataclass(frozen=True)
class WebCollection:
    """A collection that is searched where another provider would search the web; the query stays on this machine."""

    name: str

    async def search(self, query: str, k: int) -> SearchResult:
        """Return at most `k` passages, with the addresses or paths that they were indexed from."""
        try:
            found = await asyncio.to_thread(search, query, [self.name], k=k)
        except (CollectionError, ModelError) as error:
            raise WebSearchError(str(error)) from error
        passages = [passage.model_copy(update={"origin": "web"}) for passage in found.passages]
        return SearchResult(passages, found.warnings)
