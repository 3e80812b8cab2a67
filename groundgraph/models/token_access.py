"""The log probability of tokens that are named, whatever their rank: vLLM's `logprob_token_ids`."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from groundgraph.models.calls import Reply
from groundgraph.models.chat import OPENAI_URL, endpoint_settings
from groundgraph.models.completions import complete
from groundgraph.models.failures import RequestRejected
from groundgraph.models.trust import is_loopback, tls_context

Named = Mapping[str, float]
"""Log probabilities by token."""


class TokenAccess:
    """Which endpoints tell the log probability of a token that is not among the likeliest; remembered once found out.

    vLLM takes tokens by their numbers, which its address `/tokenize` tells.
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, tuple[str, ...]], dict[str, int]] = {}

    async def widened(
        self, model: str, prompt: str, reply: Reply, tokens: tuple[str, ...]
    ) -> tuple[Reply, list[Reply]]:
        """Return the reply, with these tokens reported at its first place if none of them is yet, and what that took.

        Args:
            model: Name as `openai:model`.
            prompt: What `reply` continues.
            reply: With log probabilities.
            tokens: Each as the tokenizer spells it.

        Raises:
            ModelUnavailable, ModelError: As `complete` does.
        """
        written = reply.logprobs or ()
        if not written or not {written[0].token.strip(), *map(str.strip, written[0].top)}.isdisjoint(tokens):
            return reply, []
        named, spent = await self._logprobs(model, prompt, tokens)
        first = replace(written[0], top={**written[0].top, **named})
        return replace(reply, logprobs=(first, *written[1:])), spent

    async def _logprobs(self, model: str, prompt: str, tokens: tuple[str, ...]) -> tuple[Named, list[Reply]]:
        """Return the log probability of each token to come next after `prompt`, where the endpoint tells it."""
        known = (model, tokens)
        if known not in self._numbers:
            self._numbers[known] = await _numbers(model, tokens)
        if not (numbers := self._numbers[known]):
            return {}, []
        try:
            reply = await complete(model, prompt, max_tokens=1, top_logprobs=1, token_ids=[*numbers.values()])
        except RequestRejected:
            self._numbers[known] = {}
            return {}, []
        first = reply.logprobs[0] if reply.logprobs else None
        reported = {} if first is None else {first.token: first.logprob} | dict(first.top)
        found = {token.strip(): logprob for token, logprob in reported.items() if logprob is not None}
        return {token: found[token] for token in tokens if token in found}, [reply]

    def clear(self) -> None:
        """Forget what was learned."""
        self._numbers.clear()


token_access = TokenAccess()


async def _numbers(model: str, tokens: Sequence[str]) -> dict[str, int]:
    """Return the number of each token, by the endpoint's tokenizer; none where it has no address for that."""
    import httpx

    provider, _, name = model.partition(":")
    if provider != "openai":
        return {}
    base_url, key = endpoint_settings(model)
    if base_url == OPENAI_URL:
        return {}
    address = base_url.rstrip("/").removesuffix("/v1") + "/tokenize"
    context = await asyncio.to_thread(tls_context)
    numbers: dict[str, int] = {}
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(headers=headers, verify=context, trust_env=not is_loopback(base_url)) as client:
        for token in tokens:
            asked = {"model": name, "prompt": token, "add_special_tokens": False}
            try:
                answered = await client.post(address, json=asked)
                found = answered.raise_for_status().json()["tokens"]
            except (httpx.HTTPError, ValueError, TypeError, KeyError):
                return {}
            if len(found) == 1:
                numbers[token] = found[0]
    return numbers
