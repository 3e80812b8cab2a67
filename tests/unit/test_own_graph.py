"""A pattern inside a LangGraph graph of one's own: as a node, from a node function, and with one's own checkpointer."""

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from graphs.crag import graph as crag
from groundgraph.knowledge.passage import Passage
from state import Context
from state.checkpoint import serializer
from tests.doubles import FixedEvaluator, FixedSearch, passage

TOWER = "The tower is 330 metres tall."
ASKED = {"question": "How tall is the tower?"}
ANSWERED = f"{TOWER} [1]"
THREAD: RunnableConfig = {"configurable": {"thread_id": "1"}}


class Ticket(TypedDict, total=False):
    question: str
    answer: str
    refused: bool
    passages: list[Any]


@pytest.fixture(autouse=True)
def no_model(
    finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nodes.model.default_chat_model", lambda: None)
    evaluates({"330": 0.9})
    finds([passage(TOWER), passage("Cats purr.")])


async def look_up(ticket: Ticket) -> dict[str, Any]:
    context = Context(collections=["work"], top_k=8, answerer="extractive")
    result = await crag.ainvoke({"question": ticket["question"]}, context=context)
    return {"answer": result["answer"], "passages": result["passages"]}


def look_up_synchronously(ticket: Ticket) -> dict[str, Any]:
    result = crag.invoke({"question": ticket["question"]}, context=Context(top_k=8, answerer="extractive"))
    return {"answer": result["answer"], "passages": result["passages"]}


class SynchronousSaver(InMemorySaver):
    """A saver without asynchronous methods, such as SqliteSaver."""

    async def aget_tuple(self, config: Any) -> Any:
        raise NotImplementedError

    async def aput(self, *args: Any) -> Any:
        raise NotImplementedError

    async def aput_writes(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError


async def test_as_a_node_with_the_defaults() -> None:
    helpdesk = StateGraph(Ticket).add_node("crag", crag).add_edge(START, "crag").compile()
    for result in (helpdesk.invoke(ASKED), await helpdesk.ainvoke(ASKED)):
        assert result["answer"] == ANSWERED and not result["refused"]


async def test_as_a_node_it_takes_the_context_of_a_graph_of_that_schema() -> None:
    helpdesk = StateGraph(Ticket, context_schema=Context).add_node("crag", crag).add_edge(START, "crag").compile()
    strict = Context.parse({"crag": {"theta_low": 0.95, "theta_high": 1}})
    assert (await helpdesk.ainvoke(ASKED, context=strict))["refused"]
    assert not (await helpdesk.ainvoke(ASKED, context=Context()))["refused"]


async def test_from_a_node_function_with_a_context_of_its_own() -> None:
    helpdesk = StateGraph(Ticket).add_node(look_up).add_edge(START, "look_up").compile()
    assert (await helpdesk.ainvoke(ASKED))["answer"] == ANSWERED


@pytest.mark.parametrize("saver", [InMemorySaver, SynchronousSaver])
@pytest.mark.parametrize("as_node", [True, False])
def test_with_a_checkpointer_of_ones_own(saver: type[InMemorySaver], as_node: bool) -> None:
    builder = StateGraph(Ticket).add_node("crag", crag if as_node else look_up_synchronously).add_edge(START, "crag")
    helpdesk = builder.compile(checkpointer=saver(serde=serializer()))
    assert helpdesk.invoke(ASKED, THREAD)["answer"] == ANSWERED
    kept = helpdesk.get_state(THREAD).values["passages"]
    assert kept and {type(one) for one in kept} == {Passage}
