"""Fault 7: the verdict on document 2 of 3 is None, and the run dies or drops the document.

That one is ambiguous with a warning; the others are graded.
"""

from collections.abc import Callable

from graphs.catalogue import load
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


def test_a_rating_that_is_none_is_the_middle(finds: Callable[..., FixedSearch]) -> None:
    """In Self-RAG the segment from document 2 of 3 gets no rating: 3, with a warning; the others have theirs."""
    finds([passage("The tower is 330 metres tall."), passage("The tower is brown."), passage("Cats purr.")])
    with scripted(
        ("needs the user's documents", "yes"),
        Line(lambda prompt: "Rate your" in prompt and "ai: Brown" in prompt, ""),
        Line(lambda prompt: "Rate your" in prompt and "ai: 330" in prompt, "relevance: 5, support: 5, utility: 5"),
        Line(lambda prompt: "Rate your" in prompt and "ai: Cats" in prompt, "relevance: 1, support: 5, utility: 1"),
        Line("330 metres", "330 metres."),
        Line("is brown", "Brown."),
        Line("Cats purr", "Cats purr."),
    ) as (model, _):
        context = Context(chat_model=model, self_rag={"reflection": "joint"})
        result = load("self_rag").invoke({"question": "How tall is the tower?"}, context=context)
    rated = next(step for step in result["steps"] if step["node"] == "reflect")["figures"]["segments"]
    assert [segment["score"] for segment in rated] == [5.0, 3.0, 2.6]
    said = "passage 2, relevant and supported and utility taken as 3: the rating '' cannot be read"
    assert result["warnings"] == [said]
