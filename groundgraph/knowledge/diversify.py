"""Say nothing twice: fold passages of one wording, and choose passages that differ."""

import re
from collections.abc import Sequence

import numpy as np

from groundgraph.knowledge.keywords import fold
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.store import Vectors

_PUNCTUATION = re.compile(r"[.,;:!?\"'“”‘’、。…]")


def folded(passages: Sequence[Passage]) -> list[Passage]:
    """Return passages without those whose heading and words are an earlier one's, in order.

    Case, width, accents, spaces and the punctuation of sentences make no difference. A passage that differs in a word
    or number stays, however near its vector: two invoices that differ in nothing but their sum have a cosine of 0.9986
    in e5. The sources of what was folded, other than the passage's own, are in its `metadata["also_in"]`.
    """
    kept: dict[str, Passage] = {}
    others: dict[str, dict[str, None]] = {}
    for passage in passages:
        words = " ".join(_PUNCTUATION.sub(" ", fold(passage.context)).split())
        first = kept.setdefault(words, passage)
        if passage.source != first.source:
            others.setdefault(words, {})[passage.source] = None
    return [
        passage.model_copy(update={"metadata": {**passage.metadata, "also_in": [*others[words]]}})
        if words in others
        else passage
        for words, passage in kept.items()
    ]


def maximal_marginal_relevance(
    relevance: Sequence[float], vectors: Sequence[Vectors | None], k: int, balance: float
) -> list[int]:
    """Return the positions of at most `k` candidates, chosen one by one as relevant and unlike those chosen before.

    Each time the highest balance * relevance - (1 - balance) * likeness wins, the likeness that to the most alike of
    those chosen (Carbonell and Goldstein, SIGIR 1998). Relevance and likeness (cosines) are each scaled to [0, 1] over
    the candidates, since e5's cosines all lie close together.

    Args:
        relevance: One a candidate, in any unit.
        vectors: One a candidate, of length 1; one without a vector, or with another dimension, is unlike all others.
        k: Most positions to return.
        balance: 1 goes by relevance alone, 0 by unlikeness alone once the first is chosen.
    """
    if not relevance:
        return []
    gain = _scaled(np.asarray(relevance, np.float64))
    likeness = _likeness(vectors)
    chosen = [int(np.argmax(gain))]
    while len(chosen) < min(k, len(relevance)):
        value = balance * gain - (1 - balance) * likeness[:, chosen].max(axis=1)
        value[chosen] = -np.inf
        chosen.append(int(np.argmax(value)))
    return chosen


def _likeness(vectors: Sequence[Vectors | None]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return the scaled cosines of all pairs; the least alike pair has 0."""
    count = len(vectors)
    cosines = np.full((count, count), np.nan)
    for row, one in enumerate(vectors):
        for column, other in enumerate(vectors[:row]):
            if one is not None and other is not None and len(one) == len(other):
                cosines[row, column] = cosines[column, row] = one @ other
    known = ~np.isnan(cosines)
    scaled = np.zeros((count, count))
    if known.any():
        scaled[known] = _scaled(cosines[known])
    return scaled


def _scaled(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    span = np.ptp(values)
    return (values - values.min()) / span if span else np.ones_like(values)
