"""Adaptive RAG: how good what was retrieved is, and what is done about it."""

from collections.abc import Callable
from typing import Any

import pytest

from graphs.adaptive import graph
from groundgraph.errors import ModelUnavailable
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.scripted import Line, scripted

Finds = Callable[..., FixedSearch]
Evaluates = Callable[..., FixedEvaluator]

TOWER = "The Eiffel Tower is 330 metres tall."
CATS = "Cats purr when they are content."
QUESTION = "How tall is the Eiffel Tower?"
ANSWERS, REWRITES, KNOWS = "something else", "Rewrite the question", "your own knowledge"


def ask(model: str | None, question: str = QUESTION, **settings: Any) -> dict[str, Any]:
    chosen = {"chat_model": model} if model else {"answerer": "extractive"}
    return graph.invoke({"question": question}, context={**chosen, **settings})


def path(result: dict[str, Any]) -> list[str]:
    return [step["node"] for step in result["steps"]]


def decisions(result: dict[str, Any]) -> list[str]:
    return [step["decision"] for step in result["steps"] if step["node"] == "assess"]


def test_good_passages_are_answered_from_at_once(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage(CATS), passage(TOWER)])
    evaluates({"330": 0.9, "Cats": 0.02})
    with scripted((ANSWERS, "330 metres [1].")) as (model, _):
        result = ask(model)
    assert path(result) == ["receive", "retrieve", "assess", "generate"]
    assert decisions(result) == ["quality 0.90 → generate"]
    assert [found.page_content for found in result["passages"]] == [TOWER]


def test_poor_passages_are_joined_by_those_for_the_rewritten_question(finds: Finds, evaluates: Evaluates) -> None:
    search = finds([passage(CATS)])
    evaluates({"330": 0.9, "Cats": 0.6})

    def find_more(prompt: str) -> bool:
        search.passages.append(passage(TOWER))
        return REWRITES in prompt

    with scripted(Line(find_more, "Eiffel Tower height"), (ANSWERS, "330 metres [1].")) as (model, _):
        result = ask(model)
    assert path(result) == ["receive", "retrieve", "assess", "rewrite_again", "retrieve_again", "assess", "generate"]
    assert search.queries == [QUESTION, "Eiffel Tower height"]
    assert decisions(result) == ["quality 0.60 → rewrite_again", "quality 0.90 → generate"]
    assert [found.page_content for found in result["passages"]] == [TOWER, CATS], "merged, best first"


@pytest.mark.parametrize(("keep", "used"), [(0.05, [TOWER, CATS]), (0.6, [TOWER]), (0.9, [TOWER])])
def test_what_is_answered_from(keep: float, used: list[str], finds: Finds, evaluates: Evaluates) -> None:
    finds([passage(TOWER), passage(CATS)])
    evaluates({"330": 0.6, "Cats": 0.2})
    settings = {"theta_high": 0.6, "theta_low": 0.6, "theta_keep": keep}  # what scores theta_low itself always is
    with scripted((ANSWERS, "330 metres [1].")) as (model, _):
        assert [found.page_content for found in ask(model, adaptive=settings)["passages"]] == used


def test_middling_passages_are_answered_from_in_the_end(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage(TOWER)])
    evaluates({"330": 0.6})
    with scripted((REWRITES, "tower height"), (ANSWERS, "330 metres [1].")) as (model, _):
        assert decisions(ask(model)) == ["quality 0.60 → rewrite_again", "quality 0.60 → generate"]


@pytest.mark.parametrize(("found", "reason"), [
    ([passage(CATS)], "no passage answers the question (best score 0.020, needed 0.5)"),
    ([], "nothing was found in default"),
])  # fmt: skip
def test_passages_that_stay_poor_are_refused(finds: Finds, evaluates: Evaluates, found: Any, reason: str) -> None:
    finds(found)
    evaluates({"Cats": 0.02})
    with scripted((REWRITES, "tower height")) as (model, _):
        result = ask(model)
    assert path(result)[-2:] == ["assess", "refuse"]
    assert result["refused"] and result["refusal_reason"] == reason and result["passages"] == []


