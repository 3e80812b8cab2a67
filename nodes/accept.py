"""Accept a segment as the next part of the answer (Self-RAG, arXiv:2310.11511)."""

import uuid
from typing import Literal

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.node import Update, node, said
from nodes.sentence import joint
from nodes.stream import emit, once
from state.context import Context
from state.schemas import Segment

Continued = Literal["decide", "conclude"]


class Accepting(TypedDict):
    """The chosen segment, and the answer before it."""

    best: Segment
    answer: str
    accepted: list[Segment]
    message_id: str


class Accepted(TypedDict):
    """What to do next."""

    outcome: Continued


@node
async def accept(state: Accepting, runtime: Runtime[Context]) -> Update:
    """Add the best segment to `answer` and to the user's token stream; `outcome` says whether the answer goes on."""
    self_rag, segment = runtime.context.self_rag, state["best"]
    text = joint(state["answer"], segment["text"]) + segment["text"]
    message_id = state["message_id"] or str(uuid.uuid4())
    await emit(once(text), message_id)
    accepted = [*state["accepted"], segment]
    outcome: Continued = "decide"
    if segment["utility"] >= self_rag.enough_utility or len(accepted) >= self_rag.max_segments:
        outcome = "conclude"
    return {
        "answer": state["answer"] + text,
        "accepted": accepted,
        "best": None,
        "tried": [],
        "search_query": "",
        "message_id": message_id,
        "outcome": outcome,
        "steps": said("accept", f"segment {len(accepted)} from passage {segment['passage']}", **segment),
    }
