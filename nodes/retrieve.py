"""Retrieve the passages nearest to the query."""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import search
from nodes.node import Update, node, said
from state.context import Context

CANDIDATES = 4
"""Passages to rerank for each one to keep."""


class Asked(TypedDict):
    """What is searched for: by words the query, by meaning its vector or, where there is one, the one given."""

    query: str
    collections: list[str]
    query_vectors: dict[str, list[float]]


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
        k=depth(context, context.top_k),
        mode=context.search_mode,
        embedding_model=context.embedding_model,
        where=context.where,
        weights=context.search_weights.model_dump(),
        mmr=context.mmr,
        vectors=state["query_vectors"],
    )
    passages = found.passages
    where = context.where.model_dump(exclude_defaults=True)
    return {
        "passages": passages,
        "refusal_reason": "" if passages else nothing_found(context, state["collections"]),
        "warnings": found.warnings,
        "steps": said(
            "retrieve",
            f"{len(passages)} passages",
            mode=context.search_mode,
            collections=state["collections"],
            **({"where": where} if where else {}),
            sources=[passage.source for passage in passages],
        ),
    }


def depth(context: Context, wanted: int) -> int:
    """Return how many passages to search for where so many are wanted: 4 × as many if they are to be reranked."""
    return wanted if context.rerank == "off" else CANDIDATES * wanted


def nothing_found(context: Context, collections: Sequence[str]) -> str:
    """Return why a run that found no passage refuses."""
    among = " among the documents that `where` lets through" if context.where.model_dump(exclude_defaults=True) else ""
    return f"nothing was found in {', '.join(collections)}{among}"
