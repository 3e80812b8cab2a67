"""Conclude an answer made of segments: check it as a whole (Self-RAG, arXiv:2310.11511)."""

from langgraph.runtime import Runtime

from nodes.check import check
from nodes.generate import quoted
from nodes.node import Update, node
from nodes.settle import Grounded
from state.context import Context


class Ending(Grounded):
    """An answer at its end, or none because the chat model is down."""

    answer: str
    message_id: str
    failure: str


@node
async def conclude(state: Ending, runtime: Runtime[Context]) -> Update:
    """Give the answer its `citations`, or leave it empty with a `refusal_reason`, as `generate` does.

    If the chat model failed, what is written stands with a warning; if nothing is, the answer is quoted.
    """
    failure = state["failure"]
    if failure and not state["answer"]:
        return await quoted(state, runtime.context, [f"the answer is quoted: {failure}"])
    checked = await check(
        "conclude",
        state["answer"],
        state["passages"],
        state["query"],
        runtime.context,
        message_id=state["message_id"],
    )
    warnings = [f"the answer ends early: {failure}"] if failure else []
    return {**checked, "warnings": [*warnings, *checked.get("warnings", [])]}
