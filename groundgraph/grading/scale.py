"""Read scores from 1 to 5 out of what a language model said."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

from groundgraph.models import TokenLogprob, token_spans

Name = TypeVar("Name", bound=str)

LOWEST, MIDDLE, HIGHEST = 1.0, 3.0, 5.0

MIN_MASS = 0.5
"""Probability that the digits 1 to 5 must share at a place for their mean to mean anything."""

_DIGITS = str.maketrans("０１２３４５６７８９", "0123456789")
_NUMERALS = str.maketrans("一二三四五两", "123452")
# What holds a digit and is no score: 1-5, a scale of 5, 4 out of 5, 4/5, 满分5分, 5分制, 五分之四. All stay as long.
_RANGE = re.compile(r"(?<![\d.])\d\s*(?:-|–|—|~|to|到|至)\s*\d(?![\d.])")
_OUT_OF = re.compile(r"(?<=\d)\s*(?:/|out of|of|分?[（(，,]?满分)\s*5(?:\.0)?(?![\d.])\s*分?[）)]?", re.IGNORECASE)
_OTHER_SCALE = re.compile(r"\d+(?:\.\d+)?\s*(?:/|out of)\s*\d+|\d+(?:\.\d+)?\s*%", re.IGNORECASE)
_SCALE_OF = re.compile(r"(?:scale|range|满分|总分)[^\d\n]{0,6}5\s*分?|\bout of\s*5(?![\d.]*\d)|5\s*分制", re.IGNORECASE)
_FIFTHS = re.compile(r"[五5]分之")
_NUMERAL = re.compile(r"(?:(?<![一-鿿])|(?<=[是为给打得度性]))[一二三四五两](?=\s*[分星]|\W*$)")
_NUMBER = re.compile(r"(?<![A-Za-z_\d.-])\d+(?:\.\d+)?(?![\d%])")
_GAP = r"(?:[^\S\n]*(?!{others})[^\d\s]){0,12}[^\S\n]*"
"""What may stand between the name of an aspect and its score: no line's end, and no name of another."""
_IN_BRACKETS = r"[\[(【（]\s*\d+\s*[\])】）]"
_ZH_PASSAGE = "段落|段|文档|文件|资料|材料|来源|片段|文本|编号"
_NUMBERED = re.compile(
    "|".join(
        (
            r"(?:\b(?:of|for|about|from|in)\s+)?(?:\bthe\s+)?"  # left out too: it parts a label from its score
            r"\b(?:passage|paragraph|document|doc|source|segment|chunk|excerpt|snippet|text|item|reply|answer|no\.)s?"
            rf"\s*(?:no\.\s*|[#№]\s*)?(?:\d+\b|{_IN_BRACKETS})",
            rf"(?:{_ZH_PASSAGE})\s*(?:\d+|{_IN_BRACKETS})",
            rf"第\s*\d+\s*[个条篇份项]?\s*(?:{_ZH_PASSAGE})?",
            r"(?<![:：=])(?<![:：=]\s)[\[【]\s*\d+\s*[\]】]",  # after a colon it is the score in brackets
            r"[\[【]\s*\d+\s*[\]】](?=\s*[:：]?\s*\d)",
            r"^\W*\d+\s*(?:\.(?!\d)|[)）、:：])(?=\s*[*_]*[1-5](?:\.\d+)?[*_]*\s*(?:$|[/分,，;；。(（]))",
        )
    ),
    re.IGNORECASE | re.MULTILINE,
)
"""What numbers a passage or an item: passage 2, 段落2, 第2段, [2], and 1. where a score follows."""


def scores_in(
    text: str, names: Mapping[Name, Sequence[str]], tokens: Sequence[TokenLogprob] | None = None
) -> dict[Name, float | None]:
    """Return the score in [1, 5] that `text` gives to each name; None where it gives none.

    Understands `4`, `**4**`, `4/5`, `4 out of 5`, 四分, `4.5`, fenced JSON and labelled lines. A bare list of numbers
    goes by the names' order. The number of a passage ("Passage [2]: 4", 第2段：4分) or of an item ("1. 4") is no score,
    unless the reply has no other number. With log probabilities, a whole number becomes the mean of the digits at its
    place, weighted by their probabilities (as in G-Eval, arXiv:2303.16634).

    Args:
        text: The reply.
        names: What was rated, by name, with the words that may label it in a reply.
        tokens: The tokens of `text`.
    """
    plain = _plain(text)
    unnumbered = _NUMBERED.sub(_blank, plain)
    places = _places(unnumbered if _NUMBER.search(unnumbered) else plain, names)
    return {name: _score(plain, place, text, tokens or ()) for name, place in places.items()}


def _plain(text: str) -> str:
    """Return the text, as long as before, with scores in ASCII digits and every other number's digits taken out."""
    plain = _FIFTHS.sub(_blank, text.translate(_DIGITS))
    plain = _NUMERAL.sub(lambda numeral: numeral[0].translate(_NUMERALS), plain)
    for pattern in (_RANGE, _SCALE_OF, _OUT_OF):
        plain = pattern.sub(_blank, plain)
    return _OTHER_SCALE.sub(lambda other: "9" + " " * (len(other[0]) - 1), plain)  # a number that is no score


def _blank(found: "re.Match[str]") -> str:
    return " " * len(found[0])


def _places(plain: str, names: Mapping[Name, Sequence[str]]) -> dict[Name, "re.Match[str] | None"]:
    labelled: dict[Name, re.Match[str] | None] = {}
    words = {name: "|".join(map(re.escape, labels)) for name, labels in names.items()}
    for name in names:
        gap = _GAP.replace("{others}", "|".join(words.values()))
        label = re.search(rf"(?:{words[name]}){gap}(?=\d)", plain, re.IGNORECASE)
        labelled[name] = _NUMBER.match(plain, label.end()) if label else None
    if any(labelled.values()):
        return labelled
    numbers = list(_NUMBER.finditer(plain))
    if len(numbers) < len(names):
        return dict.fromkeys(names)
    return dict(zip(names, numbers, strict=False))


def _score(plain: str, place: "re.Match[str] | None", text: str, tokens: Sequence[TokenLogprob]) -> float | None:
    if place is None or not LOWEST <= float(place[0]) <= HIGHEST:
        return None
    whole = place[0].isdigit()
    mean = _mean(text, tokens, place.start()) if whole and tokens else None
    return float(place[0]) if mean is None else mean


def _mean(text: str, tokens: Sequence[TokenLogprob], place: int) -> float | None:
    """Return the mean of the digits at this place of the text; None where the endpoint did not say enough."""
    spans = token_spans(text, tokens)
    token = next((token for token, (start, end) in zip(tokens, spans, strict=True) if start <= place < end), None)
    if token is None:
        return None
    alternatives = {token.token: token.probability} | {word: math.exp(value) for word, value in token.top.items()}
    masses: dict[int, float] = {}
    for word, probability in alternatives.items():
        digit = word.strip(" \t\n*\"'`:：").translate(_DIGITS).translate(_NUMERALS)
        if len(digit) == 1 and digit in "12345":
            masses[int(digit)] = masses.get(int(digit), 0.0) + probability
    total = sum(masses.values())
    return sum(digit * mass for digit, mass in masses.items()) / total if total >= MIN_MASS else None
