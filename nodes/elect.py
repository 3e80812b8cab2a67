"""Elect one of the answers that grew side by side (Self-RAG, arXiv:2310.11511)."""

import re
import uuid
from collections.abc import Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.node import Update, node, said
from nodes.sentence import joint
from nodes.stream import emit, once
from nodes.write_segments import cited_text
from state.context import Context
from state.schemas import Beam


class Grown(TypedDict):
    """Answers, best first."""

    beams: list[Beam]


class Elected(TypedDict):
    """What decides whether an answer stands."""

    answer: str
    failure: str


@node
async def elect(state: Grown, runtime: Runtime[Context]) -> Update:
    """Set `answer` to the best one's segments that their passages support, each cited; leave it empty without any.

    Closed questions, in the short form, take the answer whose equals have the highest scores together.
    """
    self_rag, beams = runtime.context.self_rag, state["beams"]
    votes = summed(beams)
    best = max(beams, key=lambda beam: beam["score"], default=None)
    if best is not None and self_rag.closed and self_rag.form == "short":
        best = max(beams, key=lambda beam: (votes[answer_key(beam)], beam["score"]))
    segments = [s for s in best["segments"] if s["text"] and s["supported"] > self_rag.poor_supported] if best else []
    answer = ""
    for segment in segments:
        text = cited_text(segment["text"], segment["passage"])
        answer += joint(answer, text) + text
    message_id = str(uuid.uuid4()) if answer else ""
    if answer:
        await emit(once(answer), message_id)
    support = max((segment["supported"] for beam in beams for segment in beam["segments"]), default=1.0)
    reason = f"no passage supports an answer (best support {support:.1f}, needed above {self_rag.poor_supported:g})"
    shown = {"votes": {key: round(vote, 4) for key, vote in votes.items()}} if self_rag.closed else {}
    return {
        "answer": answer,
        "accepted": segments,
        "message_id": message_id,
        "refusal_reason": "" if answer else reason,
        "steps": said("elect", f"{len(segments)} segments stand", segments=segments, **shown),
    }


def summed(beams: Sequence[Beam]) -> dict[str, float]:
    """Return the sum of the scores of equal answers, by answer."""
    votes: dict[str, float] = {}
    for beam in beams:
        votes[answer_key(beam)] = votes.get(answer_key(beam), 0.0) + beam["score"]
    return votes


def answer_key(beam: Beam) -> str:
    """Return what equal answers have in common: their words, whatever the case and punctuation."""
    return re.sub(r"[\W_]+", " ", " ".join(segment["text"] for segment in beam["segments"])).strip().casefold()
