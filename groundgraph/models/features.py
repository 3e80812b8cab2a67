"""What an endpoint may not know, such as a JSON schema: tried once for each model, and remembered."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from groundgraph.models.failures import RequestRejected

T = TypeVar("T")


class Feature:
    """Something in a request that some endpoints reject.

    Of several first calls at once, one tries and the others wait for what it learns, so that an endpoint is asked
    in vain once and not five times.
    """

    def __init__(self) -> None:
        self._known: dict[str, bool] = {}
        self._trials: dict[tuple[asyncio.AbstractEventLoop, str], asyncio.Event] = {}

    async def attempt(self, model: str, call: Callable[[bool], Awaitable[T]]) -> T:
        """Return `call(True)`, or `call(False)` where the model's endpoint rejects the feature."""
        trial = (asyncio.get_running_loop(), model)
        if model not in self._known:
            if trial in self._trials:
                await self._trials[trial].wait()
            else:
                return await self._first(trial, call)
        return await (self._try(model, call) if self._known.get(model, True) else call(False))

    async def _first(self, trial: tuple[asyncio.AbstractEventLoop, str], call: Callable[[bool], Awaitable[T]]) -> T:
        self._trials[trial] = asyncio.Event()
        try:
            return await self._try(trial[1], call)
        finally:
            self._trials.pop(trial).set()

    async def _try(self, model: str, call: Callable[[bool], Awaitable[T]]) -> T:
        try:
            reply = await call(True)
        except RequestRejected:
            reply = await call(False)  # if this is rejected too, the feature was not the reason
            self._known.setdefault(model, False)
        else:
            self._known[model] = True
        return reply

    def clear(self) -> None:
        """Forget what was learned."""
        self._known.clear()
