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
_AUXILIARY = (
    r"(?:is|are|am|was|were|do|does|did|can|could|may|might|must|need|has|have|had|will|would|shall|should)"
    r"(?:n['’]?t)?|(?:can|won)['’]?t|cannot"
)
_YES_OR_NO = re.compile(rf"^(?:(?:and|but|so|then|also),? )?(?:{_AUXILIARY})\b|吗\W*$", re.IGNORECASE)
_MAYBE = re.compile(
    rf"\bwhether\b|\b(?:{_AUXILIARY})\b.*\?\W*$|[是能可会应]否|有无|有没有|([\u4e00-\u9fff])不\1(?!不)|[么嘛]？\W*$",
    re.IGNORECASE,
)
"""What makes a question one of yes or no unless it holds a word of `_ASKING`."""
_ASKING = re.compile(
    r"\b(?:who|whom|whose|what|when|where|which|why|how)\b|谁|什么|哪|多少|怎|如何|为[何啥]|何[时年地处]"
    r"|多[大长高远久深宽重快]",
    re.IGNORECASE,
)
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


def asks_yes_or_no(question: str) -> bool:
    """Return whether yes or no would answer the question, in English or Chinese, however it is put."""
    asked = question.strip()
    return bool(_YES_OR_NO.search(asked) or (_MAYBE.search(asked) and not _ASKING.search(asked)))
