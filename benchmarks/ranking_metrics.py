"""How good a ranking is: recall@5, MRR@10 and nDCG@10, each in [0, 1]."""

import math
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple


class Quality(NamedTuple):
    """Figures of one ranking, or their means over many."""

    recall: float
    """Share of the relevant documents that are among the first five."""
    reciprocal_rank: float
    """1 / rank of the first relevant document; 0 if it is not among the first ten."""
    ndcg: float
    """Discounted gain of the first ten over that of the best order; a document is relevant or not."""


def quality(ranking: Sequence[str], relevant: frozenset[str]) -> Quality:
    """Return the figures of distinct ids, best first, against the relevant ones, of which there is at least one."""
    found = [rank for rank, one in enumerate(ranking[:10], start=1) if one in relevant]
    gain = sum(1 / math.log2(rank + 1) for rank in found)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(10, len(relevant)) + 1))
    return Quality(
        recall=len(relevant.intersection(ranking[:5])) / len(relevant),
        reciprocal_rank=1 / found[0] if found else 0.0,
        ndcg=gain / best,
    )


def mean(figures: Sequence[Quality]) -> Quality:
    """Return the mean of each figure over at least one ranking."""
    return Quality(*(fmean(column) for column in zip(*figures, strict=True)))
