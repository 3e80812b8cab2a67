"""Fault 2: a cap on searches ends the run before an answer is written.

A model that always wants to search on: after the last search that is allowed there is one non-empty final answer.
"""

from collections.abc import Callable
from typing import Any

import pytest

from graphs.catalogue import load
from tests.doubles import FixedEvaluator, FixedSearch, FixedWeb, passage
from tests.logprobs import logprobs_of
from tests.scripted import Line, scripted

TOWER = "The tower is 330 metres tall."
CHAIN = '{"subquestions": ["Which one?", "Where is #1?", "Who built #2?", "How tall is #3?", "What of #4?"]}'


@pytest.mark.parametrize(
    ("pattern", "settings", "capped", "times"),
    [
        ("advanced", {}, "answer_hop", 3),
        ("adaptive", {"adaptive": {"theta_high": 1.0}}, "retrieve_again", 1),
        ("self_rag", {"self_rag": {"poor_relevant": 3}}, "reformulate", 2),
        ("crag", {"web_search": "on"}, "web_search", 1),
        ("combined", {"web_search": "on"}, "web_search", 1),
    ],
)
def test_the_answer_is_written_in_the_end(
    pattern: str,
    settings: dict[str, Any],
    capped: str,
    times: int,
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    web: Callable[..., FixedWeb],
) -> None:
    finds([passage(TOWER)])
    evaluates({"330": 0.6})
    web(TOWER)
    lines = [
        Line(lambda prompt: "Rate your" in prompt and "relevance:" in prompt, "1", times=None, optional=True),
        Line("Rate your", "5", times=None, optional=True),
        Line("something else", "330 metres [1]."),
        Line("a few words", "the Eiffel Tower", times=None, optional=True),
        Line(None, CHAIN, times=None),
    ]
    with scripted(*lines) as (model, _):
        result = load(pattern).invoke({"question": "How tall?"}, context={"chat_model": model, **settings})
    nodes = [step["node"] for step in result["steps"]]
    assert nodes.count(capped) == times and nodes[-1] in ("generate", "conclude", "finish")
    assert result["answer"] == "330 metres [1]."


def test_flare_ends_with_the_sentences_it_may_have(finds: Callable[..., FixedSearch]) -> None:
    """Of a model that is never sure and never ends, three sentences stand, each searched for once."""
    search = finds([passage(TOWER)])
    lines = [
        Line(None, text, logprobs=logprobs_of(text, sure=0.1), finish_reason="length")
        for text in ("Tower A is 330 metres tall [1].", "B is 330 metres tall [1].", "C is 330 metres tall [1].")
    ]
    with scripted(*lines) as (model, _):
        context = {"chat_model": model, "flare": {"max_steps": 3}}
        result = load("flare").invoke({"question": "How tall?"}, context=context)
    assert result["answer"].count("metres tall [1].") == 3 and not result["refused"]
    assert len(search.queries) == 1 + 3
