"""Retrieve for one query by one leg of the search, beside others."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.errors import CollectionError, ModelError
from groundgraph.knowledge.search import SearchMode, search
from nodes.node import Update, node
from nodes.subquestions import ready
from state.context import Context
from state.schemas import Ranking

DEPTH = 2
"""Passages a leg gives for each of `top_k`."""


class Leg(TypedDict):
    """One query, the leg, `vector` or `keyword`, that searches for it, and where; a router sends it."""

    query: str
    leg: SearchMode
    collections: list[str]


class Wanted(TypedDict):
    """What is to be searched for, and what was found so far."""

    query: str
    collections: list[str]
    search_query: str
    subquestions: list[str]
    rankings: list[Ranking]


@node
def retrieve_leg(state: Leg, runtime: Runtime[Context]) -> Update:
    """Add to `rankings` what the leg finds, at most 2 × `top_k` passages; a failure is left for `fuse` to judge."""
    context, query, leg = runtime.context, state["query"], state["leg"]
    try:
        found = search(
            query,
            state["collections"],
            k=DEPTH * context.top_k,
            mode=leg,
            embedding_model=context.embedding_model,
            where=context.where,
            mmr=context.mmr,
        )
    except (ModelError, CollectionError) as error:
        failed: Ranking = {"query": query, "leg": leg, "passages": [], "warnings": [], "failed": str(error)}
        return {"rankings": [failed]}
    ranking: Ranking = {
        "query": query,
        "leg": leg,
        "passages": found.passages,
        "warnings": found.warnings,
        "failed": "",
    }
    return {"rankings": [ranking]}


def legs(state: Wanted, context: Context) -> list[Leg]:
    """Return the searches that are left, by every leg: for the question, its rewritten form, and its sub-questions."""
    wanted = dict.fromkeys([state["query"], state["search_query"], *ready(state["subquestions"])])
    done = {ranking["query"] for ranking in state["rankings"]}
    queries = [query for query in wanted if query and query not in done]
    names = state["collections"]
    return [{"query": query, "leg": leg, "collections": names} for query in queries for leg in leg_weights(context)]


def leg_weights(context: Context) -> dict[SearchMode, float]:
    """Return the legs that a run searches by, and their weights: one of weight 0 is left out, a lone one counts 1."""
    if context.search_mode != "hybrid":
        return {context.search_mode: 1.0}
    weights: dict[SearchMode, float] = {
        "vector": context.search_weights.vector,
        "keyword": context.search_weights.keyword,
    }
    return {leg: weight for leg, weight in weights.items() if weight}
