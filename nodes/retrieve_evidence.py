"""Retrieve for the next segment of an answer (Self-RAG, arXiv:2310.11511)."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import search
from nodes.fuse import key_of
from nodes.node import Update, node, said
from nodes.prompt import MARKS
from nodes.rerank import reranked
from nodes.retrieve import depth
from state.context import Context
from state.schemas import Segment


class Needing(TypedDict):
    """What to look for and where, and what was found before."""

    query: str
    search_query: str
    collections: list[str]
    accepted: list[Segment]
    passages: list[Passage]
    attempts: int
    warnings: list[str]


@node
def retrieve_evidence(state: Needing, runtime: Runtime[Context]) -> Update:
    """Set `found` to the numbers of what is found for `search_query`, else for the question and the last segment.

    New passages are added to `passages`; one that was found before keeps its number. Each rewriting looks deeper. What
    is found is reranked where the run wants that.

    Raises:
        CollectionError: A collection is missing, or was built with another embedding model.
    """
    context = runtime.context
    query, wanted = state["search_query"] or question_so_far(state), context.top_k * (1 + state["attempts"])
    result = search(
        query,
        state["collections"],
        k=depth(context, wanted),
        mode=context.search_mode,
        embedding_model=context.embedding_model,
        where=context.where,
        weights=context.search_weights.model_dump(),
        mmr=context.mmr,
    )
    numbers = {key_of(passage): number for number, passage in enumerate(state["passages"], 1)}
    ranked = reranked(context, [query], result.passages)[:wanted]
    new = [passage for passage in ranked if key_of(passage) not in numbers]
    numbers |= {key_of(passage): number for number, passage in enumerate(new, len(numbers) + 1)}
    found = [numbers[key_of(passage)] for passage in ranked]
    return {
        "passages": [*state["passages"], *new],
        "found": found,
        "warnings": [warning for warning in result.warnings if warning not in state["warnings"]],
        "steps": said(
            "retrieve_evidence",
            f"{len(new)} of {len(found)} passages new",
            query=query,
            passages=found,
            sources=[passage.source for passage in new],
        ),
    }


def question_so_far(state: Needing) -> str:
    """Return the question with the last segment after it, its citation marks left out."""
    last = state["accepted"][-1]["text"] if state["accepted"] else ""
    return f"{state['query']} {MARKS.sub('', last)}".strip()
