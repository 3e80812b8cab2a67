"""Choose the best segment, or search again (Self-RAG, arXiv:2310.11511)."""

from typing import Literal

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.node import Update, node, said
from state.blocks import SelfRagSettings
from state.context import Context
from state.schemas import Segment

Outcome = Literal["accept", "reformulate", "conclude", "refuse"]


class Rated(TypedDict):
    """What was written and rated, the best of earlier tries, and how often it was searched for anew."""

    segments: list[Segment]
    best: Segment | None
    complete: bool
    failure: str
    answer: str
    attempts: int


class Chosen(TypedDict):
    """What to do next."""

    outcome: Outcome


@node
async def choose(state: Rated, runtime: Runtime[Context]) -> Update:
    """Set `outcome`, and `best` to the segment of the highest score, a good one before every poor one.

    A poor segment, whose relevance or support is no more than the settings say, makes the run search again as long
    as it may. In the end the best one stands if it is supported, whatever its relevance.
    """
    context, self_rag = runtime.context, runtime.context.self_rag
    tries = [*state["segments"], *([state["best"]] if state["best"] else [])]
    best = max(tries, key=lambda segment: (is_good(segment, self_rag), segment["score"]), default=None)
    supported = best is not None and best["supported"] > self_rag.poor_supported
    may_search = state["attempts"] < self_rag.max_rewrites and context.rewrite != "off"
    outcome: Outcome
    if best is not None and is_good(best, self_rag):
        outcome = "accept"
    elif may_search and not state["complete"] and not state["failure"]:
        outcome = "reformulate"
    elif supported:
        outcome = "accept"
    else:
        outcome = "conclude" if state["answer"] or state["failure"] else "refuse"
    if best is None:
        reason = "no passage that was found answers the question"
    else:
        worst = f"best support {best['supported']:.1f}, needed above {self_rag.poor_supported:g}"
        reason = f"what could be written is not supported by the passages ({worst})"
    return {
        "best": best,
        "outcome": outcome,
        "refusal_reason": reason if outcome == "refuse" else "",
        "steps": said("choose", outcome, **({"passage": best["passage"], "score": best["score"]} if best else {})),
    }


def is_good(segment: Segment, self_rag: SelfRagSettings) -> bool:
    """Tell whether neither the segment's relevance nor its support is poor."""
    return segment["relevant"] > self_rag.poor_relevant and segment["supported"] > self_rag.poor_supported
