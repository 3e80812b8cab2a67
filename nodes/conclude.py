"""Conclude an answer made of segments: check it as a whole (Self-RAG, arXiv:2310.11511)."""

import asyncio

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.grading.disagree import disagreement
from groundgraph.knowledge.passage import Passage
from nodes.check import check
from nodes.node import Update, node
from nodes.quote import quote
from nodes.settle import told
from state.context import Context


class Ending(TypedDict):
    """An answer at its end, or none because the chat model is down."""

    query: str
    passages: list[Passage]
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
        update = await quote(state["query"], state["passages"])
        return {**update, "warnings": [f"the answer is quoted: {failure}", *update.get("warnings", [])]}
    checked = await asyncio.to_thread(
        check,
        "conclude",
        state["answer"],
        state["passages"],
        state["query"],
        runtime.context,
        message_id=state["message_id"],
    )
    warnings = [f"the answer ends early: {failure}"] if failure else []
    sides = await asyncio.to_thread(disagreement, state["query"], state["passages"]) if checked["answer"] else None
    return {**checked, "warnings": [*warnings, *checked.get("warnings", []), *told(sides)]}
