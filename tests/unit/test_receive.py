"""What counts as a question, and how a follow-up is made to stand alone."""

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from graphs.naive import graph
from groundgraph.errors import InputError, ModelUnavailable
from state.context import Context
from tests.doubles import FixedSearch, passage
from tests.scripted import scripted

Finds = Callable[..., FixedSearch]

TOWER = passage("The Eiffel Tower is 330 metres tall and stands in Paris.")
TURNS = [HumanMessage("Where does the Eiffel Tower stand?"), AIMessage("In Paris [1].")]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "no question: give `question`, or `messages` that end with a human one"),
        ({"question": "  "}, "the question is empty"),
        ({"question": "？！…"}, "the question '？！…' holds no word"),
        ({"question": "a" * 100_000}, "the question has 100,000 characters, at most 8,000"),
        ({"question": 7}, "question=7: must be text"),
        ({"messages": [AIMessage("Hello")]}, "no question"),
    ],
)
def test_what_is_no_question(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as raised:
        graph.invoke(given)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    "given",
    [
        {"question": "How tall is the Eiffel Tower?"},
        {"messages": [HumanMessage("How tall is the Eiffel Tower?")]},
        {"messages": [{"role": "user", "content": "How tall is the Eiffel Tower?"}]},
        {"messages": [HumanMessage("How tall is the Eiffel Tower?")], "question": " How tall is the Eiffel Tower? "},
        {"messages": [HumanMessage([{"type": "text", "text": "How tall is the Eiffel Tower?"}])]},
    ],
)
def test_a_question_may_come_as_text_or_message(finds: Finds, given: dict[str, Any]) -> None:
    search = finds([TOWER])
    with scripted(("How tall", "330 metres [1].")) as (model, _):
        result = graph.invoke(given, context=Context(chat_model=model))
    assert search.queries == ["How tall is the Eiffel Tower?"]
    assert [message.type for message in result["messages"]] == ["human", "ai"]


@pytest.mark.parametrize("earlier", [[], TURNS])
def test_two_questions_at_once_are_an_error(earlier: list[Any]) -> None:
    with pytest.raises(InputError, match=r"question='Who was Rodin\?' beside .* 'How tall is it\?': ask one of them"):
        graph.invoke({"question": "Who was Rodin?", "messages": [*earlier, HumanMessage("How tall is it?")]})


def test_a_question_may_be_given_twice(finds: Finds) -> None:
    search = finds([])
    graph.invoke({"question": "Who was Rodin?", "messages": [HumanMessage("Who was Rodin?")]})
    assert search.queries == ["Who was Rodin?"]


def test_a_follow_up_is_made_to_stand_alone(finds: Finds) -> None:
    search = finds([TOWER])
    with scripted(("Last question", "How tall is the Eiffel Tower?"), ("something else", "330 metres [1].")) as (
        model,
        _,
    ):
        result = graph.invoke(
            {"messages": [*TURNS, HumanMessage("And how tall is it?")]}, context=Context(chat_model=model)
        )
    assert search.queries == ["How tall is the Eiffel Tower?"]
    assert result["messages"][-2].text == "And how tall is it?", "the question itself stays as it was asked"
    assert result["steps"][0]["decision"] == "follow-up"


@pytest.mark.parametrize("question", ["And how tall is it?", "那它有多高？"])
def test_without_a_model_a_follow_up_is_joined_with_the_question_before(
    finds: Finds, evaluates: Callable[..., object], question: str
) -> None:
    search = finds([])
    graph.invoke({"messages": [*TURNS, HumanMessage(question)]}, context=Context(answerer="extractive"))
    assert search.queries == [f"Where does the Eiffel Tower stand? {question}"]


def test_a_model_that_is_down_costs_a_warning(finds: Finds) -> None:
    finds([])
    with scripted(("Last question", ModelUnavailable("scripted:test is down"))) as (model, _):
        result = graph.invoke(
            {"messages": [*TURNS, HumanMessage("And how tall is it?")]}, context=Context(chat_model=model)
        )
    assert result["warnings"] == ["follow-up joined with the question before it: scripted:test is down"]


def test_a_new_topic_is_left_alone(finds: Finds) -> None:
    search = finds([])
    with scripted() as (model, _):
        graph.invoke(
            {"messages": [*TURNS, HumanMessage("Who painted the Mona Lisa?")]}, context=Context(chat_model=model)
        )
    assert search.queries == ["Who painted the Mona Lisa?"]


def test_a_thread_starts_each_question_clean(finds: Finds) -> None:
    """The second question has no passage, step, warning or usage of the first, yet its messages."""
    search = finds([TOWER], warnings=["the keyword leg failed"])
    keeping = graph.copy(update={"checkpointer": InMemorySaver()})
    thread: Any = {"configurable": {"thread_id": "1"}}
    with scripted(("How tall", "330 metres [1].")) as (model, _):
        context = Context(chat_model=model)
        first = keeping.invoke({"question": "How tall is the Eiffel Tower?"}, thread, context=context)
        search.passages, search.warnings = [], []
        second = keeping.invoke({"question": "Who painted the Mona Lisa?"}, thread, context=context)
        third = keeping.invoke({"messages": [HumanMessage("Who was Vermeer?")]}, thread, context=context)
    assert first["warnings"] == ["the keyword leg failed"] and first["usage"]["model_calls"] == 1
    assert second["refused"] and second["passages"] == [] and second["citations"] == []
    assert second["warnings"] == [] and second["usage"]["model_calls"] == 0
    assert [step["node"] for step in second["steps"]] == ["receive", "retrieve", "refuse"]
    assert [message.type for message in third["messages"]] == ["human", "ai"] * 3
    assert third["messages"][-2].text == "Who was Vermeer?"
