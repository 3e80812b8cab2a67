"""Retrieve the passages nearest to the query."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import search
from nodes.node import Update, node, said
from state.context import Context

CANDIDATES = 4
"""Passages to rerank for each one to keep."""


class Asked(TypedDict):
    """What is searched for, and where."""

    query: str
    collections: list[str]


class Found(TypedDict):
    """The passages there are to answer from."""

    passages: list[Passage]


@node
def retrieve(state: Asked, runtime: Runtime[Context]) -> Update:
    """Search `collections` with `query`: at most `top_k` passages, best first; 4 × top_k to be reranked.

    Raises:
        CollectionError: A collection is missing, or was built with another embedding model.
    """
    context = runtime.context
    found = search(
        state["query"],
        state["collections"],
        k=context.top_k if context.rerank == "off" else CANDIDATES * context.top_k,
        mode=context.search_mode,
        embedding_model=context.embedding_model,
        where=context.where,
        weights=context.search_weights.model_dump(),
        mmr=context.mmr,
    )
    passages = found.passages
    where = context.where.model_dump(exclude_defaults=True)
    among = " among the documents that `where` lets through" if where else ""
    reason = "" if passages else f"nothing was found in {', '.join(state['collections'])}{among}"
    return {
        "passages": passages,
        "refusal_reason": reason,
        "warnings": found.warnings,
        "steps": said(
            "retrieve",
            f"{len(passages)} passages",
            mode=context.search_mode,
            collections=state["collections"],
            **({"where": where} if where else {}),
            sources=sorted({passage.source for passage in passages}),
        ),
    }
