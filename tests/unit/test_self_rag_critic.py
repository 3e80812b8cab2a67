"""The prompted critic of Self-RAG: how ratings and needs are read, and who gives them."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from groundgraph.errors import ModelUnavailable
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.endpoint import Endpoint
from tests.scripted import Line, scripted
from tests.self_rag import (
    BUILT,
    CATS,
    NEEDS,
    QUESTION,
    RATES,
    REWRITES,
    TOWER,
    ask,
    path,
    rates,
    steps,
    writes,
)

Finds = Callable[..., FixedSearch]
Evaluates = Callable[..., FixedEvaluator]


def test_doubt_about_the_need_retrieves(finds: Finds) -> None:
    """No must hold more than 0.8 of the probability: retrieval starts at a share of 0.2 of yes."""
    finds([])
    for no, node in ((-0.1, "reply"), (-0.5, "retrieve")):
        content = [{"token": "no", "logprob": no, "top_logprobs": [{"token": "no", "logprob": no},
                   {"token": "Yes", "logprob": -2.3 if no == -0.1 else -1.0}]}]  # fmt: skip
        talk = Line("small talk: reply", "Hi!", optional=True)
        with scripted(Line(NEEDS, "no", logprobs={"content": content}), talk) as (model, _):
            assert path(ask(model))[2] == node


def test_a_score_that_cannot_be_read_is_the_middle_with_a_warning(finds: Finds) -> None:
    finds([passage(TOWER)])
    with scripted(
        (NEEDS, "yes"), writes(QUESTION, "It is 330 metres tall."), *rates("It is", "good", "五分", "**4**/5")
    ) as (model, _):
        result = ask(model)
    (segment,) = steps(result, "reflect")[0]["figures"]["segments"]
    assert (segment["relevant"], segment["supported"], segment["utility"]) == (3, 5, 4)
    assert result["warnings"] == ["passage 1, relevant taken as 3: the rating 'good' cannot be read"]


def test_what_cannot_be_read_for_one_reason_is_one_warning(finds: Finds) -> None:
    finds([passage(TOWER)])
    lines = rates("It is", "good", "good", 5)
    with scripted((NEEDS, "yes"), writes(QUESTION, "It is 330 metres tall."), *lines) as (model, _):
        warnings = ask(model)["warnings"]
    assert warnings == ["passage 1, relevant taken as 3 (2 ratings in all): the rating 'good' cannot be read"]


def test_thinking_before_the_score_gets_room(finds: Finds) -> None:
    finds([passage(TOWER)])
    told: list[Line] = []
    for _ in range(3):
        told += [Line(RATES, "<think>1 or", finish_reason="length"), Line(RATES, "<think>maybe 2</think>5")]
    with scripted((NEEDS, "yes"), writes(QUESTION, "It is 330 metres tall."), *told) as (model, _):
        result = ask(model, max_concurrency=1)
    assert result["warnings"] == [] and result["usage"]["model_calls"] == 8
    assert "think" not in repr(result)


def test_a_critic_that_is_down_costs_a_warning(finds: Finds) -> None:
    finds([passage(TOWER)])
    lines = rates("It is", 5, 5, 5)
    lines[1].say = ModelUnavailable("busy")
    with scripted((NEEDS, "yes"), writes(QUESTION, "It is 330 metres tall."), *lines) as (model, _):
        assert ask(model)["warnings"] == ["passage 1, supported taken as 3: busy"]


def test_log_probabilities_make_the_score_a_mean(finds: Finds) -> None:
    finds([passage(TOWER)])
    top = [{"token": "4", "logprob": -0.6931}, {"token": "5", "logprob": -1.3863}, {"token": "2", "logprob": -1.3863}]
    logprobs = {"content": [{"token": "4", "logprob": -0.6931, "top_logprobs": top}]}
    with scripted(
        (NEEDS, "yes"), writes(QUESTION, "It is 330 metres tall."), Line(RATES, "4", times=3, logprobs=logprobs)
    ) as (model, _):
        result = ask(model, self_rag={"max_segments": 1})
    assert steps(result, "accept")[0]["figures"]["supported"] == pytest.approx(3.75, abs=0.001)


def test_the_embedded_preset_asks_little(finds: Finds, evaluates: Evaluates) -> None:
    """The evaluator says what is relevant; of two segments each takes one call to write and one to rate."""
    finds([passage(CATS), passage(TOWER), passage(BUILT), passage("It was painted in 1990.")])
    evaluates({"330": 0.9, "Gustave": 0.5, "painted": 0.4, "Cats": 0.1})
    with scripted(
        writes("330", "It is 330 metres tall."),
        writes("Gustave", "Gustave Eiffel built it."),
        (lambda p: RATES in p and "ai: It is" in p, "support: 5, utility: 4"),
        (lambda p: RATES in p and "ai: Gus" in p, "support: 5, utility: 4"),
    ) as (model, chat):
        result = ask(model, preset="embedded")
    assert steps(result, "select")[0]["figures"] == {"passages": [2, 3], "relevance": [1.4, 4.6, 3.0, 2.6]}
    assert result["answer"] == "It is 330 metres tall. [2]" and result["usage"]["model_calls"] == 4
    assert all("relevance:" not in prompt for prompt in chat.prompts)


def test_passages_that_the_evaluator_finds_irrelevant_are_not_written_from(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage(CATS)])
    evaluates({})
    with scripted((REWRITES, "tower height")) as (model, _):
        result = ask(model, preset="embedded")
    assert result["refused"] and result["usage"]["model_calls"] == 1


def test_a_joint_rating_is_held_to_json_and_keeps_its_probabilities(
    finds: Finds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small model that is shown a form repeats the form; under a JSON schema it has to give numbers."""
    finds([passage(TOWER)])
    rated = '{"relevance":5,"support":4,"utility":5}'

    def reply(request: Any) -> str:
        last = request["messages"][-1]["content"]
        return rated if RATES in last else "yes" if last == QUESTION else "It is 330 metres tall."

    def logprobs(text: str) -> dict[str, Any]:
        parts = re.findall(r"\d|\D+", text)
        tops = [[{"token": "4", "logprob": -0.6931}, {"token": "5", "logprob": -0.6931}] if part == "4" else []
                for part in parts]  # fmt: skip
        return {"content": [{"token": p, "logprob": -0.0, "top_logprobs": t} for p, t in zip(parts, tops, strict=True)]}

    with Endpoint(reply=reply, logprobs=logprobs) as endpoint:
        endpoint.configure(monkeypatch)
        result = ask("openai:m", self_rag={"reflection": "joint"})
        rating = endpoint.requests[-1]
    properties = rating["response_format"]["json_schema"]["schema"]["properties"]
    assert properties.keys() == {"relevance", "support", "utility"}
    (segment,) = steps(result, "reflect")[0]["figures"]["segments"]
    assert (segment["relevant"], segment["utility"]) == (5, 5) and segment["supported"] == pytest.approx(4.5, abs=0.01)
