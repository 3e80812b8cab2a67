"""Finish an answer that was written sentence by sentence: check it as a whole, or leave it to be refused."""

from langgraph.runtime import Runtime

from nodes.check import check
from nodes.generate import quoted
from nodes.node import Update, node, said
from nodes.settle import Grounded
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
    failed = state["draft"]["failed"]
    if failed and not state["answer"]:
        return await quoted(state, runtime.context, [f"the answer is quoted: {failed}"])
    if not state["answer"] and state["refusal_reason"]:
        return {"steps": said("finish", "nothing to answer from")}
    checked = await check(
        "finish", state["answer"], state["passages"], state["query"], runtime.context, message_id=state["message_id"]
    )
    if not checked["answer"]:
        return checked
    early = [f"the answer ends early: {failed}"] if failed else []
    return {**checked, "warnings": [*early, *checked["warnings"]]}
