"""Do two passages answer one question differently, with another number, date or name?"""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from groundgraph.grading.terms import content_terms, is_cjk, key_terms, stem
from groundgraph.knowledge.keywords import CJK, fold
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.sentences import sentences

ON_SUBJECT = {"quantity": 0.6, "year": 0.75, "name": 0.75}
"""Share of the question's content terms that a sentence and the headings above must hold, by what is asked."""
_CJK_SHARE = 0.8
"""Factor on it for Chinese, whose terms, pairs of characters, reach across words."""
RELEVANT = {"quantity": 0.1, "year": 0.4, "name": 0.4}
"""Score that a passage which has one must exceed, by what is asked.

A score is relative to the other candidates: of two passages that answer alike, and differently, one may well score far
less. Quantities of one unit are about the same thing more surely than years and names are.
"""
_EQUAL = 0.1
"""Durations that differ by less, such as a year and twelve months of 30 days, are the same."""

_WHEN = re.compile(r"\bwhen\b|\b(?:what|which) (?:year|time)\b|什么时[候间]|何[时年]|哪一?年|几点", re.IGNORECASE)
_WHO = re.compile(
    r"^(?:in |at |from |to |by )?(?:who(?:m|se)?|where|(?:what|which) (?:city|town|country|person))\b", re.IGNORECASE
)
_HOW_MUCH = re.compile(
    r"\bhow (?:many|much|long|old|tall|high|far|deep|wide|large|big|heavy|fast|often)\b"
    r"|\bwhat (?:is|are|was|were) the .*\b(?:period|fee|price|costs?|rate|number|limit|load|height|length|width|depth"
    r"|weight|size|age|duration|maximum|minimum|temperature|population|salary|deadline|term|amount|percentage)\b"
    r"|\b(?:what|which) percent|多少|几(?!点)|多[大长高远久深宽重快]|百分之几",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\bhow \w+\b|\b(?:what|which) (?:year|time)\b|什么时[候间]|何[时年]|哪一?年|几点|多少|百分之几|几"
    r"|多[大长高远久深宽重快]",
    re.IGNORECASE,
)
"""Words that ask, and that no answer repeats."""
_UNIT_ASKED = re.compile(rf"\bhow many (\w+)|\b(?:what|which) (percent)|(?:多少|几)个?([{CJK}])", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\d.,])[12]\d{3}(?!\d|[.,]\d)")
_QUANTITY = re.compile(rf"([$€£¥])? ?(\d+(?:[.,]\d+)*)(?: ?- ?| )?(?:个)?(%|[^\W\d_{CJK}]+|[{CJK}])?")
_CLOCK = re.compile(r"(?<!\d)\d{1,2}:\d\d(?!\d)")
_NUMERALS = {
    word: str(value)
    for names, first in (
        ("two three four five six seven eight nine ten eleven twelve", 2),
        ("一 二 三 四 五 六 七 八 九 十", 1),
    )
    for value, word in enumerate(names.split(), first)
} | {"两": "2"}
_NUMERAL = re.compile(
    rf"\b(?:{'|'.join(w for w in _NUMERALS if w.isascii())})\b|[一二两三四五六七八九十](?=个|[天周月年人名间])", re.I
)
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365, "天": 1, "周": 7, "月": 30, "年": 365}

Values = Mapping[str, frozenset[str]]
"""What a sentence says, by kind: a unit, `year`, `duration` or `name`."""


class Statement(NamedTuple):
    """What a passage says: its number, counted from 1, and the sentence, verbatim."""

    number: int
    sentence: str


def disagreement(question: str, passages: Sequence[Passage]) -> tuple[Statement, Statement] | None:
    """Return two statements of different passages that answer the question differently; None if no two do.

    Only sentences on the question's subject count, and only what can be compared without understanding: years, where
    the question asks when; names in Latin script, where it asks who or where; else quantities of one unit.
    """
    kind = _asked(question)
    if kind is None:
        return None
    said = [
        (Statement(number, sentence), values)
        for number, passage in enumerate(passages, 1)
        if passage.score is None or passage.score > RELEVANT[kind]
        for sentence in _on_subject(question, passage, ON_SUBJECT[kind] * (_CJK_SHARE if is_cjk(question) else 1))
        if (values := _values(kind, question, sentence))
    ]
    for (first, ours), (second, theirs) in combinations(said, 2):
        if first.number != second.number and _differ(ours, theirs):
            if kind == "name" or _of_one_subject(question, first.sentence, second.sentence):
                return first, second
    return None


