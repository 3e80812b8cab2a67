"""How many tokens a text has: counted by the embedded model itself, estimated for every other one."""

import asyncio
import re
from collections.abc import Sequence

_DENSE = re.compile(r"[\u1100-\u11ff\u2e80-\ud7af\uf900-\ufaff\U0001f000-\U0003ffff]")


def estimate_tokens(text: str) -> int:
    """Return an estimate that errs on the high side: one token a CJK character or emoji, one for three others."""
    dense = len(_DENSE.findall(text))
    return dense + -(-(len(text) - dense) // 3)


async def count_tokens(model: str | None, texts: Sequence[str]) -> list[int]:
    """Return the tokens of each text: by the tokenizer of an embedded `llamacpp:` model, else estimated.

    Raises:
        ModelError: The embedded model cannot be had.
    """
    if model is None or not model.startswith("llamacpp:"):
        return [estimate_tokens(text) for text in texts]
    return await asyncio.to_thread(_count_embedded, model.removeprefix("llamacpp:"), texts)


def _count_embedded(name: str, texts: Sequence[str]) -> list[int]:
    import httpx

    from groundgraph.models.embedded import embedded_server
    from groundgraph.models.failures import clear_errors

    server = embedded_server(name)
    headers = {"Authorization": f"Bearer {server.key}"}
    address = server.base_url.removesuffix("/v1") + "/tokenize"
    with clear_errors(f"llamacpp:{name}", server.base_url), httpx.Client(headers=headers, trust_env=False) as client:
        replies = [client.post(address, json={"content": text}).raise_for_status().json() for text in texts]
    return [len(reply["tokens"]) for reply in replies]
