"""Search the web once, if the run allows it and the person, where asked, agrees."""

from langgraph.runtime import Runtime
from langgraph.types import interrupt
from typing_extensions import TypedDict

from groundgraph.errors import WebSearchError
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import SearchResult
from groundgraph.knowledge.web import web_provider
from groundgraph.knowledge.web_pages import with_pages
from nodes.node import Update, node, said
from nodes.rewrite import MAX_CHARACTERS
from state.approval import Approval
from state.context import Context

MIXED_TOP_K = 2
"""Web results to take when local passages are used beside them."""


class Corrected(TypedDict):
    """The query to send, and the local passages that are kept."""

    web_query: str
    passages: list[Passage]


@node
async def web_search(state: Corrected, runtime: Runtime[Context]) -> Update:
    """Send `web_query` to the provider; a denial or a failure leaves no results and a warning or step that says so.

    With `web_search="ask"` the run is interrupted with the exact query; resume with true to approve, false to deny,
    or a text that replaces the query.
    """
    context = runtime.context
    query = state["web_query"]
    if context.web_search == "ask":
        asked = {"web_search": query, "provider": context.web_provider}
        approval = interrupt(asked, response_schema=Approval).root
        if approval is False:
            return {"web_passages": [], "steps": said("web_search", "denied", query=query)}
        query = query if approval is True else approval.strip()[:MAX_CHARACTERS]
    k = min(MIXED_TOP_K, context.web_top_k) if state["passages"] else context.web_top_k
    try:
        found = await _found(query, k, context)
    except WebSearchError as error:
        return {
            "web_passages": [],
            "warnings": [f"web search failed: {error}"],
            "steps": said("web_search", "failed", query=query),
        }
    local = {passage.id for passage in state["passages"]}
    passages = [passage for passage in found.passages if passage.id not in local]
    return {
        "web_passages": passages,
        "web_query": query,
        "warnings": found.warnings,
        "usage": {"searches": 1},
        "steps": said("web_search", f"{len(passages)} results", query=query, sources=[p.source for p in passages]),
    }


async def _found(query: str, k: int, context: Context) -> SearchResult:
    """Return what the provider finds, with its pages where the run reads them."""
    found = await web_provider(context.web_provider).search(query, k)
    if not context.web_pages:
        return found
    pages = await with_pages(found.passages, query)
    return SearchResult(pages.passages, [*found.warnings, *pages.warnings])
