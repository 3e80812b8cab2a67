"""What a model fine-tuned on reflection tokens says, with the probabilities that a test works out by hand."""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from graphs.self_rag import graph
from groundgraph.grading.reflection import FULL, IRRELEVANT, NO_RETRIEVAL, NO_SUPPORT, RELEVANT, RETRIEVAL, UTILITIES
from tests.doubles import passage
from tests.endpoint import Endpoint, Request

Piece = str | Mapping[str, float]
"""A word, which is certain, or the likeliest tokens at a place with their probabilities, the one that is said first."""


class Said(NamedTuple):
    """A completion and its log probabilities, in the legacy shape that vLLM sends."""

    text: str
    logprobs: dict[str, Any]


def said(*pieces: Piece) -> Said:
    """Return the completion of these pieces."""
    places = [piece if isinstance(piece, Mapping) else {piece: 1.0} for piece in pieces]
    tokens = [next(iter(place)) for place in places]
    tops = [{token: math.log(p) for token, p in place.items() if p > 0} for place in places]
    logprobs = [top.get(token, -100.0) for token, top in zip(tokens, tops, strict=True)]
    return Said("".join(tokens), {"tokens": tokens, "token_logprobs": logprobs, "top_logprobs": tops})


def fine_tuned(*script: tuple[Callable[[str], bool] | str, Said]) -> Endpoint:
    """Return an endpoint that says the first of these whose condition holds of the prompt, or stands in it."""
    known = {one.text: one.logprobs for _, one in script}

    def reply(request: Request) -> str:
        (prompt,) = request["prompt"]
        for when, one in script:
            if when(prompt) if callable(when) else when in prompt:
                return one.text
        raise AssertionError(f"nothing is scripted for this prompt: {prompt}")

    return Endpoint(reply=reply, logprobs=known.__getitem__)


TOWER = passage("The Eiffel Tower is 330 metres tall.", "tower.md")
BUILT = passage("Gustave Eiffel built the tower.", "built.md")
CATS = passage("Cats purr.", "cats.md")
QUESTION = "How tall is the Eiffel Tower?"
BEGINS = f"### Instruction:\n{QUESTION}\n\n### Response:\n"
NEEDED = said({RETRIEVAL: 0.9, NO_RETRIEVAL: 0.1})


def segment(
    text: str, relevant: float = 1.0, full: float = 1.0, useful: float = 1.0, then: Piece | None = None
) -> Said:
    """Say one segment: relevant or not, supported or not, utility 5 or 1; after it what comes next, or the end."""
    return said(
        {RELEVANT: relevant, IRRELEVANT: 1 - relevant} if relevant else {IRRELEVANT: 1.0},
        text,
        {FULL: full, NO_SUPPORT: 1 - full} if full else {NO_SUPPORT: 1.0},
        {UTILITIES[4]: useful, UTILITIES[0]: 1 - useful} if useful else {UTILITIES[0]: 1.0},
        *([then] if then else []),
    )


def alone(prompt: str) -> bool:
    return prompt == BEGINS


def after(*parts: str) -> Callable[[str], bool]:
    """Hold of a prompt that has these parts in this order, and ends with a passage or the last of them."""

    def holds(prompt: str) -> bool:
        place = 0
        for part in parts:
            place = prompt.find(part, place)
            if place < 0:
                return False
            place += len(part)
        return prompt[place:] in ("", "</paragraph>")

    return holds


def ask(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, collection: str = "default", **self_rag: Any
) -> dict[str, Any]:
    endpoint.configure(monkeypatch, max_retries=0)
    settings = {"critic": "tokens", **self_rag}
    context = {"chat_model": "openai:selfrag", "collections": [collection], "self_rag": settings}
    return graph.invoke({"question": QUESTION}, context=context)


def step(result: dict[str, Any], node: str, place: int = 0) -> Any:
    return [step for step in result["steps"] if step["node"] == node][place]


def path(result: dict[str, Any]) -> list[str]:
    return [step["node"] for step in result["steps"]]
