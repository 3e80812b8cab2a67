"""Finish an answer that was written sentence by sentence: check it as a whole, or leave it to be refused."""

import asyncio
import uuid

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.knowledge.passage import Passage
from nodes.check import check
from nodes.node import Update, node, said
from nodes.quote import quote
from nodes.stream import emit, once
from state.context import Context
from state.schemas import Draft


class Ending(TypedDict):
    """An answer at its end."""

    query: str
    passages: list[Passage]
    answer: str
    draft: Draft
    message_id: str
    refusal_reason: str


@node
async def finish(state: Ending, runtime: Runtime[Context]) -> Update:
    """Give the answer its `citations`, or leave it empty with a `refusal_reason`, as `generate` does.

    If the chat model failed, what is written stands with a warning; if nothing is, the answer is quoted.
    """
    failed = state["draft"]["failed"]
    if failed and not state["answer"]:
        update = await quote(state["query"], state["passages"])
        return {**update, "warnings": [f"the answer is quoted: {failed}", *update.get("warnings", [])]}
    if not state["answer"] and state["refusal_reason"]:
        return {"steps": said("finish", "nothing to answer from")}
    message_id = state["message_id"] or str(uuid.uuid4())
    checked = await asyncio.to_thread(
        check, "finish", state["answer"], state["passages"], state["query"], runtime.context, message_id=message_id
    )
    if checked["answer"] and not state["message_id"]:
        await emit(once(checked["answer"]), message_id)
    warnings = [f"the answer ends early: {failed}"] if failed and checked["answer"] else []
    return {**checked, "warnings": [*warnings, *checked.get("warnings", [])]}
