"""Fault 1: all-irrelevant grades cycle through rewriting and retrieval until the recursion limit.

Document "Cats purr.", question "Capital of Peru?", a grader that always says no and a model that always wants to go on:
every pattern searches a fixed number of times, and ends in one refusal without an exception.
"""

from collections.abc import Callable

import pytest

from graphs.catalogue import PATTERNS, load
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.scripted import Line, scripted

SEARCHES = {"adaptive": 2, "flare": 2, "self_rag": 3, "advanced": 8}
"""Adaptive: again for the rewritten question; flare: for a guess; self_rag: twice again; advanced: by both legs for the
question and three sub-questions."""
CHAIN = '{"subquestions": ["Who is meant?", "Where is #1?", "What is the capital of #2?"]}'


@pytest.mark.parametrize("pattern", PATTERNS)
def test_it_ends_in_one_refusal(
    pattern: str,
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    search = finds([passage("Cats purr.")])
    evaluates({})
    monkeypatch.setattr("nodes.classify_intent.embedded_intent", lambda text: {"vague": 0.1})
    expected = SEARCHES.get("adaptive" if pattern == "router" else pattern, 1)
    lines = [
        Line("something else", "NOT FOUND", times=None, optional=True),
        Line("Split a question", CHAIN, times=None, optional=True),
        Line("a few words", "Peru", times=None, optional=True),
        Line(None, "capital Peru", times=None, optional=True),
    ]
    with scripted(*lines) as (model, _):
        result = load(pattern).invoke({"question": "Capital of Peru?"}, context={"chat_model": model})
    assert result["refused"] and len(search.queries) == expected
    assert [step["node"] for step in result["steps"]].count("refuse") == 1
