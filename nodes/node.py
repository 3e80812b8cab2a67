"""What every node has in common: its seconds are measured, its decision is written down, its keys are checked."""

import inspect
import time
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from langgraph.types import Overwrite

from groundgraph.models import Reply
from state.reducers import Usage, add_usage
from state.schemas import State, Step

Update = dict[str, Any]
"""The keys of `State` that a node changed."""


def node(step: Callable[..., Any]) -> Callable[..., Any]:
    """Make a graph's node of `step`: add its wall seconds to `usage`, and reject keys that `State` does not know.

    LangGraph drops an unknown key silently, so a misspelled one would lose its value.
    """
    name = step.__name__

    if inspect.iscoroutinefunction(step):

        @wraps(step)
        async def waiting(state: Mapping[str, Any], runtime: Any) -> Update:
            start = time.perf_counter()
            return _finish(name, await step(state, runtime), time.perf_counter() - start)

        return waiting

    @wraps(step)
    def working(state: Mapping[str, Any], runtime: Any) -> Update:
        start = time.perf_counter()
        return _finish(name, step(state, runtime), time.perf_counter() - start)

    return working


def _finish(name: str, update: Update, seconds: float) -> Update:
    if unknown := update.keys() - State.__annotations__.keys():
        raise KeyError(f"node {name} returned {sorted(unknown)}, which State does not have")
    spent: Usage = {"seconds": {name: round(seconds, 4)}}
    usage = update.get("usage", {})
    total = Overwrite(add_usage(usage.value, spent)) if isinstance(usage, Overwrite) else add_usage(usage, spent)
    return {**update, "usage": total}


def said(node: str, decision: str, **figures: Any) -> list[Step]:
    """Return the one entry that `node` adds to `steps`; floats are rounded to four places."""
    rounded = {key: round(value, 4) if isinstance(value, float) else value for key, value in figures.items()}
    return [{"node": node, "decision": decision, "figures": rounded}]


def cost(*replies: Reply) -> Usage:
    """Return what these model calls cost."""
    return {
        "model_calls": sum(reply.calls for reply in replies),
        "prompt_tokens": sum(reply.prompt_tokens for reply in replies),
        "completion_tokens": sum(reply.completion_tokens for reply in replies),
        "estimated_calls": sum(reply.estimated_calls for reply in replies),
    }
