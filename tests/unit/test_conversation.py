"""Several questions on one thread: remembered by a checkpointer, or given along as messages."""

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from graphs.catalogue import load
from state.context import Context
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.scripted import scripted

Finds = Callable[..., FixedSearch]
Evaluates = Callable[..., FixedEvaluator]

THREAD: Any = {"configurable": {"thread_id": "1"}}
SCRIPT = (
    ("Question: Where does the Eiffel Tower stand?", "It stands in Paris [1]."),
    ("Last question: And how tall is it?", "How tall is the Eiffel Tower?"),
    ("Question: How tall is the Eiffel Tower?", "It is 330 metres tall [1]."),
)


@pytest.fixture(autouse=True)
def tower(finds: Finds, evaluates: Evaluates, monkeypatch: pytest.MonkeyPatch) -> FixedSearch:
    monkeypatch.setattr("nodes.classify_intent.embedded_intent", lambda text: {"simple_fact": 0.9})
    evaluates({"Eiffel": 0.9})
    return finds([passage("The Eiffel Tower is 330 metres tall and stands in Paris.")])


@pytest.mark.parametrize("face", ["invoke", "ainvoke"])
@pytest.mark.parametrize("pattern", ["naive", "crag", "router"])
async def test_a_thread_remembers(pattern: str, face: str, tower: FixedSearch) -> None:
    keeping = load(pattern).copy(update={"checkpointer": InMemorySaver()})
    with scripted(*SCRIPT) as (model, _):
        for question in ("Where does the Eiffel Tower stand?", "And how tall is it?"):
            given, context = {"question": question}, Context(chat_model=model)
            if face == "invoke":
                result = keeping.invoke(given, THREAD, context=context)
            else:
                result = await keeping.ainvoke(given, THREAD, context=context)
    assert tower.queries == ["Where does the Eiffel Tower stand?", "How tall is the Eiffel Tower?"]
    assert [message.text for message in result["messages"]] == [
        "Where does the Eiffel Tower stand?", "It stands in Paris [1].",
        "And how tall is it?", "It is 330 metres tall [1].",
    ]  # fmt: skip


def test_history_may_be_given_without_ids(tower: FixedSearch) -> None:
    turns = [
        {"role": "user", "content": "Where does the Eiffel Tower stand?"},
        {"role": "assistant", "content": "It stands in Paris [1]."},
        {"role": "user", "content": "And how tall is it?"},
    ]
    with scripted(*SCRIPT[1:]) as (model, _):
        result = load("router").invoke({"messages": turns}, context=Context(chat_model=model))
    assert tower.queries == ["How tall is the Eiffel Tower?"]
    assert len(result["messages"]) == 4


def test_history_sent_again_on_a_thread_is_kept_once() -> None:
    keeping = load("naive").copy(update={"checkpointer": InMemorySaver()})
    first = HumanMessage("Where does the Eiffel Tower stand?")
    with scripted(*SCRIPT) as (model, _):
        context = Context(chat_model=model)
        answered = keeping.invoke({"messages": [first.model_copy()]}, THREAD, context=context)
        again = [HumanMessage(first.text), AIMessage(answered["answer"]), HumanMessage("And how tall is it?")]
        result = keeping.invoke({"messages": again}, THREAD, context=context)
    assert [message.type for message in result["messages"]] == ["human", "ai"] * 2


def test_a_question_may_be_asked_twice() -> None:
    keeping = load("naive").copy(update={"checkpointer": InMemorySaver()})
    question = {"messages": [HumanMessage("Where does the Eiffel Tower stand?")]}
    with scripted(SCRIPT[0], SCRIPT[0]) as (model, _):
        context = Context(chat_model=model)
        keeping.invoke(question, THREAD, context=context)
        result = keeping.invoke(
            {"messages": [HumanMessage("Where does the Eiffel Tower stand?")]}, THREAD, context=context
        )
    assert [message.type for message in result["messages"]] == ["human", "ai"] * 2
