import asyncio
from typing import Literal

import pytest
from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, Field

from groundgraph.errors import ModelError
from groundgraph.models import ask_json
from groundgraph.models.structured import describe, parse_json
from tests.endpoint import Endpoint
from tests.scripted import scripted


class Verdict(BaseModel):
    score: Literal["yes", "no"]


class Scores(BaseModel):
    relevant: int = Field(ge=1, le=5)
    entities: list[str]
    best: Verdict
    note: str | None


QUESTION = [SystemMessage("Grade."), HumanMessage("Is Lima in Peru?")]


@pytest.mark.parametrize(
    "text",
    [
        '{"score": "yes"}',
        '```json\n{"score": "yes"}\n```',
        'As {asked}: {"score": "yes"}. I hope {this} helps.',
        '{"score": "yes|no"} is the form, so {"score":"yes"}',
        '{"result": {"score": "yes"}}',
    ],
)
def test_json_is_found_whatever_stands_around_it(text: str) -> None:
    assert parse_json(text, Verdict) == Verdict(score="yes")


@pytest.mark.parametrize("text", ["", "yes", '{"score": "may', '{"score": "maybe"}', "{" * 3000, '["yes"]'])
def test_text_without_fitting_json_is_none(text: str) -> None:
    assert parse_json(text, Verdict) is None


def test_the_shape_fits_one_line() -> None:
    assert describe(Verdict) == '{"score": "yes" | "no"}'
    assert describe(Scores) == (
        '{"relevant": integer from 1 to 5, "entities": [string, …], "best": {"score": "yes" | "no"}, '
        '"note": string | null}'
    )


async def test_the_endpoint_is_held_to_the_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint('{"score": "yes"}') as endpoint:
        endpoint.configure(monkeypatch)
        verdict, reply = await ask_json("openai:m", QUESTION, Verdict)
    assert verdict == Verdict(score="yes")
    assert reply.prompt_tokens == 11
    form = endpoint.requests[0]["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["schema"]["properties"]["score"]["enum"] == ["yes", "no"]
    assert endpoint.requests[0]["messages"][-1]["content"] == "Is Lima in Peru?"


async def test_five_calls_cause_one_rejection_and_all_get_their_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint('Sure: {"score": "no"}', reject=["response_format"], latency=0.02) as endpoint:
        endpoint.configure(monkeypatch)
        replies = await asyncio.gather(*(ask_json("openai:m", QUESTION, Verdict) for _ in range(5)))
    assert [verdict for verdict, _ in replies] == [Verdict(score="no")] * 5
    assert sorted(endpoint.statuses) == [200] * 5 + [422]
    assert endpoint.requests[-1]["messages"][-1]["content"].endswith('{"score": "yes" | "no"}')
    assert endpoint.requests[-1]["messages"][0]["content"] == "Grade."


async def test_a_request_rejected_for_another_reason_teaches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint('{"score": "no"}', fail=[400, 400]) as endpoint:
        endpoint.configure(monkeypatch)
        with pytest.raises(ModelError, match="rejected the request"):
            await ask_json("openai:m", QUESTION, Verdict)
        await ask_json("openai:m", QUESTION, Verdict)
    assert "response_format" in endpoint.requests[-1]


async def test_an_unparseable_reply_is_none_with_its_text() -> None:
    with scripted("I cannot say.") as (name, model):
        verdict, reply = await ask_json(name, QUESTION, Verdict)
    assert verdict is None
    assert reply.text == "I cannot say."
    assert model.prompts[0].endswith('{"score": "yes" | "no"}')


def test_the_shape_is_told_without_touching_the_callers_messages() -> None:
    with scripted('{"score": "yes"}') as (name, _):
        asyncio.run(ask_json(name, QUESTION, Verdict))
    assert QUESTION[-1].content == "Is Lima in Peru?"
