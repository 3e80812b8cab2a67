"""What every node has in common."""

from typing import Any

import pytest
from langgraph.types import Overwrite

from nodes.node import node, said
from state.reducers import add_usage, append


@node
def misspelled(state: Any, runtime: Any) -> dict[str, Any]:
    return {"anwser": "lost"}


@node
async def waiting(state: Any, runtime: Any) -> dict[str, Any]:
    return {"usage": {"model_calls": 2}}


@node
def resetting(state: Any, runtime: Any) -> dict[str, Any]:
    return {"usage": Overwrite({"model_calls": 1})}


def test_a_key_that_the_state_does_not_have_is_an_error() -> None:
    """LangGraph by itself drops it silently."""
    with pytest.raises(KeyError, match=r"node misspelled returned \['anwser'\]"):
        misspelled({}, None)


async def test_seconds_are_added_to_the_usage() -> None:
    usage = (await waiting({}, None))["usage"]
    assert usage["model_calls"] == 2 and usage["seconds"].keys() == {"waiting"}
    assert resetting({}, None)["usage"].value["seconds"].keys() == {"resetting"}


def test_a_step_holds_what_was_decided_and_on_what() -> None:
    assert said("grade", "correct", best=0.123456, kept=2) == [
        {"node": "grade", "decision": "correct", "figures": {"best": 0.1235, "kept": 2}}
    ]


def test_reducers_leave_what_they_are_given() -> None:
    left, right = [1], [2]
    assert append(left, right) == [1, 2] and (left, right) == ([1], [2])
    assert append(None, [1]) == [1]
    one: Any = {"model_calls": 1, "seconds": {"a": 1.0}}
    total = add_usage(one, {"prompt_tokens": 3, "seconds": {"a": 0.5, "b": 2.0}})
    assert total == {
        "model_calls": 1, "prompt_tokens": 3, "completion_tokens": 0, "estimated_calls": 0, "searches": 0,
        "seconds": {"a": 1.5, "b": 2.0},
    }  # fmt: skip
    assert one == {"model_calls": 1, "seconds": {"a": 1.0}}
