"""How often a refusal is right, over questions of which it is known whether the documents answer them."""

from collections.abc import Iterable
from typing import NamedTuple


class RefusalRates(NamedTuple):
    """Shares in [0, 1]; None where there is no such question."""

    right: float | None
    """Refused, of the questions that the documents do not answer."""
    false: float | None
    """Refused, of the questions that the documents answer."""
    unanswerable: int
    answerable: int


def refusal_rates(outcomes: Iterable[tuple[bool | None, bool]]) -> RefusalRates:
    """Return the rates over pairs (answerable, refused); a question with answerable None does not count."""
    refused: dict[bool, list[bool]] = {True: [], False: []}
    for answerable, was_refused in outcomes:
        if answerable is not None:
            refused[answerable].append(was_refused)
    return RefusalRates(_share(refused[False]), _share(refused[True]), len(refused[False]), len(refused[True]))


def _share(hits: list[bool]) -> float | None:
    return sum(hits) / len(hits) if hits else None
