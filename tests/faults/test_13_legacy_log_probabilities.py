"""Fault 13: log probabilities in the legacy schema.

The chat endpoint returns the legacy schema: tokens ["a"," b"], token_logprobs [-0.1,-3], against the modern content
list → identical pairs. A None entry → low confidence, no crash. Nothing but None, or a list that ends before the text
does → as good as no list.
"""

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from graphs.catalogue import load
from groundgraph.models import Reply, ask
from tests.doubles import FixedSearch, passage
from tests.endpoint import Endpoint

LEGACY = {
    "tokens": ["a", " b"],
    "token_logprobs": [-0.1, -3],
    "top_logprobs": [{"a": -0.1, "x": -2.5}, {" b": -3, " y": -0.2}],
}
MODERN = {
    "content": [
        {
            "token": "a",
            "logprob": -0.1,
            "top_logprobs": [{"token": "a", "logprob": -0.1}, {"token": "x", "logprob": -2.5}],
        },
        {
            "token": " b",
            "logprob": -3,
            "top_logprobs": [{"token": " b", "logprob": -3}, {"token": " y", "logprob": -0.2}],
        },
    ]
}


async def reply(monkeypatch: pytest.MonkeyPatch, logprobs: dict[str, Any]) -> Reply:
    with Endpoint("a b", logprobs=logprobs) as endpoint:
        endpoint.configure(monkeypatch)
        return await ask("openai:m", [HumanMessage("Say a b.")], top_logprobs=2)


async def test_both_schemas_give_the_same_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    legacy = (await reply(monkeypatch, LEGACY)).logprobs
    assert legacy == (await reply(monkeypatch, MODERN)).logprobs
    assert [(token.token, token.logprob) for token in legacy or ()] == [("a", -0.1), (" b", -3)]


@pytest.mark.parametrize(
    "logprobs",
    [
        {"tokens": ["a", " b"], "token_logprobs": [None, -3], "top_logprobs": None},
        {"tokens": ["a", " b"], "token_logprobs": [None, -3], "top_logprobs": [None, {" b": None}]},
        {"content": [{"token": "a", "logprob": None}, {"token": " b", "logprob": -3, "top_logprobs": None}]},
    ],
)
async def test_a_missing_number_is_low_confidence(monkeypatch: pytest.MonkeyPatch, logprobs: dict[str, Any]) -> None:
    tokens = (await reply(monkeypatch, logprobs)).logprobs
    assert [(token.logprob, round(token.probability, 3)) for token in tokens or ()] == [(None, 0.0), (-3, 0.05)]


TEXT = "It is 330 metres tall [1]."
TOKENS = ["It", " is", " 330", " metres", " tall", " [", "1", "]."]
NUMBERS = [-0.1, -0.1, -3.0, -0.1, -0.1, -0.1, -0.1, -0.1]


@pytest.mark.parametrize(
    ("logprobs", "confidence", "weakest"),
    [
        ({"content": [{"token": t, "logprob": n} for t, n in zip(TOKENS, NUMBERS, strict=True)]}, 0.0498, "330"),
        ({"tokens": TOKENS, "token_logprobs": NUMBERS, "top_logprobs": None}, 0.0498, "330"),
        ({"tokens": TOKENS, "token_logprobs": [None, *NUMBERS[1:]]}, 0.0, "It"),
        ({"tokens": TOKENS, "token_logprobs": NUMBERS[:2]}, 0.0, "330"),
        ({"tokens": TOKENS, "token_logprobs": [None] * len(TOKENS)}, 1.0, "330"),
        ({"content": [{"token": token, "logprob": None} for token in TOKENS]}, 1.0, "330"),
        ({"content": [{"token": token} for token in TOKENS]}, 1.0, "330"),
        ({"content": TOKENS}, 1.0, "330"),
        ({"tokens": TOKENS[:2], "token_logprobs": NUMBERS[:2]}, 1.0, "330"),
        ({"content": [{"token": t, "logprob": -0.1} for t in TOKENS[:-3]]}, 1.0, "330"),
        ({"content": [{"token": "Tall", "logprob": -0.1}] * len(TOKENS)}, 1.0, "330"),
        (None, 1.0, "330"),
        ({}, 1.0, "330"),
        ({"content": None}, 1.0, "330"),
        ({"content": []}, 1.0, "330"),
        ({"tokens": [], "token_logprobs": []}, 1.0, "330"),
    ],
)
def test_flare_reads_each_shape_and_does_without_any(
    logprobs: Any,
    confidence: float,
    weakest: str,
    monkeypatch: pytest.MonkeyPatch,
    finds: Callable[..., FixedSearch],
) -> None:
    """Where there are none, three samples say the same, so that the sentence is certain, and a warning tells."""
    finds([passage("The tower is 330 metres tall.")])
    with Endpoint(TEXT, logprobs=logprobs) as endpoint:
        endpoint.configure(monkeypatch)
        result = load("flare").invoke({"question": "How high is the tower?"})
    drafted = next(step["figures"] for step in result["steps"] if step["node"] == "draft")
    assert (drafted["confidence"], drafted["weakest"]) == (confidence, weakest)
    assert result["answer"] == TEXT
    assert [warning.partition(":")[0] for warning in result["warnings"]] == (
        ["the chat model's endpoint gives no log probabilities"] if confidence == 1 else []
    )
