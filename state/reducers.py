"""How the updates of several nodes become one value."""

from collections.abc import Sequence
from typing import TypeVar

from typing_extensions import TypedDict

T = TypeVar("T")


class Usage(TypedDict, total=False):
    """What a run cost: calls and tokens of chat models, web searches, and seconds by node.

    `estimated_calls` are the calls whose tokens are estimated, since the endpoint reports none.
    """

    model_calls: int
    prompt_tokens: int
    completion_tokens: int
    estimated_calls: int
    searches: int
    seconds: dict[str, float]


def append(left: Sequence[T] | None, right: Sequence[T]) -> list[T]:
    """Return both lists in a new one; neither is changed."""
    return [*(left or []), *right]


def append_new(left: Sequence[T] | None, right: Sequence[T]) -> list[T]:
    """Return both lists in a new one, what is in the first not said again; neither is changed."""
    said = list(left or [])
    return [*said, *(one for one in right if one not in said)]


def add_usage(left: Usage | None, right: Usage) -> Usage:
    """Return the sum of two usages, seconds by node."""
    left = left or {}
    seconds = dict(left.get("seconds", {}))
    for node, value in right.get("seconds", {}).items():
        seconds[node] = seconds.get(node, 0.0) + value
    return {
        "model_calls": left.get("model_calls", 0) + right.get("model_calls", 0),
        "prompt_tokens": left.get("prompt_tokens", 0) + right.get("prompt_tokens", 0),
        "completion_tokens": left.get("completion_tokens", 0) + right.get("completion_tokens", 0),
        "estimated_calls": left.get("estimated_calls", 0) + right.get("estimated_calls", 0),
        "searches": left.get("searches", 0) + right.get("searches", 0),
        "seconds": seconds,
    }
