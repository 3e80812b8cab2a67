"""Rerank what was retrieved with a model that reads question and passage together."""

import asyncio
from collections.abc import Sequence
from functools import partial

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.grading.cross_encoder import cross_encoder
from groundgraph.grading.evaluator import embedded_evaluator
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import stored_vectors
from nodes.node import Update, node, said
from nodes.subquestions import ready
from state.context import Context

CROSS_ENCODER = "cross-encoder:"


class Retrieved(TypedDict):
    """Passages to put in another order, by the question or, where one of its parts fits better, by that."""

    query: str
    subquestions: list[str]
    passages: list[Passage]


@node
async def rerank(state: Retrieved, runtime: Runtime[Context]) -> Update:
    """Keep the `top_k` passages that the run's reranker finds most relevant, best first; off, leave them alone.

    Raises:
        ModelError: The reranker's model or package cannot be had.
    """
    context, passages = runtime.context, state["passages"]
    if context.rerank == "off" or not passages:
        return {}
    scores = await asyncio.to_thread(scores_for, context.rerank, questions(state), passages)
    ranked = sorted(range(len(passages)), key=lambda place: -scores[place])[: context.top_k]
    return {
        "passages": [passages[place] for place in ranked],
        "steps": said(
            "rerank",
            f"{len(ranked)} of {len(passages)} passages kept",
            reranker=context.rerank,
            ranks=[place + 1 for place in ranked],
            scores=[round(scores[place], 4) for place in ranked],
            sources=[passages[place].source for place in ranked],
        ),
    }


def reranked(context: Context, queries: Sequence[str], passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages in the order of the run's reranker, by the query that each fits best; off, as they are."""
    if context.rerank == "off" or not passages:
        return list(passages)
    scores = scores_for(context.rerank, queries, passages)
    return [passages[place] for place in sorted(range(len(passages)), key=lambda place: -scores[place])]


def questions(state: Retrieved) -> list[str]:
    """Return what a passage may be relevant to: the question and its sub-questions."""
    return [state["query"], *ready(state["subquestions"])]


def scores_for(reranker: str, queries: Sequence[str], passages: Sequence[Passage]) -> list[float]:
    """Return the score of each passage for the query that it fits best."""
    if reranker.startswith(CROSS_ENCODER):
        score = partial(cross_encoder(reranker.removeprefix(CROSS_ENCODER)).score, passages=passages)
    else:
        evaluator = embedded_evaluator()
        vectors = stored_vectors(passages, evaluator.embedding_model)
        score = partial(evaluator.score, passages=passages, vectors=vectors)
    return [max(scores) for scores in zip(*map(score, queries), strict=True)]
