"""Fault 5: a node mutates the state it was given.

A grader that appends, fails once and is retried leaves duplicates; a second question on the same thread starts with
the first one's passages. Here every node leaves its input untouched, a retried grader gives no duplicates, and a
second question starts with none.
"""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.runtime import Runtime

from graphs.crag import graph
from nodes.grade import grade, grade_web
from nodes.refine import refine
from nodes.refuse import refuse
from state.context import Context
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.scripted import scripted

STATE: dict[str, Any] = {
    "question": "How tall?",
    "query": "How tall?",
    "passages": [passage("The tower is 330 metres tall."), passage("Cats purr.")],
    "web_passages": [passage("330 metres.", origin="web")],
    "refusal_reason": "",
}


@pytest.mark.parametrize("node", [grade, grade_web, refine])
async def test_a_node_leaves_its_input_and_may_be_run_again(node: Any, evaluates: Callable[..., object]) -> None:
    evaluates({"330": 0.9})
    before = copy.deepcopy(STATE)
    first, again = [await node(STATE, Runtime(context=Context())) for _ in range(2)]
    assert before == STATE
    assert first["passages"] == again["passages"]


def test_refusing_leaves_its_input() -> None:
    before = copy.deepcopy(STATE)
    refuse(STATE, Runtime(context=Context()))
    assert before == STATE


def test_a_grader_that_fails_once_leaves_no_duplicates(
    finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator], monkeypatch: pytest.MonkeyPatch
) -> None:
    finds([passage("The tower is 330 metres tall.")])
    evaluator = evaluates({"330": 0.9})
    score, calls = evaluator.score, []

    def fails_once(*args: Any) -> list[float]:
        calls.append(args)
        if len(calls) == 1:
            raise OSError("disk hiccup")
        return score(*args)

    monkeypatch.setattr(evaluator, "score", fails_once)
    keeping = graph.copy(update={"checkpointer": InMemorySaver()})
    thread: Any = {"configurable": {"thread_id": "1"}}
    with scripted(("something else", "330 metres [1].")) as (model, _):
        context = Context(chat_model=model)
        with pytest.raises(OSError, match="hiccup"):
            keeping.invoke({"question": "How tall is the tower?"}, thread, context=context)
        result = keeping.invoke(None, thread, context=context)
    assert len(result["passages"]) == 1
    assert [step["node"] for step in result["steps"]] == ["receive", "retrieve", "grade", "refine", "generate"]
