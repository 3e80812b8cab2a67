"""Read whether a language model wants more documents: yes, no, or to go on from those there are."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from groundgraph.grading.verdict import MIN_MASS, NO, YES, first_word, parse_verdict
from groundgraph.models import TokenLogprob

Need = Literal["yes", "no", "continue"]

WORDS: Mapping[Need, frozenset[str]] = {"yes": YES, "no": NO, "continue": frozenset(("continue", "继续"))}

_EDGES = " \t\r\n\"'`*_.,:;!()[]。，：；！“”▁Ġ"
_CONTINUE = re.compile(rf"[{re.escape(_EDGES)}]*(?:continue|继续)", re.IGNORECASE)


def need_shares(text: str, tokens: Sequence[TokenLogprob] | None = None) -> dict[Need, float] | None:
    """Return the shares, which sum to 1, of yes, no and continue at the first word of a reply; None if none is there.

    Without log probabilities the word said has the share 1.
    """
    if alternatives := list(first_word(tokens or ())):
        masses = {need: sum(mass for word, mass in alternatives if word in words) for need, words in WORDS.items()}
        total = sum(masses.values())
        if total >= MIN_MASS:
            return {need: mass / total for need, mass in masses.items()}
    said: Need
    if _CONTINUE.match(text):
        said = "continue"
    elif (verdict := parse_verdict(text)) is not None:
        said = "yes" if verdict >= 0.5 else "no"
    else:
        return None
    return {need: float(need == said) for need in WORDS}


def need_of(shares: Mapping[Need, float], threshold: float) -> Need:
    """Return no unless yes and continue together exceed the threshold; else the likelier of these two."""
    wanted = shares["yes"] + shares["continue"]
    if wanted <= threshold:
        return "no"
    return "yes" if shares["yes"] >= shares["continue"] else "continue"
