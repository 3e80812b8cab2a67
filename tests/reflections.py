"""What a model fine-tuned on reflection tokens says, with the probabilities that a test works out by hand."""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

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
