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
    r"(?:\b(?:can)?not|n['’]t) (?:(?:be|at all|very|so|too|quite|really|fully|entirely|completely) )*"
    r"(?:sure|certain|confident)|\b(?:unsure|uncertain|perhaps|maybe|possibly)"
    r"|(?:不(?:太|能|敢|是?很)?|无法|难以|很难)(?:确定|肯定)|不是?[很太]有把握|也许|或许|说不准": 0.5,
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
    phrases such as "very likely". Of several, one that words of confidence mark counts ("I'd say 90%"), else one that
    the reply begins with, else the last. A share that the sentence itself states ("the rent rises by 3.5 %") counts
    only where the reply begins with it or marks it so.

    Words of the sentence that stand in the rest of the reply are those it doubts; where there are none, all have the
    same confidence.

    Args:
        said: The reply to the question how likely the sentence is, and which of its words are doubted.
        sentence: The sentence.
        question: What it answers a part of.
    """
    reply = unicodedata.normalize("NFKC", said)
    chosen = _chosen(reply, unicodedata.normalize("NFKC", sentence)) or next(iter(_shares(reply, _LESS_SURE)), None)
    if chosen is None:
        return None
    rest = f"{reply[: chosen.start]} {reply[chosen.end :]}"
    return Stated(chosen.value, _doubted(sentence, question, rest, chosen.value))


class _Share(NamedTuple):
    """A share in [0, 1] and where it stands in a text."""

    value: float
    start: int
    end: int


def _shares(text: str, forms: "_Forms") -> list[_Share]:
    """Return the shares that are written in one of the forms; of two that overlap, that of the form named first."""
    found: list[_Share] = []
    for pattern, value in forms:
        for match in pattern.finditer(text):
            start, end = match.span()
            share = value(match)
            if share is not None and not any(start < one.end and end > one.start for one in found):
                found.append(_Share(share, start, end))
    return found


def _chosen(reply: str, sentence: str) -> _Share | None:
    """Return the share that is the confidence."""
    shares = sorted(_shares(reply, _SURE), key=lambda share: share.start)
    repeated = {round(share.value, 6) for share in _shares(sentence, _SURE)}
    begins = [share for share in shares if _LEAD.fullmatch(reply[: share.start])]
    marked = [share for share in shares if _is_marked(reply, share)]
    own = [share for share in shares if round(share.value, 6) not in repeated]
    for group in (own, shares):
        if best := [share for share in marked if share in group][-1:] or [one for one in begins if one in group]:
            return best[0]
        if group is own and own:
            return own[-1]
    return None


def _is_marked(reply: str, share: _Share) -> bool:
    """Tell whether words of confidence stand before or after a share, in the same clause."""
    return bool(_MARK_BEFORE.search(reply[: share.start]) or _MARK_AFTER.match(reply[share.end :]))


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


_Forms = tuple[tuple[re.Pattern[str], Callable[[_Found], float | None]], ...]

_SURE: _Forms = (
    (re.compile(r"\bnot (?:\w+ )?100\s*(?:%|percent)", re.IGNORECASE), lambda _: 0.5),
    (re.compile(rf"{_NUMBER}\s*(?:/|out of)\s*(\d{{1,3}})(?![\d%])"), _ratio),
    (re.compile(rf"{_NUMBER}{_TO}{_NUMBER}\s*(?:%|percent)"), _percent),
    (re.compile(rf"{_NUMBER}\s*(?:%|percent|per cent)"), _percent),
    (re.compile(rf"百分之\s*{_NUMBER}"), _percent),
    (re.compile(r"百分之([零一二两三四五六七八九十百]+)(?:点[零一二三四五六七八九]+)?"), _numeral),
    (re.compile(r"([一二三四五六七八九十]|\d)\s*成(半|[一二三四五六七八九]|)"), _tenths),
    (re.compile(rf"{_LABEL}\W{{0,6}}(?:is|of|为|是)?\W{{0,4}}{_NUMBER}(?!\d)", re.IGNORECASE), _bare),
)
"""How a share is written, the surer ways to read it first."""
_LESS_SURE: _Forms = (
    (re.compile(rf"^\W*{_NUMBER}(?![\d/])"), _bare),
    (re.compile("|".join(f"({pattern})" for pattern in PHRASES), re.IGNORECASE), _phrase),
)
"""How a confidence may be stated besides."""
_LEAD = re.compile(r"\W*(?:(?:about|around|roughly|approximately|maybe|大约|大概|约|是)\W*)?", re.IGNORECASE)
_MARK_BEFORE = re.compile(
    rf"(?:{_LABEL}|信心|\bI(?:'d| would)? (?:\w+ )?(?:say|think|guess|estimate|believe)|\bI(?:'m| am)|\bmy \w+ is"
    r"|(?<!un)(?:certain|sure|confident)|我(?:会|想)?(?:说|认为|觉得|估计|猜|有)|相信|确定)[^.;,!?。；，！？\n\d]{0,20}$",
    re.IGNORECASE,
)
_MARK_AFTER = re.compile(
    r"\W{0,3}(?:sure|certain|confident|confidence|likely|probab\w+|chance|likelihood)\b"
    r"|\W{0,2}的?(?:把握|可能|概率|几率|置信度|信心|确定|肯定)",
    re.IGNORECASE,
)
