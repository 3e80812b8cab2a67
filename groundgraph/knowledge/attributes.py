"""What a filter asks of a document: its language, its date, and the fields of its metadata."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date

from groundgraph.knowledge.document import JSON
from groundgraph.knowledge.keywords import STOP_WORDS

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
_DATE = re.compile(r"\s*(\d{4})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2}))?)?(?!\d)")


def language_of(text: str, metadata: Mapping[str, JSON]) -> str:
    """Return the code of a document's language: what `lang` or `language` says, else by script and common words.

    Chinese, Japanese, Korean and English are told. Latin script is English unless words or accents of another language
    outweigh the English ones, or a text of some length has hardly any. Any other language that is not stated gives "".
    """
    for key in ("lang", "language"):
        stated = metadata.get(key)
        if isinstance(stated, str) and stated.strip():
            return primary_language(stated)
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


def primary_language(code: str) -> str:
    """Return the language of a tag without script and region: `zh` of `zh-Hant-TW` and `ZH_cn`."""
    return re.split(r"[-_]", code.strip().casefold(), maxsplit=1)[0]


def date_of(metadata: Mapping[str, JSON]) -> str:
    """Return the first of `date`, `published`, `updated` and `created` that is a date, as YYYY-MM-DD; "" if none is.

    A month or a year alone counts as its first day.
    """
    for key in ("date", "published", "updated", "created"):
        match = _DATE.match(str(metadata.get(key, "")))
        if match:
            year, month, day = (int(part or 1) for part in match.groups())
            with suppress(ValueError):  # no such day: the next field may have one
                return date(year, month, day).isoformat()
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
    """Return a value as a filter compares it, so that 2024 is "2024", and true is "true"."""
    return value if isinstance(value, str) else json.dumps(value)
