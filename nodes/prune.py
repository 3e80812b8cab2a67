"""Prune the answers that grow side by side to the best (Self-RAG, arXiv:2310.11511)."""

from collections.abc import Iterable
from typing import Literal

from langgraph.runtime import Runtime

from groundgraph.grading.reflection import answer_score
from nodes.expand import Growing
from nodes.node import Update, node, said
from state.context import Context
from state.schemas import Beam

Next = Literal["retrieve_beams", "elect"]


class Pruned(Growing):
    """What to do next."""

    outcome: Next


@node
async def prune(state: Growing, runtime: Runtime[Context]) -> Update:
    """Keep the `self_rag.beam_width` best; in the short form all are kept, since equal answers may be summed.

    `outcome` goes on until all have ended or have `self_rag.depth` segments.
    """
    self_rag = runtime.context.self_rag
    ranked = sorted(state["beams"], key=lambda beam: -beam["score"])
    if self_rag.form == "short":
        return {"beams": ranked, "outcome": "elect", "steps": said("prune", f"{len(ranked)} answers of one segment")}
    kept = distinct(ended_if_silent(beam) for beam in ranked)[: self_rag.beam_width]
    goes_on = any(beam["need"] for beam in kept) and state["depth"] < self_rag.depth
    outcome: Next = "retrieve_beams" if goes_on else "elect"
    return {
        "beams": kept,
        "outcome": outcome,
        "steps": said(
            "prune",
            f"{len(kept)} of {len(ranked)} answers kept → {outcome}",
            scores=[round(beam["score"], 4) for beam in kept],
            passages=[[segment["passage"] for segment in beam["segments"]] for beam in kept],
        ),
    }


def ended_if_silent(beam: Beam) -> Beam:
    """Return the answer; without its last segment, and ended, if that is empty or said before."""
    *earlier, last = beam["segments"]
    if last["text"] and last["text"] not in [segment["text"] for segment in earlier]:
        return beam
    return {**beam, "segments": earlier, "need": "", "score": answer_score([segment["score"] for segment in earlier])}


def distinct(beams: Iterable[Beam]) -> list[Beam]:
    """Return the answers that say something, best first, each once."""
    said_before: dict[str, Beam] = {}
    for beam in sorted(beams, key=lambda beam: -beam["score"]):
        if beam["segments"]:
            said_before.setdefault(repr(beam["segments"]), beam)
    return list(said_before.values())
