"""Fuse rankings into one."""

from collections.abc import Sequence

from groundgraph.errors import InputError


def reciprocal_rank_fusion(
    legs: Sequence[Sequence[str]], weights: Sequence[float] | None = None, c: int = 60
) -> list[tuple[str, float]]:
    """Return ids with their fused scores, best first; equal scores keep the order in which they were first seen.

    An id scores the sum of weight / (c + rank) over the legs that hold it (Cormack, Clarke and Büttcher, SIGIR 2009).
    Ranks count from 1; an id that a leg holds twice counts once there, at its best rank.

    Args:
        legs: Ids of each ranking, best first.
        weights: One weight a leg, at least 0; a leg of weight 0 adds nothing. All 1 if not given.
        c: Damps the lead of the first ranks, at least 0.

    Raises:
        InputError: A weight or `c` is below 0, or there are not as many weights as legs.
    """
    weights = [1.0] * len(legs) if weights is None else weights
    if len(weights) != len(legs) or any(weight < 0 for weight in weights) or c < 0:
        raise InputError(
            f"fusion weights={weights!r}, c={c!r}: need one weight >= 0 for each of {len(legs)} legs, c >= 0"
        )
    scores: dict[str, float] = {}
    for leg, weight in zip(legs, weights, strict=True):
        if weight:
            for rank, key in enumerate(dict.fromkeys(leg), start=1):
                scores[key] = scores.get(key, 0.0) + weight / (c + rank)
    return sorted(scores.items(), key=lambda item: -item[1])
