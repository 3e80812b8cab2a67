"""Retrieve for the sentence being written (FLARE, arXiv:2305.06983)."""

from collections.abc import Sequence
from itertools import zip_longest

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import search
from nodes.fuse import key_of
from nodes.node import Update, node, said
from nodes.rerank import reranked
from nodes.retrieve import depth
from state.context import Context
from state.schemas import Draft


class Searched(TypedDict):
    """What to search for on behalf of a draft, and what was found before."""

    draft: Draft
    collections: list[str]
    draft_queries: list[str]
    passages: list[Passage]
    current: list[int]
    shown: list[int]
    retrievals: int
    warnings: list[str]


@node
def retrieve_next(state: Searched, runtime: Runtime[Context]) -> Update:
    """Set `current` to the numbers of what is found, at most `flare.top_k`; new passages are added to `passages`.

    With `flare.keep="gather"` the search passes over what there is already, as long as anything else is found. Several
    queries' results take turns, or are reranked where the run wants that. A passage that was found before keeps its
    number, and is not added again.

    Raises:
        CollectionError: A collection is missing, or was built with another embedding model.
    """
    flare = runtime.context.flare
    numbers = {key_of(passage): number for number, passage in enumerate(state["passages"], 1)}
    ranked, warnings = _ranked(state["draft_queries"], state["collections"], len(numbers), runtime.context)
    unseen = [passage for passage in ranked if key_of(passage) not in numbers]
    found = (unseen if unseen and flare.keep == "gather" else ranked)[: flare.top_k]
    new = [passage for passage in found if key_of(passage) not in numbers]
    numbers |= {key_of(passage): number for number, passage in enumerate(new, len(numbers) + 1)}
    return {
        "passages": [*state["passages"], *new],
        "current": [numbers[key_of(passage)] for passage in found] or state["current"],
        "retrievals": state["retrievals"] + 1,
        "warnings": [warning for warning in warnings if warning not in state["warnings"]],
        "steps": said(
            "retrieve_next",
            f"{len(new)} of {len(found)} passages new",
            sources=[passage.source for passage in new],
            numbers=[numbers[key_of(passage)] for passage in found],
        ),
    }


def _ranked(
    queries: Sequence[str], collections: Sequence[str], known: int, context: Context
) -> tuple[list[Passage], list[str]]:
    """Return the passages for all queries together, best first, and what the searches warn of.

    Args:
        queries: What to search for.
        collections: Where.
        known: How many passages there are already, which are passed over.
        context: Of the run.
    """
    results = [
        search(
            query,
            collections,
            k=depth(context, context.flare.top_k) + (known if context.flare.keep == "gather" else 0),
            mode=context.search_mode,
            embedding_model=context.embedding_model,
            where=context.where,
            weights=context.search_weights.model_dump(),
            mmr=context.mmr,
        )
        for query in queries
    ]
    found = reranked(context, queries, in_turns([result.passages for result in results]))
    return found, [*dict.fromkeys(warning for result in results for warning in result.warnings)]


def in_turns(rankings: Sequence[Sequence[Passage]]) -> list[Passage]:
    """Return the passages of all rankings, each once: the first of each, then the second of each, and so on."""
    rows = zip_longest(*rankings)
    found = {key_of(passage): passage for row in rows for passage in row if passage is not None}
    return list(found.values())


def brought_something(state: Searched, context: Context) -> bool:
    """Tell whether the last retrieval changes what there is to write from."""
    if context.flare.keep == "gather":
        return not {*state["current"]} <= {*state["shown"]}
    return {*state["current"]} != {*state["shown"]}
