"""Finish an answer that was written sentence by sentence: check it as a whole, or leave it to be refused."""

import asyncio
import uuid

from langgraph.runtime import Runtime

from groundgraph.grading.disagree import disagreement
from nodes.check import check
from nodes.generate import quoted
from nodes.node import Update, node, said
from nodes.settle import Grounded, told
from nodes.stream import emit, once
from state.context import Context
from state.schemas import Citation, Draft


class Ending(Grounded):
    """An answer at its end."""

    answer: str
    citations: list[Citation]
    draft: Draft
    message_id: str
    refusal_reason: str


@node
async def finish(state: Ending, runtime: Runtime[Context]) -> Update:
    """Give the answer its `citations`, or leave it empty with a `refusal_reason`, as `generate` does.

    If the chat model failed, what is written stands with a warning; if nothing is, the answer is quoted.
    """
    if state["citations"]:  # it was quoted, and not written
        return {}
    failed, passages = state["draft"]["failed"], state["passages"]
    if failed and not state["answer"]:
        return await quoted(state, runtime.context, [f"the answer is quoted: {failed}"])
    if not state["answer"] and state["refusal_reason"]:
        return {"steps": said("finish", "nothing to answer from")}
    message_id = state["message_id"] or str(uuid.uuid4())
    checked = await asyncio.to_thread(
        check, "finish", state["answer"], passages, state["query"], runtime.context, message_id=message_id
    )
    if not checked["answer"]:
        return checked
    if not state["message_id"]:
        await emit(once(checked["answer"]), message_id)
    early = [f"the answer ends early: {failed}"] if failed else []
    sides = await asyncio.to_thread(disagreement, state["query"], passages)
    return {**checked, "warnings": [*early, *checked["warnings"], *told(sides)]}
