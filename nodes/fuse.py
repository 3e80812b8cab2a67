"""Fuse what the legs of the search found for every query into one ranking."""

from collections.abc import Mapping, Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.errors import CollectionError
from groundgraph.knowledge.diversify import folded
from groundgraph.knowledge.fuse import reciprocal_rank_fusion
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import SearchMode
from nodes.node import Update, node, said
from nodes.retrieve import depth, nothing_found
from nodes.retrieve_leg import leg_weights
from state.context import Context
from state.schemas import Ranking


class Ranked(TypedDict):
    """Where was searched, all rankings so far, and what was warned of already."""

    collections: list[str]
    rankings: list[Ranking]
    warnings: list[str]


@node
def fuse(state: Ranked, runtime: Runtime[Context]) -> Update:
    """Set `passages`, at most `top_k`, best first, no two of one wording; 4 × `top_k` to be reranked.

    A leg that failed costs a warning, a search by the only leg that there is one that names the query; unless all did.

    Raises:
        CollectionError: Every search failed.
    """
    context, rankings = runtime.context, state["rankings"]
    weights = leg_weights(context)
    failures = [_failure(one, alone=len(weights) == 1) for one in rankings if one["failed"]]
    if failures and len(failures) == len(rankings):
        raise CollectionError(f"every search failed: {rankings[0]['failed']}")
    passages = fused(rankings, weights)
    kept = passages[: depth(context, context.top_k)]
    warnings = [*failures, *(warning for one in rankings for warning in one["warnings"])]
    return {
        "passages": kept,
        "refusal_reason": "" if kept else nothing_found(context, state["collections"]),
        "warnings": [warning for warning in dict.fromkeys(warnings) if warning not in state["warnings"]],
        "steps": said(
            "fuse",
            f"{len(kept)} of {len(passages)} passages",
            queries=[*dict.fromkeys(one["query"] for one in rankings)],
            legs=[*dict.fromkeys(one["leg"] for one in rankings)],
            sources=[passage.source for passage in kept],
        ),
    }


def _failure(ranking: Ranking, alone: bool) -> str:
    if alone:
        return f"{ranking['leg']} search for {ranking['query']!r} failed: {ranking['failed']}"
    return f"{ranking['leg']} search failed, the other leg answered alone: {ranking['failed']}"


def fused(rankings: Sequence[Ranking], weights: Mapping[SearchMode, float]) -> list[Passage]:
    """Return the passages of all rankings by reciprocal rank fusion with c=60, no two of one wording.

    Args:
        rankings: Of any queries and legs.
        weights: By leg, at least 0.
    """
    found = {key_of(passage): passage for one in rankings for passage in one["passages"]}
    order = reciprocal_rank_fusion(
        [[key_of(passage) for passage in one["passages"]] for one in rankings],
        [weights[one["leg"]] for one in rankings],
    )
    return folded([found[key] for key, _ in order])


def key_of(passage: Passage) -> str:
    """Return what tells passages apart."""
    return passage.id or passage.page_content
