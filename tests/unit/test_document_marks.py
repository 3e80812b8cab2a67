"""A document's own bracketed numbers are no citations of ours."""

from collections.abc import Callable
from typing import Any

from graphs.naive import graph
from groundgraph.errors import ModelUnavailable
from state.context import Context
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.scripted import scripted

STUDY = passage("Vitamin K2 lowers the risk of fractures by 25 percent [12]. The dose was 180 micrograms a day [2].")
BANANAS = passage("Bananas contain potassium.")
ASKED = {"question": "What was the dose of vitamin K2?"}


def test_the_model_does_not_see_them(finds: Callable[..., FixedSearch]) -> None:
    finds([STUDY, BANANAS])
    with scripted((None, "The dose was 180 micrograms a day (2) [1].")) as (model, chat):
        result: dict[str, Any] = graph.invoke(ASKED, context=Context(chat_model=model))
    assert "a day (2)." in chat.prompts[0] and "percent (12)." in chat.prompts[0]
    assert [citation["number"] for citation in result["citations"]] == [1]


def test_quotes_keep_them_apart_from_citations(
    finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator]
) -> None:
    finds([STUDY, BANANAS])
    evaluates({"K2": 0.9}, sentences={"dose": 0.9, "risk": 0.1})
    result: dict[str, Any] = graph.invoke(ASKED, context=Context(answerer="extractive"))
    assert result["answer"] == "The dose was 180 micrograms a day (2). [1]"
    (citation,) = result["citations"]
    assert citation["number"] == 1 and citation["quote"] == "The dose was 180 micrograms a day [2]."


def test_what_was_shown_before_the_model_died_is_not_shown_again(
    finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator]
) -> None:
    finds([STUDY])
    evaluates({"K2": 0.9}, sentences={"dose": 0.9, "risk": 0.1})
    with scripted((None, ModelUnavailable("scripted:test is down"))) as (model, _):
        result: dict[str, Any] = graph.invoke(ASKED, context=Context(chat_model=model))
    assert result["answer"] == "The dose was 180 micrograms a day (2). [1]"
    assert result["warnings"] == ["the answer is quoted: scripted:test is down"]


def test_a_model_is_not_asked_without_passages(finds: Callable[..., FixedSearch]) -> None:
    """A long question and a small budget leave no room: the model would have nothing but its memory."""
    finds([STUDY])
    with scripted() as (model, _):
        context = Context(chat_model=model, require_citations=False, prompt_tokens=100)
        result = graph.invoke({"question": "What was the dose? " * 60}, context=context)
    assert result["refused"]
    assert result["refusal_reason"] == "no passage fits beside the question into prompt_tokens=100; raise it"
