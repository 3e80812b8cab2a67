"""Log probabilities as an endpoint gives them, made of a text."""

import math
import re
from collections.abc import Mapping
from typing import Any


def logprobs_of(text: str, weak: Mapping[str, float] | None = None, sure: float = 0.95) -> dict[str, Any]:
    """Return the modern shape for `text`: words and marks are tokens, each `sure` unless `weak` has another value."""
    tokens = re.findall(r"\s*[\u4e00-\u9fff]|\s*[A-Za-z0-9]+|\s*[^\w\s]|\s+$", text)
    assert "".join(tokens) == text
    probabilities = [(weak or {}).get(token.strip(), sure) for token in tokens]
    return {
        "content": [
            {"token": token, "logprob": math.log(p), "bytes": list(token.encode()), "top_logprobs": []}
            for token, p in zip(tokens, probabilities, strict=True)
        ]
    }
