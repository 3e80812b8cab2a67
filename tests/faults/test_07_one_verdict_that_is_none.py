"""Fault 7: the verdict on document 2 of 3 is None, and the run dies or drops the document.

That one is ambiguous with a warning; the others are graded.
"""

from collections.abc import Callable

from graphs.crag import graph
from state.context import Context
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.scripted import Line, scripted


def test_that_one_is_ambiguous(finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator]) -> None:
    finds([passage("The tower is 330 metres tall."), passage("The tower is brown."), passage("Cats purr.")])
    evaluates({})
    with scripted(
        Line(lambda prompt: "Reply yes or no" in prompt and "330" in prompt, "yes"),
        Line(lambda prompt: "Reply yes or no" in prompt and "brown" in prompt, ""),
        Line(lambda prompt: "Reply yes or no" in prompt and "Cats" in prompt, "no"),
        ("something else", "330 metres [1]."),
    ) as (model, _):
        context = Context(chat_model=model, evaluator="llm", crag={"refiner": "off"})
        result = graph.invoke({"question": "How tall is the tower?"}, context=context)
    grading = next(step for step in result["steps"] if step["node"] == "grade")
    assert grading["figures"]["scores"] == [1.0, None, 0.0]
    assert grading["figures"]["tiers"] == ["correct", "ambiguous", "incorrect"]
    assert result["warnings"] == ["passage 2 graded ambiguous: the verdict '' is neither yes nor no"]
    assert [p.page_content for p in result["passages"]] == ["The tower is 330 metres tall.", "The tower is brown."]
