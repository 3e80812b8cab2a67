"""Fault 39: a server with its own persistence refuses a graph compiled with a checkpointer; a state does not survive
its checkpoint.

Ours compile without one; passages with their scores survive save and reload under strict types; resuming after an
interrupt leaves the search count at 1 (the interrupt itself is followed in tests/unit/test_crag.py).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde._msgpack import STRICT_MSGPACK_ENABLED
from langgraph.graph import START, StateGraph
from langgraph.types import Command

from graphs.catalogue import PATTERNS, load
from groundgraph.knowledge.passage import Passage
from state.context import Context
from state.schemas import State
from tests.doubles import FixedEvaluator, FixedSearch, FixedWeb, passage
from tests.scripted import scripted


@pytest.mark.parametrize("name", PATTERNS)
def test_compiled_without_a_checkpointer(name: str) -> None:
    assert load(name).checkpointer is None


def test_passages_and_scores_survive_a_strict_checkpoint(
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    web: Callable[..., FixedWeb],
) -> None:
    assert STRICT_MSGPACK_ENABLED, "set before langgraph is imported, in tests/conftest.py"
    finds([passage("The tower stands in Paris.", page=3, metadata={"title": "Towers"})])
    evaluates({"Paris": np.float32(0.6), "330": np.float32(0.9)})  # type: ignore[dict-item]
    provider = web("The tower is 330 metres tall.")
    keeping = load("crag").copy(update={"checkpointer": InMemorySaver()})
    thread: Any = {"configurable": {"thread_id": "1"}}
    with scripted(("search query", "tower height"), ("something else", "330 metres [1].")) as (model, _):
        context = Context(chat_model=model, web_search="ask")
        keeping.invoke({"question": "How tall is the tower?"}, thread, context=context)
        held = keeping.get_state(thread).values["passages"]
        result = keeping.invoke(Command(resume=True), thread, context=context)
    assert [type(p) for p in held] == [Passage] and type(held[0].score) is float
    assert held[0].page == 3 and held[0].metadata == {"title": "Towers"} and held[0].tier == "ambiguous"
    assert result["usage"]["searches"] == 1 == len(provider.queries)
    assert [p.origin for p in result["passages"]] == ["web", "local"]


class SynchronousSaver(InMemorySaver):
    """A saver without asynchronous methods, such as SqliteSaver."""

    async def aget_tuple(self, config: Any) -> Any:
        raise NotImplementedError

    async def aput(self, *args: Any) -> Any:
        raise NotImplementedError

    async def aput_writes(self, *args: Any) -> Any:
        raise NotImplementedError


def test_invoke_uses_a_synchronous_saver(finds: Callable[..., FixedSearch]) -> None:
    """The graph itself, and a graph of a person's own that has ours inside."""
    finds([passage("The tower is 330 metres tall.")])
    thread: Any = {"configurable": {"thread_id": "1"}}
    naive = load("naive")
    own = StateGraph(State, context_schema=Context).add_node("rag", naive).add_edge(START, "rag")
    for graph in (
        naive.copy(update={"checkpointer": SynchronousSaver()}),
        own.compile(checkpointer=SynchronousSaver()),
    ):
        with scripted(("something else", "330 metres [1].")) as (model, _):
            result = graph.invoke({"question": "How tall is the tower?"}, thread, context=Context(chat_model=model))
        assert result["answer"] == "330 metres [1]."
        assert graph.get_state(thread).values["answer"] == "330 metres [1]."
