"""Read a judge's rating from 1 to 5 out of its reply; a reply that holds none is no rating, and never a low one."""

import re

LOWEST, HIGHEST = 1.0, 5.0

_FENCED = re.compile(r"```(?:\w+\n)?(.*?)```", re.DOTALL)
_SCALE = re.compile(r"(?<!\d)1\s*(?:to|-|–|至|到|~)\s*5(?!\d)|满分\s*5(?!\d)分?", re.IGNORECASE)
_NUMBER = r"(?<![\d.-])(?P<{}>\d+(?:\.\d+)?)(?![\d.]*\d)"
_WORDS = (
    "rat(?:ed?|ing)|scor(?:ed?|ing)|grade|say|give|assign|so|is|be|deserves|gets|earns|"
    "评分|得分|评级|分数|我给|打|给|为|是"
)
_BETWEEN = r"(?:[\s\"'*_:：=(]|\b(?:it|this|the|answer|a|an|as|of|at|about|is|would|be)\b)*"
_RATING = re.compile(
    "|".join(
        (
            _NUMBER.format("share") + r"\s*(?:/|out of)\s*5(?!\d)",
            rf"(?<!there )(?:\b|(?<=[^\x00-\x7f]))(?:{_WORDS}){_BETWEEN}"
            + _NUMBER.format("named")
            + r"(?=\W*(?:points?\b|stars?\b|分|$)|\s*[^\w\s%'’-])",
            r"(?:^|[.!?。：:\n}])[^\w-]*" + _NUMBER.format("alone") + r"\s*(?:points?|stars?|分)?\W*$",
            r"^[^\w-]*" + _NUMBER.format("first") + r"\s*(?:points?|stars?|分)?\s*[,;:：，；(（–—\n-]",
        )
    ),
    re.IGNORECASE,
)
"""A rating as judges write it: a share of 5, after a word that announces it, alone at the end, or first of all.

A number amid prose ("there is 1 reference") is none.
"""


def parse_rating(text: str) -> float | None:
    """Return the one rating from 1 to 5 in a judge's reply, fenced, in JSON or in a sentence; None if there is none."""
    fenced = _FENCED.search(text)
    body = _SCALE.sub(" ", fenced[1] if fenced else text).strip()
    found = [float(next(filter(None, match.groups()))) for match in _RATING.finditer(body)]
    values = {value for value in found if LOWEST <= value <= HIGHEST}
    return values.pop() if len(values) == 1 else None
