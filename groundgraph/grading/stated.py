"""Read how sure a model says it is of a sentence, and which words of it it doubts (as in arXiv:2305.14975)."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import NamedTuple

from groundgraph.grading.confidence import Token, content_words
from groundgraph.grading.terms import content_terms

PHRASES: Mapping[str, float] = {
    r"\b(?:very|highly|most|extremely) unlikely|\bimpossible|\b(?:certainly|definitely) not|不可能|肯定不": 0.05,
    r"\b(?:not (?:very )?likely|unlikely|probably not|doubtful)"
    r"|可能性(?:[很较]?[低小]|不[高大])|不(?:太|大)可能|可能不|没有?(?:什么)?把握": 0.2,
    r"\b(?:not (?:very |so |entirely )?(?:sure|certain)|unsure|uncertain|perhaps|maybe|possibly)"
    r"|不(?:太|能|是很)?(?:确定|肯定)|也许|或许|说不准": 0.5,
    r"\b(?:very|highly|most|extremely) (?:likely|probabl[ye]|confident|sure|certain)"
    r"|[很极]有?可能|很(?:有把握|确定|肯定)": 0.9,
    r"\b(?:likely|probabl[ye]|confident)|可能|大概|有把握": 0.7,
    r"\b(?:almost |absolutely |completely )?(?:certain(?:ly)?|sure|definite(?:ly)?)|(?:几乎)?(?:肯定|确定|一定)": 0.95,
}
"""What a phrase comes to; at one place in a reply the first of those that match counts."""

_NUMBER = r"(\d+(?:\.\d+)?)"
_TO = r"\s*%?\s*(?:-|–|~|to|and|到|至)\s*"
_LABEL = r"(?:confidence|probability|likelihood|chance|置信度|可能性|概率|把握)"
_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"两": 2}
_Found = re.Match[str]


class Stated(NamedTuple):
    """What a model says of its own sentence."""

    confidence: float
    """In [0, 1]."""
    tokens: list[Token]
    """The words that say more than the question: those it doubts with this confidence, the others with 1."""


def stated(said: str, sentence: str, question: str) -> Stated | None:
    """Return what a reply says of a sentence; None if it states no confidence.

    Understands `80%`, `80`, `0.8`, `8/10`, `3 out of 4`, `80-90 %`, 百分之八十, 八成, a label or JSON around them, and
    phrases such as "very likely". Words of the sentence that stand in the rest of the reply are those it doubts; where
    there are none, all have the same confidence.

    Args:
        said: The reply to the question how likely the sentence is, and which of its words are doubted.
        sentence: The sentence.
        question: What it answers a part of.
    """
    reply = unicodedata.normalize("NFKC", said)
    for pattern, value in _FORMS:
        for found in pattern.finditer(reply):
            if (confidence := value(found)) is not None:
                rest = f"{reply[: found.start()]} {reply[found.end() :]}"
                return Stated(confidence, _doubted(sentence, question, rest, confidence))
    return None


def _doubted(sentence: str, question: str, said: str, confidence: float) -> list[Token]:
    doubts, words = {*content_terms(said)}, list(content_words(sentence, question))
    named = any(terms & doubts for _, terms in words)
    return [
        {"start": start, "end": end, "confidence": 1.0 if named and not terms & doubts else confidence}
        for (start, end), terms in words
    ]


def _percent(found: _Found) -> float | None:
    values = [float(value) for value in found.groups()]
    return sum(values) / len(values) / 100 if max(values) <= 100 else None


def _bare(found: _Found) -> float | None:
    """Return a number without a unit: a fraction if it has a point and is 1 at most, else a percentage."""
    return float(found[1]) if "." in found[1] and float(found[1]) <= 1 else _percent(found)


def _ratio(found: _Found) -> float | None:
    part, whole = float(found[1]), float(found[2])
    return part / whole if 0 < whole >= part else None


def _numeral(found: _Found) -> float:
    """Return 百分之八十五, 百分之十 or 百分之百."""
    tens, ten, ones = found[1].rpartition("十")
    if "百" in found[1]:
        return 1.0
    return (10 * _DIGITS.get(tens, 1) * bool(ten) + _DIGITS.get(ones, 0)) / 100


def _tenths(found: _Found) -> float:
    """Return 八成, 8成, 八成半 or 八成五."""
    tenths = int(found[1]) if found[1].isdigit() else _DIGITS.get(found[1], 10)
    more = 5 if found[2] == "半" else _DIGITS.get(found[2], 0)
    return min(1.0, (10 * tenths + more) / 100)


def _phrase(found: _Found) -> float:
    return list(PHRASES.values())[(found.lastindex or 1) - 1]


_FORMS: tuple[tuple[re.Pattern[str], Callable[[_Found], float | None]], ...] = (
    (re.compile(r"\bnot (?:\w+ )?100\s*(?:%|percent)", re.IGNORECASE), lambda _: 0.5),
    (re.compile(rf"{_NUMBER}\s*(?:/|out of)\s*(\d{{1,3}})(?![\d%])"), _ratio),
    (re.compile(rf"{_NUMBER}{_TO}{_NUMBER}\s*(?:%|percent)"), _percent),
    (re.compile(rf"{_NUMBER}\s*(?:%|percent|per cent)"), _percent),
    (re.compile(rf"百分之\s*{_NUMBER}"), _percent),
    (re.compile(r"百分之([零一二两三四五六七八九十百]+)"), _numeral),
    (re.compile(r"([一二三四五六七八九十]|\d)\s*成(半|[一二三四五六七八九]|)"), _tenths),
    (re.compile(rf"{_LABEL}\W{{0,6}}(?:is|of|为|是)?\W{{0,4}}{_NUMBER}(?!\d)", re.IGNORECASE), _bare),
    (re.compile(rf"^\W*{_NUMBER}(?![\d/])"), _bare),
    (re.compile("|".join(f"({pattern})" for pattern in PHRASES), re.IGNORECASE), _phrase),
)
"""How a confidence may be written, the surer ways to read it first."""
