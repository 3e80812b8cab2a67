"""Words as the keyword leg and the lexical features see them, English and Chinese alike.

Text is folded (NFKC, case, accents) and cut into words; Chinese words get simplified characters. Scripts written
without spaces become overlapping bigrams: 检索增强 gives 检索, 索增, 增强. An identifier (`gpt-4o`, `snake_case`)
is kept whole and also given in parts, so that either way of writing it finds it.
"""

import re
import unicodedata
from collections.abc import Iterator

from groundgraph.knowledge.variants import simplified

CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af"
)
"""Characters of Chinese, Japanese and Korean words, as the inside of a regular-expression class."""

_ACCENTS = re.compile("[\u0300-\u036f]")
_UNSEEN = re.compile("[\u00ad\u034f\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]")
"""Soft hyphens, characters of no width, and marks that choose a variant of a character."""
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters that are written otherwise where the keyboard lacks them, and that no accent is parted from."""
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3}(?!\d))")  # begins with the comma, which the engine can skip to
_GROUPED = re.compile(r"(?<![\d.,])[0-9]{1,3}(?:,[0-9]{3})+(?!\d|\.\d)")
_ZEROS = re.compile(",0")
_WORD = rf"(?:(?![{CJK}])\w)+"
_TOKEN = re.compile(rf"[{CJK}]+|\.?{_WORD}(?:[-./:@+&'’]{_WORD})*(?:\+\+|#)?")
_PART = re.compile(rf"(?:(?![{CJK}_])\w)+")
_MAX_TERMS = 200
_IS_CJK = re.compile(rf"[{CJK}]")

STOP_WORDS = frozenset(
    """a about after all also am an and any are as at be because been before being between both but by can could did
    do does doing down during each few for from further had has have having he her here hers him his how i if in into
    is it its itself just me more most my no nor not of off on once only or other our out over own please same she
    should so some such tell than that the their them then there these they this those through to too under until up
    us very was we were what when where which while who whom whose why will with would you your s t""".split()
)
_CHINESE_FUNCTION = frozenset(
    "的了是在和与及或吗呢吧啊么什哪谁怎何为有个这那些其之于对从把被就都也还请问您你我他她它们几"
)


def fold(text: str) -> str:
    """Return `text` in one form for all its spellings: NFKC, case folded, `1,000` as `1000`.

    Accents and what is not seen are dropped, and letters such as ł, ø, ß and æ are written l, o, ss and ae.
    """
    text = unicodedata.normalize("NFKC", text).casefold()
    if not text.isascii():
        text = _UNSEEN.sub("", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))
        text = unicodedata.normalize("NFC", text).translate(_LETTERS)
    return _THOUSANDS.sub("", text)


def tokens(text: str) -> list[str]:
    """Return the words of `text` in order, repeats kept; none holds a space or a quotation mark.

    A word of a script without spaces gives its bigrams, or itself if it is one character long. An identifier gives
    itself, then its parts.
    """
    return [token for word in _words(text) for token in _pieces(word)]


def index_terms(text: str) -> list[str]:
    """Return the words of `text` to be found by: its tokens, and what can be asked for without being one.

    That is the last character of each word without spaces, so that every character asked for alone begins something:
    猫 stands in 我喜欢猫 only at the end of a bigram. And each part of a number such as 80,443, which may be two.
    """
    found = [part for group in _GROUPED.findall(text) if not _ZEROS.search(group) for part in group.split(",")]
    for word in _words(text):
        found += _pieces(word)
        if len(word) > 1 and _IS_CJK.match(word):
            found.append(word[-1])
    return found


def query_terms(question: str) -> list[str]:
    """Return the distinct words of `question` worth looking for, in order; empty if it holds only punctuation.

    Stop words of English and Chinese are dropped, unless nothing else is left.
    """
    terms = list(dict.fromkeys(tokens(question)))
    return [term for term in terms if not is_stop_word(term)] or terms


def is_stop_word(token: str) -> bool:
    """Tell whether a token of `tokens` says nothing about the subject: `the`, `的`, `什么`."""
    return token in STOP_WORDS or _CHINESE_FUNCTION.issuperset(token)


def match_expression(question: str) -> str | None:
    """Return the FTS5 query that finds any of the first 200 terms of `question`; None if it has no term.

    A Chinese character asked for alone matches the bigrams that begin with it.
    """
    terms = query_terms(question)[:_MAX_TERMS]
    return " OR ".join(f'"{term}"*' if _IS_CJK.fullmatch(term) else f'"{term}"' for term in terms) or None


def _words(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(fold(text)):
        word = match.group()
        yield simplified(word) if _IS_CJK.match(word) else word


def _pieces(word: str) -> Iterator[str]:
    if _IS_CJK.match(word):
        yield from (word[i : i + 2] for i in range(max(1, len(word) - 1)))
        return
    yield word
    parts = _PART.findall(word)
    if parts != [word]:
        yield from parts
