"""What kind of thing a question asks for, and whether a text holds one."""

import re

from groundgraph.grading.terms import is_cjk

_COUNT = re.compile(
    r"\bhow (?:many|much|old|long|far|tall|high|big|large|fast|often|deep)\b|\bwhat (?:percent|number|amount|age)"
    r"|多少|几[个次名种位座条天岁人倍]|多[大长高远久]|百分之几",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|decade|century)\b"
    r"|什么时[候间]|何[时年]|哪一?[年天]|几[年月日]|哪个(?:年份|世纪|年代)",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)
_COUNT_FOUND = re.compile(
    r"\d+|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|dozen|hundred|"
    r"thousand|million|billion|half)\b|[一二两三四五六七八九十百千万亿半]+[个次名种位座条天岁人倍年月元米分]",
    re.IGNORECASE,
)
_DATE_FOUND = re.compile(
    r"\b[12]\d{3}s?\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"century|today|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|\d+\s*[年月日]|世纪|年代",
    re.IGNORECASE,
)
_PERSON_FOUND = re.compile(r"[A-Z][\w'’.-]+(?: (?:[a-z]{2,3} )?[A-Z][\w'’.-]+)+")
_EXPECTATIONS = ((_DATE, _DATE_FOUND), (_COUNT, _COUNT_FOUND), (_PERSON, _PERSON_FOUND))


def answer_type(question: str, text: str) -> float:
    """Return 1 if the text holds what the question asks for (a date, a count, a person), -1 if not, 0 if unknown.

    What the question already says does not count.
    """
    asked = question.lower()
    for expected, found in _EXPECTATIONS:
        if expected.search(question):
            if found is _PERSON_FOUND and is_cjk(text):
                return 0.0
            return 1.0 if any(match.group().lower() not in asked for match in found.finditer(text)) else -1.0
    return 0.0
