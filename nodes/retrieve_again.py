"""Retrieve once more, for the rewritten question, and merge what is found."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.knowledge.diversify import folded
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import search
from nodes.node import Update, node, said
from nodes.retrieve import depth, nothing_found
from state.context import Context

DEPTH = 2
"""Passages to look at for each of `top_k`: also the same question then finds more."""


class Rewritten(TypedDict):
    """What to look for, and what was found before."""

    query: str
    search_query: str
    collections: list[str]
    passages: list[Passage]
    attempts: int


@node
def retrieve_again(state: Rewritten, runtime: Runtime[Context]) -> Update:
    """Add to `passages` what is found for `search_query`, or deeper down for the question where that is empty.

    Raises:
        CollectionError: A collection is missing, or was built with another embedding model.
    """
    context, before = runtime.context, state["passages"]
    found = search(
        state["search_query"] or state["query"],
        state["collections"],
        k=depth(context, DEPTH * context.top_k),
        mode=context.search_mode,
        embedding_model=context.embedding_model,
        where=context.where,
        weights=context.search_weights.model_dump(),
        mmr=context.mmr,
    )
    merged = folded([*before, *found.passages])
    return {
        "passages": merged,
        "attempts": state["attempts"] + 1,
        "refusal_reason": "" if merged else nothing_found(context, state["collections"]),
        "warnings": found.warnings,
        "steps": said(
            "retrieve_again",
            f"{len(merged) - len(before)} passages added",
            passages=len(merged),
            sources=[passage.source for passage in merged],
        ),
    }
