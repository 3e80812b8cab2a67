"""What answers cost."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np


class Cost(NamedTuple):
    """Means over questions, and seconds of wall time at two quantiles; None without a question."""

    model_calls: float | None
    prompt_tokens: float | None
    completion_tokens: float | None
    searches: float | None
    p50: float | None
    """Median of seconds."""
    p95: float | None
    """Seconds that 95 % of the questions keep within, interpolated."""
    estimated_calls: float | None
    """Model calls whose tokens are estimated."""


def cost(usages: Sequence[Mapping[str, Any]], seconds: Sequence[float]) -> Cost:
    """Return what a question cost, from each one's `usage` (a key it lacks is 0) and its wall seconds."""
    p50, p95 = np.percentile(seconds, [50, 95]).tolist() if seconds else (None, None)
    return Cost(
        model_calls=_mean(usages, "model_calls"),
        prompt_tokens=_mean(usages, "prompt_tokens"),
        completion_tokens=_mean(usages, "completion_tokens"),
        searches=_mean(usages, "searches"),
        p50=p50,
        p95=p95,
        estimated_calls=_mean(usages, "estimated_calls"),
    )


def _mean(usages: Sequence[Mapping[str, Any]], key: str) -> float | None:
    return sum(usage.get(key, 0) for usage in usages) / len(usages) if usages else None
