"""The probability of tokens that are not among the likeliest: asked for by name where the endpoint can tell."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from graphs.self_rag import graph
from groundgraph.grading.reflection import (
    FULL,
    IRRELEVANT,
    NEEDS,
    NO_RETRIEVAL,
    RELEVANCE,
    RELEVANT,
    RETRIEVAL,
    UTILITIES,
)
from tests.doubles import FixedSearch
from tests.endpoint import Endpoint, Request
from tests.reflections import QUESTION, TOWER, alone, ask, said, step

NUMBERS = {token: number for number, token in enumerate((*NEEDS, *RELEVANCE), 32000)}
PROBED, WRITTEN = said("Well"), said("Well,", " it is 330 metres tall.", FULL, UTILITIES[4])
NEED = said({"Well ": 0.9, RETRIEVAL: 0.006, NO_RETRIEVAL: 0.002})
RELEVANT_OR_NOT = said({"Well, ": 0.9, RELEVANT: 0.003, IRRELEVANT: 0.001})


def far_down(**options: Any) -> Endpoint:
    """Return an endpoint whose likeliest tokens hold no need and no relevance; asked by number, it tells these."""

    def numbers(tokens: Sequence[str]) -> list[int]:
        return [NUMBERS[token] for token in tokens]

    def reply(request: Request) -> str:
        wanted = request.get("logprob_token_ids")
        if wanted:
            return {numbers(NEEDS)[0]: NEED, numbers(RELEVANCE)[0]: RELEVANT_OR_NOT}[wanted[0]].text
        return (PROBED if alone(request["prompt"][0]) else WRITTEN).text

    known = {one.text: one.logprobs for one in (PROBED, WRITTEN, NEED, RELEVANT_OR_NOT)}
    return Endpoint(reply=reply, logprobs=known.__getitem__, **options)


def test_they_are_asked_for_by_name(finds: Callable[..., FixedSearch], monkeypatch: pytest.MonkeyPatch) -> None:
    """0.006 against 0.002 is a share of 0.75, and so is 0.003 against 0.001."""
    finds([TOWER])
    with far_down(token_ids=NUMBERS) as endpoint:
        result = ask(endpoint, monkeypatch, form="short")
    assert step(result, "probe")["figures"]["share"] == pytest.approx(0.75)
    (segment,) = step(result, "expand")["figures"]["segments"]
    assert segment["relevant"] == pytest.approx(1 + 4 * 0.75) and "not_reported" not in segment
    assert result["usage"]["model_calls"] == 4 and result["warnings"] == []
    wanted = [request["logprob_token_ids"] for request in endpoint.requests if "logprob_token_ids" in request]
    assert wanted == [[32000, 32001, 32002], [32003, 32004]]


@pytest.mark.parametrize("options", [{}, {"token_ids": {}}, {"token_ids": NUMBERS, "reject": ["logprob_token_ids"]}])
def test_elsewhere_they_have_probability_0(
    options: Any, finds: Callable[..., FixedSearch], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The endpoint has no tokenizer to ask, has them in several tokens each, or takes no numbers."""
    finds([TOWER])
    with far_down(**options) as endpoint:
        result = ask(endpoint, monkeypatch, form="short")
        asked = len(endpoint.requests)
        context = {"chat_model": "openai:selfrag", "self_rag": {"critic": "tokens", "form": "short"}}
        graph.invoke({"question": QUESTION}, context=context)
    (segment,) = step(result, "expand")["figures"]["segments"]
    assert segment["relevant"] == 1 and segment["not_reported"] == ["relevance"]
    assert result["warnings"] == ["model 'openai:selfrag' reports no reflection token: is it fine-tuned on them?"]
    assert result["usage"]["model_calls"] == 2 < asked
    assert len(endpoint.requests) - asked == 2, "what an endpoint cannot do is asked once"
