"""Fault 12: a pattern ignores the model it was given and asks another one.

With a scripted model and OPENAI_API_KEY unset, every call of every pattern reaches the scripted model.
"""

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from graphs.catalogue import PATTERNS, load
from tests.doubles import FixedEvaluator, FixedSearch, FixedWeb, passage
from tests.scripted import Line, scripted


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_call_reaches_the_model_given(
    pattern: str,
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    web: Callable[..., FixedWeb],
) -> None:
    finds([passage("It stands in Paris.")])
    evaluates({})
    web("It is 330 metres tall.")
    messages = [HumanMessage("Where is the tower?"), AIMessage("In Paris."), HumanMessage("How tall is it?")]
    with scripted(("Last question", "How tall is the tower?"), Line(None, "yes, simple_fact, 330 [1]", times=None)) as (
        model,
        chat,
    ):
        settings: dict[str, Any] = {
            "chat_model": model,
            "evaluator": "llm",
            "web_search": "on",
            "crag": {"refiner": "llm"},
            "router": {"classifier": "llm"},
        }
        result = load(pattern).invoke({"messages": messages}, context=settings)
    assert result["usage"]["model_calls"] == len(chat.prompts) >= 2
    assert not result["refused"], result["refusal_reason"]
