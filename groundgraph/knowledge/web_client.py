"""How web search providers are asked over HTTP."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import ParamSpec, TypeVar

import httpx
from tenacity import retry, retry_if_exception, stop_after_attempt, wait_random_exponential

from groundgraph.models.trust import is_loopback, tls_context

SECONDS = 20.0
"""Time that one request may take to connect, and between two parts of its reply."""

P = ParamSpec("P")
T = TypeVar("T")


@asynccontextmanager
async def http_client(base_url: str) -> AsyncIterator[httpx.AsyncClient]:
    """Open a client for one provider, which follows no redirect: it would take the query to another host."""
    context = await asyncio.to_thread(tls_context)  # reads certificates from disk
    trust_env = not is_loopback(base_url)
    async with httpx.AsyncClient(base_url=base_url, verify=context, trust_env=trust_env, timeout=SECONDS) as client:
        yield client


def retried(is_passing: Callable[[BaseException], bool], ask: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Return `ask`, tried three times in all while what it raises is passing."""
    patient = retry(
        retry=retry_if_exception(is_passing),
        stop=stop_after_attempt(3),
        wait=wait_random_exponential(multiplier=0.5, max=8),
        reraise=True,
    )
    return patient(ask)
