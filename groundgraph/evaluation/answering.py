"""Put one question to one pattern, and keep what came back as a row."""

import time
from collections.abc import Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START

from graphs.catalogue import load
from groundgraph.errors import GroundgraphError
from groundgraph.evaluation.meter import Meter
from groundgraph.evaluation.questions import Question
from groundgraph.evaluation.records import PassageRecord, Row
from groundgraph.knowledge.passage import Passage
from nodes.grade import grade
from nodes.receive import receive
from nodes.rerank import rerank
from nodes.retrieve import retrieve
from state.context import Context
from state.graph import CompiledGraph, Graph
from state.schemas import Answer, Step

RETRIEVAL = "retrieval"
"""Name of what retrieves and answers nothing, in place of a pattern."""

GRADING = "grading"
"""Name of what retrieves, grades and answers nothing."""

FINDS = ("retrieve", "retrieve_next", "retrieve_evidence", "retrieve_beams")
"""Steps that add what they find to what was retrieved before."""

RANKS = ("retrieve_again", "fuse", "rerank")
"""Steps whose ranking takes the place of those before it."""

_retrieval = (
    Graph()
    .add_node(receive)
    .add_node(retrieve)
    .add_node(rerank)
    .add_edge(START, "receive")
    .add_edge("receive", "retrieve")
    .add_edge("retrieve", "rerank")
    .add_edge("rerank", END)
    .compile(name=RETRIEVAL)
)

_grading = (
    Graph()
    .add_node(receive)
    .add_node(retrieve)
    .add_node(rerank)
    .add_node(grade)
    .add_edge(START, "receive")
    .add_edge("receive", "retrieve")
    .add_edge("retrieve", "rerank")
    .add_edge("rerank", "grade")
    .add_edge("grade", END)
    .compile(name=GRADING)
)

PARTS = {RETRIEVAL: _retrieval, GRADING: _grading}
"""Parts of patterns that are measured by themselves."""


def graph_of(pattern: str) -> CompiledGraph:
    """Return the graph of a pattern, or of a part of one.

    Raises:
        InputError: There is no pattern of this name.
    """
    return PARTS.get(pattern) or load(pattern)


async def answer(pattern: str, question: Question, context: Context, meter: Meter | None = None) -> Row:
    """Return what a pattern makes of a question, not yet scored; one that fails is a row with its `error` and cost."""
    start = time.perf_counter()
    meter = meter or Meter()
    config: RunnableConfig = {"callbacks": [meter]}
    try:
        state = await graph_of(pattern).ainvoke({"messages": _messages(question)}, config, context=context)
    except GroundgraphError as error:
        return _row(pattern, question, usage=meter.usage, seconds=_since(start), error=str(error))
    return _answered(pattern, question, cast(Answer, state), _since(start))


def _messages(question: Question) -> list[AnyMessage]:
    earlier = [(HumanMessage if turn.role == "user" else AIMessage)(turn.content) for turn in question.history]
    return [*earlier, HumanMessage(question.question)]


def _since(start: float) -> float:
    return round(time.perf_counter() - start, 3)


def _answered(pattern: str, question: Question, state: Answer, seconds: float) -> Row:
    retrieved = ranking(state["steps"])
    return _row(
        pattern,
        question,
        answer=state["answer"],
        refused=state["refused"],
        refusal_reason=state["refusal_reason"] if state["refused"] else "",
        citations=state["citations"],
        passages=[_passage(passage) for passage in state["passages"]],
        retrieved=retrieved,
        steps=state["steps"],
        warnings=state["warnings"],
        usage=state["usage"],
        seconds=seconds,
    )


def _row(pattern: str, question: Question, **result: Any) -> Row:
    known = question.model_dump(include={"id", "source", "language", "question", "answers", "answerable", "rel"})
    return Row(**{**known, "pattern": pattern, **result})


def ranking(steps: Sequence[Step]) -> list[str]:
    """Return the source of each passage as retrieved, best first: by the last ranking, or all of several joined.

    Read from the figure `sources` of the steps that retrieve, merge, fuse and rerank.
    """
    found: list[str] = []
    for step in steps:
        if step["node"] in RANKS:
            found = list(step["figures"].get("sources", found))
        elif step["node"] in FINDS:
            found += step["figures"].get("sources", [])
    return found


def _passage(passage: Passage) -> PassageRecord:
    return PassageRecord(
        source=passage.source,
        locator=passage.locator,
        heading=passage.heading,
        score=passage.score,
        tier=passage.tier,
        origin=passage.origin,
        text=passage.page_content,
    )
