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
from state.blocks import RouterSettings
from state.context import Context
from state.schemas import State
from tests.doubles import FixedEvaluator, FixedSearch, FixedWeb, passage
from tests.logprobs import logprobs_of
from tests.scripted import Line, scripted

SEARCHING: dict[str, dict[str, Any]] = {
    "crag": {},
    "combined": {"hyde": {"k": 1}, "flare": {"theta": 0}},
    "router": {"router": {"pattern": "combined"}, "hyde": {"k": 1}, "flare": {"theta": 0}},
}


@pytest.mark.parametrize("name", PATTERNS)
def test_compiled_without_a_checkpointer(name: str) -> None:
    assert load(name).checkpointer is None


@pytest.mark.parametrize("pattern", SEARCHING)
def test_passages_and_scores_survive_a_strict_checkpoint(
    pattern: str,
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    web: Callable[..., FixedWeb],
) -> None:
    assert STRICT_MSGPACK_ENABLED, "set before langgraph is imported, in tests/conftest.py"
    finds([passage("The tower stands in Paris.", page=3, metadata={"title": "Towers"})])
    evaluates({"Paris": np.float32(0.6), "330": np.float32(0.9)})  # type: ignore[dict-item]
    provider = web("The tower is 330 metres tall.")
    keeping = load(pattern).copy(update={"checkpointer": InMemorySaver()})
    thread: Any = {"configurable": {"thread_id": "1"}}
    imagined = [] if pattern == "crag" else [("Write a short passage", "It is 300 metres tall.")]
    with scripted(*imagined, ("search query", "tower height"), ("something else", "330 metres [1].")) as (model, _):
        context = {"chat_model": model, "web_search": "ask", **SEARCHING[pattern]}
        keeping.invoke({"question": "How tall is the tower?"}, thread, context=context)
        waiting = keeping.get_state(thread, subgraphs=True)
        held = (waiting.tasks[0].state or waiting).values["passages"]
        result = keeping.invoke(Command(resume=True), thread, context=context)
    assert [type(p) for p in held] == [Passage] and type(held[0].score) is float
    assert held[0].page == 3 and held[0].metadata == {"title": "Towers"} and held[0].tier == "ambiguous"
    assert result["usage"]["searches"] == 1 == len(provider.queries)
    assert [p.origin for p in result["passages"]] == ["web", "local"]


def test_a_draft_survives_it_too(finds: Callable[..., FixedSearch]) -> None:
    """The run is broken off when the draft is written, and goes on from its checkpoint without another call."""
    finds([passage("The tower is 330 metres tall.")])
    keeping = load("flare").copy(update={"checkpointer": InMemorySaver()})
    thread: Any = {"configurable": {"thread_id": "1"}}
    text = "It is 330 metres tall [1]. It is a tower [1]."
    with scripted(Line("something else", text, logprobs=logprobs_of(text))) as (model, _):
        context = Context(chat_model=model)
        keeping.invoke({"question": "How tall is the tower?"}, thread, context=context, interrupt_before=["append"])
        held = keeping.get_state(thread).values["draft"]
        result = keeping.invoke(None, thread, context=context)
    assert held["text"] == text and {round(t["confidence"], 2) for t in held["tokens"]} == {0.95}
    assert result["answer"] == text


def test_rankings_survive_it_too(finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator]) -> None:
    finds([passage("The tower is 330 metres tall.", page=3)])
    evaluates({})
    keeping = load("advanced").copy(update={"checkpointer": InMemorySaver()})
    thread: Any = {"configurable": {"thread_id": "1"}}
    with scripted(("Split", "{}"), ("something else", "330 metres [1].")) as (model, _):
        keeping.invoke({"question": "How tall is the tower?"}, thread, context=Context(chat_model=model))
    rankings = keeping.get_state(thread).values["rankings"]
    assert [(one["leg"], type(one["passages"][0]), one["passages"][0].page) for one in rankings] == [
        ("vector", Passage, 3), ("keyword", Passage, 3),
    ]  # fmt: skip


def test_a_routes_settings_outlive_an_interrupt(
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    web: Callable[..., FixedWeb],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What stakes ask for holds for the web results, too, which are graded after the person has agreed."""
    finds([passage("Cats purr.")])
    evaluates({"330": 0.55})
    web("The tower is 330 metres tall.")
    monkeypatch.setattr("nodes.classify_intent.embedded_intent", lambda text: {"high_stakes": 0.9})
    keeping = load("router").copy(update={"checkpointer": InMemorySaver()})
    thread: Any = {"configurable": {"thread_id": "1"}}
    with scripted(("search query", "tower height"), ("a few words", "not stated")) as (model, _):
        router = RouterSettings(table={"high_stakes": "crag"})
        context = Context(chat_model=model, web_search="ask", router=router)
        keeping.invoke({"question": "How tall is the tower?"}, thread, context=context)
        assert keeping.invoke(Command(resume=True), thread, context=context)["refused"]


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
