"""Endpoints that report fewer of the likeliest tokens than are asked for: found out once, and told."""

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from groundgraph.grading.reflection import FULL, RELEVANT, UTILITIES
from groundgraph.models import ask, complete
from groundgraph.models.failures import RequestRejected
from nodes.model import CAPPED
from tests.doubles import FixedSearch, passage
from tests.endpoint import Endpoint, Request
from tests.logprobs import logprobs_of
from tests.reflections import NEEDED, alone, fine_tuned, said, segment
from tests.reflections import TOWER as TALL
from tests.reflections import ask as ask_fine_tuned
from tests.self_rag import NEEDS, QUESTION, RATES, TOWER, steps
from tests.self_rag import ask as ask_prompted

HELLO = [HumanMessage("Hello")]


def asked(endpoint: Endpoint) -> list[int | None]:
    """Return how many of the likeliest tokens each request asked for."""
    return [request.get("top_logprobs") for request in endpoint.requests]


@pytest.mark.parametrize(
    ("objection", "most", "tried"),
    [
        ("logprobs must be at most {most}", 5, [20, 5, 5]),
        ("Requested sample logprobs of 20, which is greater than max allowed: {most}", 3, [20, 3, 3]),
        ("Invalid 'top_logprobs': the valid range is [0, {most}]", 8, [20, 8, 8]),
        ("Invalid value for 'top_logprobs'", 5, [20, 5, 5]),  # no number: 5
        ("Log probabilities of qwen2.5-7b: too many", 5, [20, 5, 5]),  # that is no number either
        ("logprobs must be at most {most}", 0, [20, 5, None, None]),  # 5 is too many as well
        ("this is not supported", 5, [20, None, None]),  # whatever that is
    ],
)
async def test_a_chat_endpoint_that_caps_them(
    objection: str, most: int, tried: list[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Endpoint("Yes", most_likeliest=most, objection=objection, logprobs=logprobs_of) as endpoint:
        endpoint.configure(monkeypatch)
        replies = [await ask("openai:m", HELLO, top_logprobs=20) for _ in range(2)]
    assert asked(endpoint) == tried
    assert [(reply.cap, reply.logprobs is not None) for reply in replies] == [(tried[-1], tried[-1] is not None)] * 2


async def test_no_cap_is_told_where_few_enough_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint("Yes", most_likeliest=5, logprobs=logprobs_of) as endpoint:
        endpoint.configure(monkeypatch)
        replies = [await ask("openai:m", HELLO, top_logprobs=count) for count in (5, 20, 1)]
    assert asked(endpoint) == [5, 20, 5, 1] and [reply.cap for reply in replies] == [None, 5, None]


@pytest.mark.parametrize("objection", ["logprobs must be at most {most}", "bad request"])
async def test_a_completions_endpoint_that_caps_them(objection: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is of no use without, so that fewer are tried whatever it says."""
    with Endpoint("Yes", most_likeliest=5, objection=objection) as endpoint:
        endpoint.configure(monkeypatch)
        replies = [await complete("openai:m", "Say yes.", max_tokens=1, top_logprobs=20) for _ in range(2)]
    assert [request["logprobs"] for request in endpoint.requests] == [20, 5, 5]
    assert [reply.cap for reply in replies] == [5, 5]


async def test_a_completions_endpoint_that_reports_none_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint("Yes", most_likeliest=0) as endpoint:
        endpoint.configure(monkeypatch)
        with pytest.raises(RequestRejected, match="logprobs must be at most 0"):
            await complete("openai:m", "Say yes.", max_tokens=1, top_logprobs=20)


def test_self_rag_by_reflection_tokens_goes_on_with_a_warning(
    finds: Callable[..., FixedSearch], monkeypatch: pytest.MonkeyPatch
) -> None:
    finds([TALL])
    with fine_tuned((alone, NEEDED), ("330", segment("It is 330 metres tall."))) as endpoint:
        endpoint.most_likeliest = 5
        result = ask_fine_tuned(endpoint, monkeypatch, form="short")
    assert result["answer"] == "It is 330 metres tall. [1]"
    assert result["warnings"] == [CAPPED.replace("{cap}", "5")]
    assert [request["logprobs"] for request in endpoint.requests] == [20, 5, 5]


def test_self_rag_by_prompts_goes_on_with_a_warning(
    finds: Callable[..., FixedSearch], monkeypatch: pytest.MonkeyPatch
) -> None:
    finds([passage(TOWER)])
    with Endpoint(reply=rater("4"), most_likeliest=5, logprobs=logprobs_of) as endpoint:
        endpoint.configure(monkeypatch)
        result = ask_prompted("openai:m", self_rag={"max_segments": 1})
    assert result["warnings"] == [CAPPED.replace("{cap}", "5")]
    assert endpoint.statuses.count(400) == 1


def rater(rating: str) -> Callable[[Request], str]:
    """Return what says yes to the need of documents, one sentence to the question, and this to who wants a rating."""

    def reply(request: Request) -> str:
        prompt = str(request["messages"])
        return rating if RATES in prompt else "yes" if NEEDS in prompt else "It is 330 metres tall."

    return reply


@pytest.mark.parametrize(
    ("rating", "score", "unread"), [("五分", 5, False), ("Passage [1]: 4/5", 4, False), ("good", 3, True)]
)
@pytest.mark.parametrize("logprobs", [None, "null", "first"])
def test_ratings_are_read_from_the_text_where_the_probabilities_are_of_no_use(
    rating: str,
    score: float,
    unread: bool,
    logprobs: str | None,
    finds: Callable[..., FixedSearch],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def useless(text: str) -> dict[str, Any]:
        content = [{"token": char, "logprob": None if logprobs == "null" else -0.1} for char in text]
        return {"content": content[: 1 if logprobs == "first" else None]}

    finds([passage(TOWER)])
    with Endpoint(reply=rater(rating), logprobs=useless if logprobs else None) as endpoint:
        endpoint.configure(monkeypatch)
        result = ask_prompted("openai:m", QUESTION, self_rag={"max_segments": 1, "max_rewrites": 0})
    (segment,) = steps(result, "reflect")[0]["figures"]["segments"]
    assert (segment["relevant"], segment["supported"], segment["utility"]) == (score, score, score)
    told = [warning for warning in result["warnings"] if "cannot be read" in warning]
    assert len(told) == (1 if unread else 0), "one warning for the three ratings"


def test_reflection_tokens_of_which_only_the_first_is_reported(
    finds: Callable[..., FixedSearch], monkeypatch: pytest.MonkeyPatch
) -> None:
    finds([TALL])
    written = said(RELEVANT, "It is 330 metres tall.", FULL, UTILITIES[4])
    cut = written._replace(logprobs={name: values[:1] for name, values in written.logprobs.items()})
    with fine_tuned((alone, NEEDED), ("330", cut)) as endpoint:
        result = ask_fine_tuned(endpoint, monkeypatch, form="short")
    assert result["refused"]
    assert result["warnings"] == [
        "the endpoint gives no log probabilities of a whole segment: its reflection tokens count as absent"
    ]
