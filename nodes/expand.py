"""Expand each answer by a segment from each of its passages, with reflection tokens (Self-RAG, arXiv:2310.11511)."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.errors import ModelUnavailable
from groundgraph.grading.reflection import (
    CONTINUE,
    NEEDS,
    RELEVANCE,
    RETRIEVAL,
    Reflections,
    answer_score,
    first_segment,
    instruction,
    need_after,
    paragraph,
    plain_text,
    probabilities,
    reflections,
)
from groundgraph.knowledge.passage import Passage
from groundgraph.models import Reply, complete, token_access, token_spans
from nodes.model import capped, pattern_model
from nodes.node import Update, cost, node, said
from nodes.probe import TOP_TOKENS
from state.blocks import SelfRagSettings
from state.context import Context
from state.schemas import Beam, Segment

UNREPORTED = "the endpoint gives no log probabilities of a whole segment: its reflection tokens count as absent"
ROOT: Beam = {"raw": "", "segments": [], "score": 1.0, "need": RETRIEVAL, "found": []}


class Growing(TypedDict):
    """Answers that grow, and the passages to go on from."""

    query: str
    passages: list[Passage]
    candidates: list[int]
    beams: list[Beam]
    depth: int
    warnings: list[str]


class Branch(NamedTuple):
    """One way for an answer to go on."""

    beam: Beam
    passage: int
    lead: str
    """What stands between the answer so far and the segment."""


class Written(NamedTuple):
    """What was written, and what else it took to read it."""

    reply: Reply
    spent: list[Reply]


@node
async def expand(state: Growing, runtime: Runtime[Context]) -> Update:
    """Replace `beams` by all that grow from them, those that have ended kept.

    Raises:
        ModelError: The completions endpoint refuses; with `on_model_failure="error"` also if it is down.
    """
    context = runtime.context
    model = await pattern_model(context)
    turns = asyncio.Semaphore(context.max_concurrency)
    beams = state["beams"] or [{**ROOT, "found": state["candidates"]}]
    ways = [branch for beam in beams if beam["need"] for branch in branches(beam, state["passages"])]

    async def write(way: Branch) -> Written | ModelUnavailable:
        prompt = instruction(state["query"]) + way.beam["raw"] + way.lead
        try:
            async with turns:
                return await _written(model, prompt, way, context.self_rag.segment_tokens)
        except ModelUnavailable as error:
            return error

    written = await asyncio.gather(*map(write, ways))
    replies = [(way, one) for way, one in zip(ways, written, strict=True) if isinstance(one, Written)]
    errors = [error for error in written if isinstance(error, ModelUnavailable)]
    if errors and not replies:
        return _down(errors[0], state, context)
    failures = [f"a segment was not written: {error}" for error in dict.fromkeys(map(str, errors))]
    warnings = [*failures, *capped([one.reply for _, one in replies], state["warnings"])]
    if any(one.reply.logprobs is None for _, one in replies) and UNREPORTED not in state["warnings"]:
        warnings.append(UNREPORTED)
    grown = [grow(way, one.reply, context.self_rag) for way, one in replies]
    return {
        "beams": [*(beam for beam in beams if not beam["need"]), *(beam for beam, _ in grown)],
        "depth": state["depth"] + 1,
        "warnings": warnings,
        "usage": cost(*(reply for _, one in replies for reply in (one.reply, *one.spent))),
        "steps": said("expand", f"{len(grown)} segments", segments=[_shown(*one) for one in grown]),
    }


async def _written(model: str, prompt: str, way: Branch, max_tokens: int) -> Written:
    """Return what the model writes; the relevance of a passage is asked for if it is not among the likeliest tokens."""
    reply = await complete(model, prompt, max_tokens=max_tokens, top_logprobs=TOP_TOKENS)
    if way.lead == CONTINUE:  # it is the same passage
        return Written(reply, [])
    return Written(*await token_access.widened(model, prompt, reply, RELEVANCE))


def _down(error: ModelUnavailable, state: Growing, context: Context) -> Update:
    """Return the answers as they are, at their ends."""
    if context.on_model_failure == "error":
        raise error
    ended: list[Beam] = [{**beam, "need": ""} for beam in state["beams"]]
    return {"beams": ended, "failure": str(error), "steps": said("expand", "the model is down")}


def branches(beam: Beam, passages: Sequence[Passage]) -> list[Branch]:
    """Return the ways for an answer to go on: from each passage found for it, or from the one it has."""
    if beam["need"] == CONTINUE and beam["segments"]:
        return [Branch(beam, beam["segments"][-1]["passage"], CONTINUE)]
    return [Branch(beam, number, RETRIEVAL + paragraph(passages[number - 1])) for number in beam["found"]]


def grow(way: Branch, reply: Reply, self_rag: SelfRagSettings) -> tuple[Beam, Reflections]:
    """Return the answer with the reply's first segment, and what the model says of that.

    Ratings are put on the scale from 1 to 5; the segment's score is the weighted sum of the paper's own.
    """
    tokens, decides = first_segment(reply.logprobs or ())
    found = reflections(tokens)
    if way.lead == CONTINUE and "relevance" in found.absent:  # it is the same passage
        found = replace(found, relevance=(way.beam["segments"][-1]["relevant"] - 1) / 4)
    score = found.score(
        self_rag.relevant_weight, self_rag.supported_weight, self_rag.utility_weight, self_rag.sequence_weight
    )
    spans = token_spans(reply.text, reply.logprobs or ())
    raw = reply.text[: spans[len(tokens)][0]] if decides else reply.text
    segment: Segment = {
        "passage": way.passage,
        "text": plain_text(raw),
        "relevant": round(1 + 4 * found.relevance, 4),
        "supported": round(1 + 4 * found.support, 4),
        "utility": round(3 + 2 * found.utility, 4),
        "score": round(score, 4),
    }
    need = need_after(probabilities(decides, NEEDS), self_rag.retrieval_threshold) if decides else ""
    segments = [*way.beam["segments"], segment]
    beam: Beam = {
        "raw": f"{way.beam['raw']}{way.lead}{raw}",
        "segments": segments,
        "score": answer_score([one["score"] for one in segments]),
        "need": need if need in (RETRIEVAL, CONTINUE) else "",
        "found": way.beam["found"],
    }
    return beam, found


def _shown(beam: Beam, found: Reflections) -> dict[str, object]:
    absent = {"not_reported": list(found.absent)} if found.absent else {}
    return {**beam["segments"][-1], "beam_score": round(beam["score"], 4), "next": beam["need"], **absent}
