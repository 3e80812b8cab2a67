"""A state graph with this project's schemas, and its compiled form with one synchronous face for asynchronous nodes."""

import asyncio
import contextvars
import queue
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from functools import cache
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph

from state.checkpoint import called_synchronously, usable
from state.context import Context
from state.presets import settled
from state.record import on_record
from state.schemas import Answer, Question, State

RUNTIME_KEY = "__pregel_runtime"  # where LangGraph keeps a parent run's Runtime
_LOOP_NAME = "groundgraph-loop"
_END = object()


class CompiledGraph(CompiledStateGraph[State, Context, Question, Answer]):
    """A compiled graph that may be invoked from synchronous and asynchronous code alike.

    The synchronous face pumps the asynchronous one from a background event loop, so every node is
    written once and any number of threads can wait at the same time.
    """

    async def astream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AsyncIterator[Any]:
        """Stream the run; the context may be a Context, a mapping, or left out for the defaults.

        A subgraph takes its parent's.

        Raises:
            InputError: The context holds an unknown key or a value out of range.
        """
        kwargs["context"] = await _context(config, kwargs.get("context"), input)
        async for chunk in super().astream(input, on_record(config, self.name, kwargs["context"]), **kwargs):
            yield chunk

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:
        """Stream the run from synchronous code; leaving the loop early cancels the run."""
        chunks: queue.SimpleQueue[Any] = queue.SimpleQueue()

        async def pump() -> None:
            try:
                async for chunk in self.astream(input, config, **kwargs):
                    chunks.put(chunk)
            finally:
                chunks.put(_END)

        if threading.current_thread().name == _LOOP_NAME:
            raise RuntimeError("a graph's synchronous face was called on its own event loop; await the other one")
        context = contextvars.copy_context()  # hands the caller's context variables on
        context.run(called_synchronously.set, True)
        run = context.run(asyncio.run_coroutine_threadsafe, pump(), _background_loop())
        try:
            while (chunk := chunks.get()) is not _END:
                yield chunk
            run.result()
        finally:
            run.cancel()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the drawing for Jupyter: Mermaid, or text where that is not known. LangGraph asks a web service."""
        drawing = self.get_graph()
        return {"text/vnd.mermaid": drawing.draw_mermaid(), "text/plain": drawing.draw_ascii()}

    def _resolve_checkpointer(self, config: RunnableConfig) -> BaseCheckpointSaver[Any] | None:
        saver = super()._resolve_checkpointer(config)
        return usable(saver) if isinstance(saver, BaseCheckpointSaver) else saver


@cache
def _background_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name=_LOOP_NAME, daemon=True).start()
    return loop


async def _context(config: RunnableConfig | None, given: Any, state: Any) -> Context:
    """Return the run's Context, its preset settled.

    Inside a parent run of ours it is the parent's, with the `route_settings` of the parent's state: what a router wants
    otherwise for this question.
    """
    route = None
    if given is None:
        parent = ensure_config(config)["configurable"].get(RUNTIME_KEY)
        if isinstance(handed := getattr(parent, "context", None), Context):
            given = handed
            route = state.get("route_settings") if isinstance(state, Mapping) else None
    return await asyncio.to_thread(settled, Context.parse(given), route)


class Graph(StateGraph[State, Context, Question, Answer]):
    """A `StateGraph` over `State`, which takes a `Question` and gives an `Answer` under a `Context`."""

    def __init__(self) -> None:
        super().__init__(State, context_schema=Context, input_schema=Question, output_schema=Answer)

    def compile(self, *args: Any, **options: Any) -> CompiledGraph:
        """Compile as LangGraph does, without a checkpointer: a server brings its own.

        `graph.copy(update={"checkpointer": saver})` gives the compiled graph one.
        """
        return CompiledGraph(**super().compile(*args, **options).__dict__)
