from typing import Any

import pytest
from pydantic import ValidationError

from groundgraph.errors import InputError
from state.context import Context


def test_defaults_are_the_designs() -> None:
    context = Context()
    assert (context.top_k, context.search_mode, context.web_search, context.web_top_k) == (5, "hybrid", "off", 3)
    assert (context.crag.theta_high, context.crag.theta_low, context.crag.policy) == (0.79, 0.50, "paper")
    assert context.require_citations


def test_context_is_frozen_and_json() -> None:
    context = Context()
    with pytest.raises(ValidationError):
        context.top_k = 3  # type: ignore[misc]
    assert Context.model_validate_json(context.model_dump_json()) == context


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"top_k": -1}, "Context.top_k=-1: Input should be greater than or equal to 1"),
        ({"topk": 3}, "Context.topk: unknown key; known are preset, chat_model,"),
        ({"crag": {"theta_high": 1.7}}, "Context.crag.theta_high=1.7: Input should be less than or equal to 1"),
        ({"crag": {"theta": 1}}, "Context.crag.theta: unknown key; known are policy, theta_high,"),
        ({"crag": {"theta_low": 0.9}}, "theta_low=0.9 must not be above theta_high=0.79"),
        ({"web_search": "maybe"}, "Context.web_search='maybe': Input should be 'off', 'ask' or 'on'"),
        ({"chat_model": "gpt-4o"}, "Context.chat_model='gpt-4o': String should match pattern"),
        ("strict", "context='strict': give a Context or a mapping of its settings"),
        ({"collections": []}, "Context.collections=[]: List should have at least 1 item"),
    ],
)
def test_a_wrong_value_names_key_value_and_range(given: Any, said: str) -> None:
    with pytest.raises(InputError) as raised:
        Context.parse(given)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_schema_is_a_form() -> None:
    """Studio builds its form from this: every field has a description, numbers have ranges."""
    schema = Context.model_json_schema()
    properties = {**schema["properties"]}
    for block in schema["$defs"].values():
        properties |= block["properties"]
    assert not [name for name, field in properties.items() if "description" not in field and "$ref" not in str(field)]
    assert schema["properties"]["top_k"]["minimum"] == 1
