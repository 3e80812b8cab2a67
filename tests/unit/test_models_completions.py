"""Plain completions: special tokens, and who has no such endpoint."""

from collections.abc import Callable

import pytest

from groundgraph.errors import InputError, ModelError
from groundgraph.models import complete
from tests.doubles import FixedSearch
from tests.endpoint import Endpoint

Finds = Callable[..., FixedSearch]


async def test_an_endpoint_that_does_not_know_special_tokens_is_asked_without(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint("Yes.", reject=["skip_special_tokens"]) as endpoint:
        endpoint.configure(monkeypatch, max_retries=0)
        replies = [await complete("openai:m", "Say yes:", max_tokens=4) for _ in range(2)]
    assert [reply.text for reply in replies] == ["Yes."] * 2 and replies[0].prompt_tokens == 11
    assert endpoint.statuses == [422, 200, 200]


async def test_a_provider_without_completions_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="'anthropic' has no completions endpoint; use openai: or llamacpp:"):
        await complete("anthropic:claude", "Say yes:", max_tokens=4)
    with Endpoint(always_fail=404) as endpoint:
        endpoint.configure(monkeypatch)
        with pytest.raises(ModelError, match="is not known there"):
            await complete("openai:m", "Say yes:", max_tokens=4)
