"""HTTP clients that a model shared by threads and event loops can use."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import openai

from groundgraph.models.trust import is_loopback, tls_context

_CLOSING: set["asyncio.Task[None]"] = set()
"""Tasks under way, which a loop itself holds only weakly."""


class PerLoopClient(openai.DefaultAsyncHttpxClient):
    """An async client with a pool of connections for each event loop.

    Connections belong to the loop that opened them, but one cached model serves the server's loop, the loop behind
    `graph.invoke` and every `asyncio.run` of a script. A pool closes with its loop.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._options = options
        self._pools: dict[asyncio.AbstractEventLoop, openai.DefaultAsyncHttpxClient] = {}
        self._keepers: dict[asyncio.AbstractEventLoop, AsyncGenerator[None]] = {}

    async def send(self, request: Any, **options: Any) -> Any:
        """Send `request` through the running loop's pool."""
        loop = asyncio.get_running_loop()
        if loop not in self._pools:
            self._keepers[loop] = self._keep_pool(loop)
            await anext(self._keepers[loop])
        return await self._pools[loop].send(request, **options)

    def close_pools(self) -> None:
        """Close the pools of all loops that run: at once in other threads, as soon as can be on this thread's own."""
        for loop, keeper in list(self._keepers.items()):
            if loop is asyncio._get_running_loop():
                closing = loop.create_task(keeper.aclose())
                _CLOSING.add(closing)
                closing.add_done_callback(_CLOSING.discard)
            elif loop.is_running():
                asyncio.run_coroutine_threadsafe(keeper.aclose(), loop).result()

    async def _keep_pool(self, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[None]:
        """Open a pool; `asyncio.run` closes the async generators left at its end, and so the pool."""
        pool = self._pools[loop] = openai.DefaultAsyncHttpxClient(**self._options)
        try:
            yield
        finally:
            del self._pools[loop], self._keepers[loop]
            await pool.aclose()


def http_clients(base_url: str) -> dict[str, Any]:
    """Return the clients of one endpoint as arguments of a `langchain_openai` class.

    Reads certificates, so call it off the event loop.
    """
    options: dict[str, Any] = {"verify": tls_context(), "trust_env": not is_loopback(base_url)}
    return {"http_client": openai.DefaultHttpxClient(**options), "http_async_client": PerLoopClient(**options)}