def other_sides(question: str, kept: Sequence[Passage], dropped: Sequence[Passage]) -> list[Passage]:
    """Return those of the passages to be dropped that contradict one to be kept, and score above `RELEVANT`.

    They are Ambiguous, whatever tier they had: an answer must not hide that the documents disagree.
    """
    return [
        passage.model_copy(update={"tier": passage.tier and "ambiguous"})
        for passage in dropped
        if any(disagreement(question, [one, passage]) for one in kept)
    ]


def _asked(question: str) -> Literal["quantity", "year", "name"] | None:
    if _WHEN.search(question):
        return "year"
    if _HOW_MUCH.search(question):
        return "quantity"
    return "name" if _WHO.search(question) else None


def _of_one_subject(question: str, first: str, second: str) -> bool:
    """Return whether not each of two sentences names something that neither the other nor the question does."""
    known = {*content_terms(question)}
    ours, theirs = ({t for t in key_terms(one) if not t[0].isdigit()} - known for one in (first, second))
    return not (ours - {*content_terms(second)} and theirs - {*content_terms(first)})


def _on_subject(question: str, passage: Passage, share: float) -> list[str]:
    """Return the passage's sentences that hold what the question is about."""
    wanted = frozenset(content_terms(_ASKING.sub(" ", question)))
    if not wanted or not key_terms(question) <= frozenset(content_terms(passage.context)):
        return []
    text, heading = passage.page_content, frozenset(content_terms(passage.heading))
    found = (text[start:end] for start, end in sentences(text))
    return [one for one in found if len(wanted & (heading | {*content_terms(one)})) >= share * len(wanted)]


def _values(kind: str, question: str, sentence: str) -> Values:
    if kind == "year":
        years = frozenset(_YEAR.findall(sentence)) - frozenset(_YEAR.findall(question))
        clock = frozenset(_CLOCK.findall(sentence))
        return _known("year", years) | _known("clock", clock)
    if kind == "name":
        names = {term for term in key_terms(sentence) if not term[0].isdigit()}
        return _known("name", frozenset(names - {*content_terms(question)}))
    asked = _UNIT_ASKED.search(question)
    unit = asked and stem(fold(next(filter(None, asked.groups()))))
    if unit in _DAYS:
        unit = "duration"
    return {kind: values for kind, values in _quantities(sentence).items() if unit in {None, kind}}


def _known(kind: str, values: frozenset[str]) -> dict[str, frozenset[str]]:
    return {kind: values} if values else {}


def _quantities(sentence: str) -> dict[str, frozenset[str]]:
    """Return the numbers of a sentence by the unit that follows, durations in days; years and bare numbers are none."""
    found: dict[str, set[str]] = {}
    digits = _NUMERAL.sub(lambda match: _NUMERALS[match.group().lower()], sentence)
    for money, number, unit in _QUANTITY.findall(digits):
        unit = money or stem(fold(unit))
        if not unit or (_YEAR.fullmatch(number) and unit == "年"):
            continue
        number = number.replace(",", "")
        if unit in _DAYS and number.isdigit():
            unit, number = "duration", str(int(number) * _DAYS[unit])
        found.setdefault(unit, set()).add(number)
    return {unit: frozenset(values) for unit, values in found.items()}


def _differ(ours: Values, theirs: Values) -> bool:
    """Return whether the two speak of something in common, and agree in nothing of it."""
    common = ours.keys() & theirs.keys()
    return bool(common) and not any(
        _same(kind, one, other) for kind in common for one in ours[kind] for other in theirs[kind]
    )


def _same(kind: str, one: str, other: str) -> bool:
    if kind == "duration":
        return abs(int(one) - int(other)) <= _EQUAL * max(int(one), int(other))
    return one == other
