"""Assess how good what was retrieved is, and decide what to do about it."""

from typing import Literal

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.grading.disagree import other_sides
from groundgraph.knowledge.passage import Passage
from nodes.model import chat_model_of
from nodes.node import Update, node, said
from nodes.score import score
from state.context import Context

Outcome = Literal["generate", "rewrite_again", "supplement", "refuse"]

MAX_ATTEMPTS = 1
"""Further retrievals, each with the question rewritten."""
UNREADABLE = 0.5
"""Score of a passage whose verdict cannot be read."""


class Retrieved(TypedDict):
    """What was found for the question, and how often it was searched for anew."""

    query: str
    passages: list[Passage]
    attempts: int


class Assessed(TypedDict):
    """What to do next."""

    outcome: Outcome


@node
async def assess(state: Retrieved, runtime: Runtime[Context]) -> Update:
    """Set `quality`, the score in [0, 1] of the best passage, and `outcome`; order the passages by their scores.

    Where they are to be answered from, `top_k` are kept that score at least `adaptive.theta_low` or above
    `adaptive.theta_keep`, beside what contradicts one of them.
    """
    context, adaptive = runtime.context, runtime.context.adaptive
    scored = await score(state["query"], state["passages"], context)
    ranked = sorted(scored.passages, key=lambda passage: -score_of(passage))
    quality = max(map(score_of, ranked), default=0.0)
    outcome: Outcome
    if quality >= adaptive.theta_high:
        outcome = "generate"
    elif state["attempts"] < MAX_ATTEMPTS and context.rewrite != "off":
        outcome = "rewrite_again"
    elif quality >= adaptive.theta_low:
        outcome = "generate"
    else:
        outcome = "supplement" if adaptive.supplement and await chat_model_of(context) else "refuse"
    if outcome == "generate":
        good = [
            passage
            for passage in ranked
            if (found := score_of(passage)) >= adaptive.theta_low or found > adaptive.theta_keep
        ][: context.top_k]
        ranked = good + other_sides(state["query"], good, ranked[len(good) :])
    reason = f"no passage answers the question (best score {quality:.3f}, needed {adaptive.theta_low})"
    return {
        "passages": ranked,
        "quality": quality,
        "outcome": outcome,
        **({"refusal_reason": reason} if scored.passages else {}),  # else retrieve has said that nothing was found
        "warnings": scored.warnings,
        "usage": scored.usage,
        "steps": said("assess", f"quality {quality:.2f} → {outcome}", scores=[p.score for p in scored.passages]),
    }


def score_of(passage: Passage) -> float:
    """Return the passage's score in [0, 1]."""
    return UNREADABLE if passage.score is None else passage.score
