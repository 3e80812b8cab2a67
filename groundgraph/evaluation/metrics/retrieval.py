"""How good a ranking of sources is, against the graded sources of one question; all figures are in [0, 1].

`ranked` holds sources, best first; one that stands there more than once, since several chunks of it were found, counts
at its best rank. `relevant` is a set of sources, or a mapping of sources to grades, of which 2 and more are relevant
(see `groundgraph.grading.dataset`); a grade of None is unknown. Without a relevant source nothing can be scored: None.
"""

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice

from groundgraph.grading.dataset import RELEVANT

Relevant = AbstractSet[str] | Mapping[str, float | None]


def relevant_sources(relevant: Relevant) -> frozenset[str]:
    """Return the relevant sources: all of a set, those graded 2 or more of a mapping."""
    if isinstance(relevant, Mapping):
        return frozenset(name for name, grade in relevant.items() if grade is not None and grade >= RELEVANT)
    return frozenset(relevant)


def recall_at_k(ranked: Sequence[str], relevant: Relevant, k: int) -> float | None:
    """Return the share of the relevant sources that are among the first `k`."""
    gold = relevant_sources(relevant)
    return len(gold.intersection(_first(ranked, k))) / len(gold) if gold else None


def precision_at_k(ranked: Sequence[str], relevant: Relevant, k: int) -> float | None:
    """Return the share of the first `k` places that hold a relevant source; a place left empty holds none."""
    gold = relevant_sources(relevant)
    return len(gold.intersection(_first(ranked, k))) / k if gold else None


def reciprocal_rank(ranked: Sequence[str], relevant: Relevant, k: int = 10) -> float | None:
    """Return 1 / rank of the first relevant source, 0 if it is not among the first `k`; its mean is MRR@k."""
    gold = relevant_sources(relevant)
    if not gold:
        return None
    return next((1 / rank for rank, source in enumerate(_first(ranked, k), start=1) if source in gold), 0.0)


def average_precision(ranked: Sequence[str], relevant: Relevant) -> float | None:
    """Return the mean, over the relevant sources, of the precision at each one's rank; 0 for one not found.

    Its mean is MAP (Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.4).
    """
    gold = relevant_sources(relevant)
    return math.fsum(_precisions(_first(ranked, len(ranked)), gold)) / len(gold) if gold else None


def ndcg_at_k(ranked: Sequence[str], relevant: Relevant, k: int = 10) -> float | None:
    """Return the discounted gain of the first `k` over that of the best order of all graded sources.

    The gain is the grade itself, 1 in a set, discounted by log2(rank + 1), as trec_eval has it (Järvelin and
    Kekäläinen, TOIS 2002).
    """
    if not relevant_sources(relevant):
        return None
    gains = _gains(relevant)
    best = sorted(gains.values(), reverse=True)[:k]
    return _discounted([gains.get(source, 0.0) for source in _first(ranked, k)]) / _discounted(best)


def context_precision(passages: Sequence[str], relevant: Relevant) -> float | None:
    """Return the mean precision at each relevant passage: 1 if the relevant ones come first, 0 if there is none.

    RAGAS's context precision with gold labels for verdicts (arXiv:2309.15217). `passages` are the sources of the
    passages as the answer was written from them, repeats counted.
    """
    gold = relevant_sources(relevant)
    if not gold:
        return None
    precisions = _precisions(passages, gold)
    return math.fsum(precisions) / len(precisions) if precisions else 0.0


def context_recall(passages: Sequence[str], relevant: Relevant) -> float | None:
    """Return the share of the relevant sources that any passage comes from, however many passages there are."""
    return recall_at_k(passages, relevant, max(1, len(passages)))


def _first(ranked: Sequence[str], k: int) -> list[str]:
    return list(islice(dict.fromkeys(ranked), k))


def _gains(relevant: Relevant) -> dict[str, float]:
    if isinstance(relevant, Mapping):
        return {source: grade or 0.0 for source, grade in relevant.items()}
    return dict.fromkeys(relevant, 1.0)


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _precisions(ranked: Sequence[str], gold: AbstractSet[str]) -> list[float]:
    """Return the precision at the rank of each hit, in order."""
    hits = [rank for rank, source in enumerate(ranked, start=1) if source in gold]
    return [number / rank for number, rank in enumerate(hits, start=1)]
