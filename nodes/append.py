"""Append an accepted sentence to the answer (FLARE, arXiv:2305.06983)."""

import asyncio
import uuid

from langgraph.runtime import Runtime

from nodes.answer_filter import AnswerFilter
from nodes.cite import add_missing, cited_numbers
from nodes.draft import Drafting
from nodes.node import Update, node, said
from nodes.score import similarity
from nodes.sentence import first_sentence, is_whole, rest, said_before, weakest
from nodes.stream import emit, once
from nodes.write_on import tokens_left
from state.context import Context
from state.schemas import NO_DRAFT

SHORTEST = 8
"""Tokens that must be left for another sentence."""


class Accepting(Drafting):
    """The sentence that is accepted, and those before it."""

    draft_queries: list[str]
    sentences: list[str]
    message_id: str


@node
async def append(state: Accepting, runtime: Runtime[Context]) -> Update:
    """Add the draft's first sentence to `answer`, cited, and keep what the model wrote after it as the next draft.

    A sentence that was said before, or that says that the passages do not answer, ends the answer and is left out.
    The answer is streamed from the first sentence on that the passages support: until then it may become a refusal.
    """
    context, written = runtime.context, state["draft"]
    text, _ = first_sentence(written)
    marks = AnswerFilter(state["passages"], state["answer"])
    sentence = "".join([*marks.feed(text), *marks.close()])
    sentence = sentence if state["answer"] else sentence.lstrip()
    if marks.refused or said_before(sentence, state["sentences"]):
        decision = "left out: the passages do not say" if marks.refused else "left out: it was said before"
        return {"draft": {**NO_DRAFT, "ended": True}, "steps": said("append", decision, sentence=text.strip())}
    before, answer = state["answer"], state["answer"] + sentence
    if is_whole(written):
        answer = await asyncio.to_thread(
            add_missing, answer, state["passages"], state["query"], similarity(context), shown=len(before)
        )
    sentence, answer = answer[len(before) :].strip(), answer.rstrip()
    message_id = await _streamed(answer, state, context)
    decision = "accepted as drafted" if not state["retrievals"] else "accepted after retrieval"
    return {
        "answer": answer,
        "sentences": [*state["sentences"], sentence],
        "message_id": message_id,
        "draft": rest(written, answer),
        "draft_queries": [],
        "retrievals": 0,
        "warnings": [f"citation [{number}] removed: there is no passage {number}" for number in marks.dropped],
        "steps": said(
            "append",
            decision,
            sentence=sentence,
            confidence=written["confidence"],
            weakest=weakest(written),
            asked=state["draft_queries"],
        ),
    }


async def _streamed(answer: str, state: Accepting, context: Context) -> str:
    """Stream what of the answer is not yet, unless it may become a refusal; return the id of its message."""
    if context.require_citations and not cited_numbers(answer):
        return ""
    message_id = state["message_id"] or str(uuid.uuid4())
    shown = len(state["answer"]) if state["message_id"] else 0
    if piece := answer[shown:]:
        await emit(once(piece), message_id)
    return message_id


def goes_on(state: Accepting, context: Context) -> bool:
    """Tell whether another sentence is to be drafted."""
    written = state["draft"]
    over = written["ended"] and not written["text"].strip()
    room = tokens_left(state["answer"], context) >= SHORTEST
    return not over and len(state["sentences"]) < context.flare.max_steps and room
