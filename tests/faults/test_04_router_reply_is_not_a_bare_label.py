"""Fault 4: the router's model replies "Vectorstore." instead of a bare label, and the run takes a wrong turn.

"Simple_Fact." is normalised, in a fence, as JSON or in a sentence too; "banana" goes to the configured default, and
`steps` says so.
"""

from collections.abc import Callable

import pytest

from graphs.router import graph
from tests.doubles import FixedSearch, passage
from tests.scripted import scripted


@pytest.mark.parametrize(
    ("reply", "decision"),
    [
        ("Simple_Fact.", "simple_fact → crag"),
        ("**Current-events**", "current_events → crag"),
        ("```\nsimple_fact\n```", "simple_fact → crag"),
        ('{"intent": "current-events"}', "current_events → crag"),
        ("The intent is simple fact.", "simple_fact → crag"),
        ("意图：simple_fact", "simple_fact → crag"),
        ("Not smalltalk", "unknown intent 'not_smalltalk' → naive"),
        ("banana", "unknown intent 'banana' → naive"),
        ("", "unknown intent '' → naive"),
    ],
)
def test_the_reply_is_normalised_or_the_default_answers(
    finds: Callable[..., FixedSearch], evaluates: Callable[..., object], reply: str, decision: str
) -> None:
    finds([passage("The tower is 330 metres tall.")])
    evaluates({"tower": 0.9})
    with scripted(("Name the intent", reply), ("something else", "330 metres [1].")) as (model, _):
        router = {"classifier": "llm", "default": "naive"}
        result = graph.invoke({"question": "How tall is the tower?"}, context={"chat_model": model, "router": router})
    assert result["steps"][1]["decision"] == decision
    assert (result["steps"][1]["figures"]["confidence"] == 0.0) == decision.startswith("unknown")
    assert result["answer"] == "330 metres [1]."
