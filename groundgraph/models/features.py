"""What an endpoint may not know, such as a JSON schema: tried once for each model, and remembered."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import TypeVar

from groundgraph.models.failures import RequestRejected

T = TypeVar("T")

USUAL_CAP = 5
"""Likeliest tokens to ask for where an endpoint rejects more and does not say how many it reports."""
_WHOLE = re.compile(r"(?<![\w.-])\d+(?![\w-]|\.\w)")


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


class Cap:
    """How many of the likeliest tokens some endpoints report at most, and reject a request for more.

    Args:
        needed: Whether the request is of no use without log probabilities, so that fewer are tried whatever the
            endpoint objects to.
    """

    def __init__(self, *, needed: bool = False) -> None:
        self._needed = needed
        self._known: dict[str, int] = {}

    async def attempt(self, model: str, count: int, call: Callable[[int], Awaitable[T]]) -> T:
        """Return `call(count)`; where that is too many, `call` with the endpoint's cap, which is remembered.

        The cap is the greatest number below `count` in what the endpoint says of log probabilities, or 5.

        Raises:
            RequestRejected: Log probabilities are not what the endpoint objects to, or it objects to fewer as well.
        """
        most = min(count, self._known.get(model, count))
        try:
            return await call(most)
        except RequestRejected as error:
            cap = self._known.get(model) or self._named(error.said, most)
            if cap is None or cap >= most:
                raise
        reply = await call(cap)
        self._known[model] = cap
        return reply

    def _named(self, said: str, asked: int) -> int | None:
        if not re.search(r"log.?prob", said, re.IGNORECASE):
            return USUAL_CAP if self._needed and said else None
        named = [int(number) for number in _WHOLE.findall(said)]
        return max((number for number in named if 0 < number < asked), default=USUAL_CAP)

    def clear(self) -> None:
        """Forget what was learned."""
        self._known.clear()
