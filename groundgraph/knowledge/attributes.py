"""What a filter asks of a document: its language, its date, and the fields of its metadata."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date

from groundgraph.knowledge.document import JSON
from groundgraph.knowledge.keywords import STOP_WORDS
from groundgraph.knowledge.languages import primary_language
from groundgraph.knowledge.sources import one_line

LONGEST_LANGUAGE = 100
"""Most characters of a language."""
_SAMPLE = 4000
_LONGEST = 500
"""Characters of a field's value that is worth asking for; a text kept in the metadata is not."""
_ENGLISH = 0.1
"""Share of stop words that English of some length has at least; running text has 40 to 50 %."""
_SHORT = 20
"""Words up to which a text may have no stop word and be English: a title, a label, a line of a table."""
_NOT_ENGLISH = (
    frozenset(
        """de la le les des du une est et dans pour que qui sur avec pas aux ce cette sont il elle nous vous
    der das und ist nicht ein eine mit auf von dem den zu im auch sich wie bei oder
    el los las del en con para por es su se como y o os um uma do da em com che di per della non sono gli nel alla
    het een van niet op dat met zijn voor och det som av att jest nie na bir ve yang dan untuk""".split()
    )
    - STOP_WORDS
)
"""Words that other languages in Latin script cannot do without."""
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]"), 0.1),
    ("ko", re.compile("[\uac00-\ud7af]"), 0.3),
    ("zh", re.compile("[\u3400-\u9fff\uf900-\ufaff]"), 0.3),
)
_LETTER = re.compile(r"[^\W\d_]")
_LATIN_WORD = re.compile(r"[a-zA-Z\u00c0-\u024f]+")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_WEEKDAY = r"\s*(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b[.,]*\s*)?"
_DATES = [
    re.compile(form, re.IGNORECASE)
    for form in (
        r"\s*(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})(?!\d)",
        r"\s*(?P<year>\d{4})(?:\s*[-/.年]\s*(?P<month>\d{1,2})(?:\s*[-/.月]\s*(?P<day>\d{1,2}))?)?(?!\d)",
        r"\s*(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})(?!\d)",
        rf"{_WEEKDAY}(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?[\s-]+(?:of\s+)?)?{_MONTH}[\s,-]+(?P<year>\d{{4}})(?!\d)",
        rf"{_WEEKDAY}{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})(?!\d)",
    )
]
"""The ways of writing a date that are understood; it stands at the beginning."""


def language_of(text: str, metadata: Mapping[str, JSON]) -> str:
    """Return the code of a document's language: what `lang` or `language` says, else by script and common words.

    Chinese, Japanese, Korean and English are told. Latin script is English unless words or accents of another language
    outweigh the English ones, or a text of some length has hardly any. Any other language that is not stated gives "".
    """
    for key in ("lang", "language"):
        stated = metadata.get(key)
        if isinstance(stated, str) and stated.strip():
            return one_line(primary_language(stated))[:LONGEST_LANGUAGE]
    sample = text[:_SAMPLE]
    letters = len(_LETTER.findall(sample))
    for code, script, share in _SCRIPTS:
        if letters and len(script.findall(sample)) >= share * letters:
            return code
    words = [word.lower() for word in _LATIN_WORD.findall(sample)]
    return "en" if words and 2 * sum(map(len, words)) > letters and _is_english(words) else ""


def _is_english(words: Sequence[str]) -> bool:
    """Tell whether lower-case words in Latin script are English, as far as their common words tell."""
    english = sum(word in STOP_WORDS for word in words)
    other = sum(word in _NOT_ENGLISH or not word.isascii() for word in words)
    return english >= other and (len(words) <= _SHORT or english >= _ENGLISH * len(words))


def date_of(metadata: Mapping[str, JSON]) -> str:
    """Return the first of `date`, `published`, `updated` and `created` that is a date, as YYYY-MM-DD; "" if none is.

    Understood are `2024-05-31`, `2024/5/31`, `20240531`, `2024年5月31日`, `31.5.2024`, `31 May 2024` and `May 31,
    2024`, with a weekday before and a time behind. A month or a year alone counts as its first day. `5/6/2024` is no
    date, since some begin with the month and some with the day.
    """
    for key in ("date", "published", "updated", "created"):
        if day := _day(str(metadata.get(key, ""))):
            return day
    return ""


def fields_of(metadata: Mapping[str, JSON], path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the fields that a filter can ask for, with their values as text.

    A list gives one field of each item; a field of an object is named `outer.inner`.
    """
    for key, value in metadata.items():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                yield from fields_of(item, f"{path}{key}.")
            elif item is not None and not isinstance(item, list) and len(text := as_text(item)) <= _LONGEST:
                yield path + key, text


def as_text(value: str | bool | int | float) -> str:
    """Return a value as a filter compares it: 2024 is "2024", true is "true", and an accent is part of its letter."""
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else json.dumps(value)


def _day(stated: str) -> str:
    """Return what a text begins with as YYYY-MM-DD, or "" if that is no date."""
    for form in _DATES:
        if match := form.match(stated):
            parts = match.groupdict("1")
            month = parts["month"]
            number = int(month) if month.isdecimal() else _MONTHS.index(month[:3].lower()) + 1
            with suppress(ValueError):  # no such day
                return date(int(parts["year"]), number, int(parts["day"])).isoformat()
    return ""
