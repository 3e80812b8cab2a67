"""How well an answer stands on its passages, from verdicts that a judge gave; all figures are in [0, 1].

A verdict of None could not be had: it is left out, and where fewer than half could be had there is no figure: None.
"""

from collections.abc import Sequence
from typing import NamedTuple

Verdict = bool | None

ENOUGH = 0.5
"""Share of the verdicts that a figure needs."""


class CitedStatement(NamedTuple):
    """Verdicts about one sentence of an answer and the passages it cites."""

    supported: Verdict
    """Whether the cited passages together support it; False if it cites none."""
    alone: Sequence[Verdict] = ()
    """For each citation: whether its passage supports the sentence by itself."""
    without: Sequence[Verdict] = ()
    """For each citation: whether the other cited passages support the sentence without it."""


def share(verdicts: Sequence[Verdict]) -> float | None:
    """Return the share of verdicts that are true: faithfulness over claims, context recall over the gold answer's.

    RAGAS (arXiv:2309.15217, section 3): |supported claims| / |claims|.
    """
    had = _had(verdicts)
    return None if had is None else sum(had) / len(had)


def mean_precision(verdicts: Sequence[Verdict]) -> float | None:
    """Return RAGAS's context precision: the mean of precision@k over the ranks k of the useful passages; 0 if none is.

    Args:
        verdicts: Whether each passage is useful, in the order of the passages; None counts as not useful.
    """
    if _had(verdicts) is None:
        return None
    ranks = [rank for rank, useful in enumerate(verdicts, start=1) if useful]
    return sum(found / rank for found, rank in enumerate(ranks, start=1)) / len(ranks) if ranks else 0.0


def citation_recall(statements: Sequence[CitedStatement]) -> float | None:
    """Return the share of sentences that their citations support (ALCE, arXiv:2305.14627, section 4.3)."""
    return share([statement.supported for statement in statements])


def citation_precision(statements: Sequence[CitedStatement]) -> float | None:
    """Return the share of citations that are needed (ALCE, arXiv:2305.14627, section 4.3); 0 if nothing is cited.

    A citation counts if all citations of its sentence together support it, and unless its passage does not support
    the sentence alone while the others do without it.
    """
    verdicts = [
        _needed(statement.supported, alone, without)
        for statement in statements
        for alone, without in zip(statement.alone, statement.without, strict=True)
    ]
    return share(verdicts) if verdicts else 0.0


def _needed(supported: Verdict, alone: Verdict, without: Verdict) -> Verdict:
    if not supported:
        return supported
    if alone or without is False:
        return True
    return None if alone is None or without is None else False


def _had(verdicts: Sequence[Verdict]) -> list[bool] | None:
    had = [verdict for verdict in verdicts if verdict is not None]
    return had if had and len(had) >= ENOUGH * len(verdicts) else None
