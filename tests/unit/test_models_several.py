"""Several replies to one prompt: in one request where the endpoint can do that, else in parallel."""

from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from groundgraph.errors import ModelUnavailable
from groundgraph.models import Reply, ask_several
from tests.endpoint import Endpoint

ASKED = [HumanMessage("A passage, please.")]
MODEL = "openai:m"


async def ask(count: int = 3) -> list[Any]:
    return await ask_several(MODEL, ASKED, count, max_tokens=16)


async def test_one_request_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint(reply="<think>hm</think>A tower.") as endpoint:
        endpoint.configure(monkeypatch)
        replies = await ask()
    assert [reply.text for reply in replies] == ["A tower."] * 3
    assert len(endpoint.requests) == 1 and endpoint.requests[0]["n"] == 3
    assert sum(reply.calls for reply in replies) == 1
    assert sum(reply.completion_tokens for reply in replies) == 7, "the request's tokens are counted once"


@pytest.mark.parametrize("options", [{"reject": ["n"]}, {"knows_n": False}])
async def test_an_endpoint_that_cannot_is_asked_in_parallel(monkeypatch: pytest.MonkeyPatch, options: Any) -> None:
    with Endpoint(reply="A tower.", latency=0.05, **options) as endpoint:
        endpoint.configure(monkeypatch)
        for _ in range(2):
            assert await ask() == [Reply("A tower.", 11, 7, finish_reason="stop")] * 3
    assert ["n" in request for request in endpoint.requests] == [True, *[False] * 6], "tried once, and remembered"
    assert endpoint.max_in_flight == 3


async def test_one_reply_is_an_ordinary_request(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint() as endpoint:
        endpoint.configure(monkeypatch)
        (reply,) = await ask(1)
    assert reply.text == "Yes." and "n" not in endpoint.requests[0]


async def test_what_fails_is_returned_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint(always_fail=500) as endpoint:
        endpoint.configure(monkeypatch, max_retries=0)
        assert [type(reply) for reply in await ask()] == [ModelUnavailable] * 3
    with Endpoint(reject=["n"], fail=[]) as endpoint:
        endpoint.configure(monkeypatch, max_retries=0)
        await ask()
        endpoint.fail = [500]
        assert sorted(type(reply).__name__ for reply in await ask()) == ["ModelUnavailable", "Reply", "Reply"]
