import json
import time

import pytest
from langchain_core.messages import HumanMessage

from groundgraph.errors import InputError, ModelError, ModelUnavailable
from groundgraph.models import ask, forget_models, stream
from groundgraph.settings import get_settings
from tests.endpoint import Endpoint

HELLO = [HumanMessage("Hello")]
KEY = "sk-very-secret-key"


async def failure(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, **settings: object) -> ModelError:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    endpoint.configure(monkeypatch, **settings)
    with pytest.raises(ModelError) as raised:
        await ask("openai:m", HELLO)
    message = str(raised.value)
    assert message.startswith(f"model 'openai:m' at {endpoint.base_url.split('/')[2]}")
    assert "\n" not in message
    assert KEY not in message
    return raised.value


@pytest.mark.parametrize(
    ("status", "is_down", "remedy"),
    [
        (400, False, "rejected the request (400: scripted failure 400 for key ***)"),
        (401, False, "set OPENAI_API_KEY"),
        (403, False, "set OPENAI_API_KEY"),
        (404, False, "check the model's name and OPENAI_BASE_URL"),
        (422, False, "rejected the request (422"),
        (429, True, "wait, or lower max_concurrency"),
        (500, True, "try again later"),
        (503, True, "try again later"),
    ],
)
async def test_a_status_becomes_a_line_with_a_remedy(
    monkeypatch: pytest.MonkeyPatch, status: int, is_down: bool, remedy: str
) -> None:
    with Endpoint(always_fail=status) as endpoint:
        error = await failure(endpoint, monkeypatch, max_retries=0)
    assert isinstance(error, ModelUnavailable) == is_down
    assert remedy in str(error)


@pytest.mark.parametrize(
    "body",
    [
        "<html>404</html>",
        "",
        "{",
        "null",
        "[1]",
        '"text"',
        "{}",
        '{"choices": null}',
        '{"choices": []}',
        '{"choices": [1]}',
        '{"choices": [{"message": null}]}',
        '{"error": {"message": "broken"}}',
    ],
)
async def test_a_rubbish_body_counts_as_unavailable(monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    with Endpoint(body=body) as endpoint:
        error = await failure(endpoint, monkeypatch, max_retries=0)
    assert isinstance(error, ModelUnavailable)


async def test_one_429_is_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint("ok", fail=[429]) as endpoint:
        endpoint.configure(monkeypatch, max_retries=1)
        assert (await ask("openai:m", HELLO)).text == "ok"
    assert endpoint.statuses == [429, 200]


async def test_a_slow_endpoint_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    start = time.monotonic()
    with Endpoint(latency=1.0) as endpoint:
        error = await failure(endpoint, monkeypatch, max_retries=0, request_timeout=0.1)
    assert isinstance(error, ModelUnavailable)
    assert "GROUNDGRAPH_REQUEST_TIMEOUT=0.1" in str(error)
    assert time.monotonic() - start < 5


async def test_an_endpoint_that_is_down_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint() as endpoint:
        pass
    error = await failure(endpoint, monkeypatch, max_retries=0)
    assert isinstance(error, ModelUnavailable)
    assert "cannot be reached" in str(error)


async def test_a_stream_fails_in_the_same_words(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint(always_fail=500) as endpoint:
        endpoint.configure(monkeypatch, max_retries=0)
        with pytest.raises(ModelUnavailable, match="try again later"):
            [piece async for piece in stream("openai:m", HELLO)]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ({"message": "out of memory", "code": 500}, "out of memory"),
        ("out of memory", "out of memory"),
        ({"detail": "out of memory"}, "{'detail': 'out of memory'}"),
        ({"message": f"the key {KEY} is used up"}, "the key *** is used up"),
    ],
)
async def test_an_error_amid_a_stream_is_told(monkeypatch: pytest.MonkeyPatch, error: object, said: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Endpoint(body=f"data: {json.dumps({'error': error})}\n\n") as endpoint:
        endpoint.configure(monkeypatch, max_retries=0)
        with pytest.raises(ModelUnavailable) as raised:
            [piece async for piece in stream("openai:m", HELLO)]
    assert str(raised.value).startswith("model 'openai:m' at 127.0.0.1:")
    assert str(raised.value).endswith(f" failed ({said}): try again later, or look at the server's log")


async def test_an_error_in_place_of_a_reply_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint(body='{"error": {"message": "out of memory"}}') as endpoint:
        error = await failure(endpoint, monkeypatch, max_retries=0)
    assert isinstance(error, ModelUnavailable) and "failed (out of memory): try again later" in str(error)


async def test_a_password_in_the_address_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://ann:pa55@127.0.0.1:9/v1")
    monkeypatch.setenv("GROUNDGRAPH_MAX_RETRIES", "0")
    get_settings.cache_clear()
    forget_models()
    with pytest.raises(ModelUnavailable, match=r"at 127\.0\.0\.1:9 cannot") as raised:
        await ask("openai:m", HELLO)
    assert "pa55" not in str(raised.value)


async def test_half_a_surrogate_pair_is_the_askers_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint() as endpoint:
        endpoint.configure(monkeypatch)
        with pytest.raises(ModelError, match="which is no text") as raised:
            await ask("openai:m", [HumanMessage("\udbff")])
    assert not isinstance(raised.value, ModelUnavailable)


@pytest.mark.parametrize("name", ["", "m", "openai:", ":m"])
async def test_a_name_without_provider_or_model(name: str) -> None:
    with pytest.raises(InputError, match="give it as provider:model"):
        await ask(name, HELLO)


async def test_an_unknown_provider_is_named_with_those_that_are_known() -> None:
    with pytest.raises(InputError, match="unknown provider 'nobody'; known are openai, llamacpp, anthropic"):
        await ask("nobody:m", HELLO)


async def test_a_provider_whose_package_is_missing() -> None:
    with pytest.raises(ModelError, match="pip install langchain-mistralai"):
        await ask("mistralai:m", HELLO)


async def test_an_endpoint_that_is_not_set() -> None:
    with pytest.raises(ModelError, match="set OPENAI_API_KEY, or OPENAI_BASE_URL"):
        await ask("openai:m", HELLO)