def test_a_warning_of_both_searches_is_told_once(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage(CATS)], warnings=["collection 'default' is empty: index something"])
    evaluates({})
    with scripted((REWRITES, "tower height")) as (model, _):
        assert ask(model)["warnings"] == ["collection 'default' is empty: index something"]


def test_rewriting_may_be_off(finds: Finds, evaluates: Evaluates) -> None:
    search = finds([passage(TOWER)])
    evaluates({"330": 0.6})
    with scripted((ANSWERS, "330 metres [1].")) as (model, _):
        assert path(ask(model, rewrite="off")) == ["receive", "retrieve", "assess", "generate"]
    assert len(search.queries) == 1


@pytest.mark.parametrize("reply", [ModelUnavailable("scripted:test is down"), QUESTION, "", "I do not know."])
def test_without_a_rewriting_it_looks_deeper(finds: Finds, evaluates: Evaluates, reply: Any) -> None:
    search = finds([passage(f"{CATS} {n}") for n in range(9)] + [passage(TOWER)])
    evaluates({"330": 0.9, "Cats": 0.02})
    with scripted((REWRITES, reply), (ANSWERS, "330 metres [1].")) as (model, _):
        result = ask(model)
    assert search.queries == [QUESTION, QUESTION]
    assert [found.page_content for found in result["passages"]] == [TOWER]
    down = isinstance(reply, ModelUnavailable)
    assert result["warnings"] == (["question not rewritten: scripted:test is down"] if down else [])


def test_without_a_model_it_quotes_or_refuses(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage(TOWER)])
    evaluates({"330": 0.6})
    result = ask(None)
    assert result["answer"] == f"{TOWER} [1]"
    assert path(result) == ["receive", "retrieve", "assess", "rewrite_again", "retrieve_again", "assess", "generate"]
    evaluates({})
    assert ask(None, adaptive={"supplement": True})["refused"], "nobody is there to supplement"


@pytest.mark.parametrize(
    ("question", "knows", "own", "marked"),
    [
        (QUESTION, KNOWS, "It is 330 metres tall [1].",
         "Not from your documents, but from the language model's own knowledge, unchecked: It is 330 metres tall."),
        ("埃菲尔铁塔有多高？", "凭你自己的知识", "高 330 米。",
         "以下内容不是来自您的文档，而是语言模型自己的知识，未经核实：高 330 米。"),
    ],
)  # fmt: skip
def test_a_supplement_is_marked_and_cites_nothing(
    finds: Finds, evaluates: Evaluates, question: str, knows: str, own: str, marked: str
) -> None:
    """Allowed by a setting only; `require_citations` does not apply to it."""
    finds([passage(CATS)])
    evaluates({})
    with scripted((knows, own), (None, "tower height")) as (model, _):
        result = ask(model, question, adaptive={"supplement": True})
    assert path(result)[-1] == "supplement" and result["answer"] == marked == result["messages"][-1].text
    assert not result["refused"] and result["citations"] == [] and result["refusal_reason"] == ""
    assert [(found.origin, found.source) for found in result["passages"]] == [("model", "scripted:test")]


@pytest.mark.parametrize(
    "reply",
    ["NOT FOUND", "I do not know.", "I'm sorry, I can’t help with that.", ModelUnavailable("scripted:test is down")],
)
def test_a_model_that_does_not_know_either_refuses(finds: Finds, evaluates: Evaluates, reply: Any) -> None:
    finds([passage(CATS)])
    evaluates({})
    with scripted((REWRITES, "tower height"), (KNOWS, reply)) as (model, _):
        result = ask(model, adaptive={"supplement": True})
    assert path(result)[-2:] == ["supplement", "refuse"] and result["refused"] and result["passages"] == []
    down = isinstance(reply, ModelUnavailable)
    assert result["warnings"] == (["nothing supplemented: scripted:test is down"] if down else [])


def test_the_model_finds_no_answer(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage(TOWER)])
    evaluates({"330": 0.9})
    with scripted((ANSWERS, "NOT FOUND")) as (model, _):
        assert path(ask(model))[-2:] == ["generate", "refuse"]
