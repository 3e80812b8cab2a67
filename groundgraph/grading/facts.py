"""Do the numbers and names of a claim stand in a passage?"""

import re
from functools import lru_cache

from groundgraph.grading.terms import content_terms, is_cjk, key_terms, number_terms, stem
from groundgraph.knowledge.keywords import CJK, fold
from groundgraph.knowledge.sentences import read_alone, sentences

_SMALL = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " \
    "eighteen nineteen".split()  # fmt: skip
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES = {"one": 1} | {word: n for n, word in enumerate(_SMALL, 2)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_WORDS = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<ones>one|{'|'.join(_SMALL[:8])}))?|(?P<small>{'|'.join(_SMALL)})"
    r"|(?P<one>one)(?=[ -](?:percent|second|minute|hour|day|week|month|year)))\b",
    re.IGNORECASE,
)
_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_PLACES = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
_HAN = re.compile(rf"[{''.join([*_DIGITS, *_PLACES])}]+(?=[个天周月年日号人名位间层楼元块米岁次倍小分])")
_SIGNS = {"%": " percent ", "％": " percent ", "per cent": "percent", "€": " euro ", "$": " dollar ", "£": " pound "}
_COUNTED = re.compile(rf"(?<![\d.,:])(\d+(?:[.,]\d+)*)(?:[ -]?([^\W\d_{CJK}]+)|个?([{CJK}]))")
_PLACE = re.compile(r"^\s*\d{1,2}[.、)）](?!\d)")
"""The number of an item in a list."""
_YEAR = re.compile(r"[12]\d{3}")


def facts_stand(claim: str, passage_text: str, question: str = "") -> bool:
    """Return whether the names of a claim, and its numbers with what they count, stand in a passage or the question.

    A number must stand beside what it counts, or in a table's row where that is in the header: 12 in a table of staff
    is no 12 years. Across languages only the numbers can be compared.

    Args:
        claim: A sentence of an answer, without its citation marks.
        passage_text: The passage, heading included.
        question: The question that was answered.
    """
    claim, text = _in_digits(_PLACE.sub("", claim)), _in_digits(passage_text)
    echoes = frozenset(content_terms(_in_digits(question)))
    known = echoes | frozenset(content_terms(text))
    if not number_terms(claim) <= known:
        return False
    if is_cjk(claim) != is_cjk(text):
        return True
    counted = ((number, word or sign) for number, word, sign in _COUNTED.findall(fold(claim)))
    return key_terms(claim) <= known and all(
        _is_counted(number, what, text) for number, what in counted if not echoes.issuperset(content_terms(what))
    )


def _is_counted(number: str, what: str, text: str) -> bool:
    """Return whether the text counts the same: beside the number, whole or as a short form, or in a table's row."""
    if _YEAR.fullmatch(number):  # what follows a year is not counted by it
        return True
    figure, unit = rf"(?<![\d.,]){re.escape(number)}", re.escape(stem(what))
    if is_cjk(what):
        beside = rf"{figure} ?个?{unit}"
    else:
        beside = (
            rf"{figure}\W{{1,3}}(?:\w+ ){{0,2}}{unit}|\b{unit}\w*\W{{1,3}}{figure}\b|{figure} ?{unit[0]}\w{{0,2}}\b"
        )
    return bool(re.search(beside, fold(text))) or any(
        number in content_terms(row) and unit in row for row in _rows(text)
    )


@lru_cache(maxsize=256)
def _rows(text: str) -> list[str]:
    return [fold(one) for one in read_alone(text, sentences(text)) if one.startswith("|")]


@lru_cache(maxsize=1024)
def _in_digits(text: str) -> str:
    """Return the text with number words and Chinese numerals in digits, and the signs of units in words."""
    for sign, word in _SIGNS.items():
        text = text.replace(sign, word)
    return _HAN.sub(_han_value, _WORDS.sub(_word_value, text))


def _word_value(match: re.Match[str]) -> str:
    return str(sum(_VALUES[word.lower()] for word in match.groups() if word))


def _han_value(match: re.Match[str]) -> str:
    """Return the value of a Chinese numeral up to the ten thousands: 二十五 is 25, 两百 is 200."""
    total = section = digit = 0
    for character in match.group():
        if character in _DIGITS:
            digit = 10 * digit + _DIGITS[character] if digit else _DIGITS[character]
        elif character == "万":
            total, section, digit = total + (section + digit) * 10_000, 0, 0
        else:
            section, digit = section + (digit or 1) * _PLACES[character], 0
    return str(total + section + digit)
