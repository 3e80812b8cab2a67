"""Run a pattern from the command line."""

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from groundgraph.cli.live import Live
from groundgraph.cli.progress import bars, spinner
from groundgraph.models import chat_model, default_chat_model, resolve_weights
from state.checkpoint import serializer
from state.context import Context
from state.graph import CompiledGraph
from state.schemas import Answer

EMBEDDED = "llamacpp:"


@dataclass(frozen=True)
class Result:
    """What a run gave."""

    answer: Answer
    pattern: str
    warnings: list[str]
    seconds: float
    """Wall time of the run, a person's thinking included."""
    streamed: str
    """What of the answer was written to the terminal already."""


def prepare_weights(context: Context, *, show: bool) -> str | None:
    """Assemble the weights of the embedded chat model, so that the wait is seen for what it is; return its name.

    Nothing is done, and None returned, if the run uses no such model. It is loaded when it is first asked: a refusal
    may need none.

    Raises:
        ModelError: They cannot be had.
    """
    name = None if context.answerer == "extractive" else context.chat_model or default_chat_model()
    if name is None or not name.startswith(EMBEDDED):
        return None
    with bars(show=show, in_bytes=True) as report:
        resolve_weights(name.removeprefix(EMBEDDED), report)
    return name


def prepare_model(context: Context, *, show: bool) -> None:
    """Load the embedded chat model too, for many runs whose seconds are measured, or none of which does without.

    Raises:
        ModelError: It cannot be had.
    """
    if name := prepare_weights(context, show=show):
        with spinner("loading the model …", show=show):
            chat_model(name)


def run(
    graph: CompiledGraph, question: str, context: Context, live: Live, history: Sequence[AnyMessage] = ()
) -> Result:
    """Run a pattern's graph on a question after the turns of `history`; where it asks to search, `live` answers.

    Raises:
        GroundgraphError: The question cannot be used, or a model or collection cannot be had.
    """
    start = time.perf_counter()
    if context.web_search == "ask":
        graph = graph.copy(update={"checkpointer": InMemorySaver(serde=serializer())})  # an interrupted run waits there
    config: RunnableConfig = {"configurable": {"thread_id": str(uuid.uuid4())}}
    given: Any = {"messages": [*history, HumanMessage(question)]}
    while True:
        state = _play(graph, given, config, context, live)
        if not (interrupts := state.get("__interrupt__")):
            break
        asked = interrupts[0].value
        given = Command(resume=live.may_search(asked["web_search"], asked["provider"]))
    answer = cast(Answer, state)
    warnings = [*answer["warnings"], *live.warnings]
    return Result(answer, graph.name, warnings, time.perf_counter() - start, live.streamed)


def _play(graph: CompiledGraph, given: Any, config: RunnableConfig, context: Context, live: Live) -> dict[str, Any]:
    """Return the state the run ends with, or waits with."""
    state: dict[str, Any] = {}
    modes = ["tasks", "messages", "values"]
    for namespace, mode, chunk in graph.stream(given, config, context=context, stream_mode=modes, subgraphs=True):
        if mode == "tasks" and "input" in chunk:
            live.started(chunk["name"])
        elif mode == "messages" and isinstance(chunk[0], AIMessage):
            live.piece(chunk[0].text)
        elif mode == "values" and not namespace:
            state = chunk
    return state
