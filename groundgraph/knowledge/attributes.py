"""What a filter asks of a document: its language, its date, and the fields of its metadata."""

import json
import re
from collections.abc import Iterator, Mapping

from groundgraph.knowledge.document import JSON
from groundgraph.knowledge.keywords import STOP_WORDS

_SAMPLE = 4000
_LONGEST = 500
"""Characters of a field's value that is worth asking for; a text kept in the metadata is not."""
_ENGLISH = 0.25
"""Share of stop words from which words in Latin script are English: it has 40 to 50 %, its neighbours below 15."""
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]"), 0.1),
    ("ko", re.compile("[\uac00-\ud7af]"), 0.3),
    ("zh", re.compile("[\u3400-\u9fff\uf900-\ufaff]"), 0.3),
)
_LETTER = re.compile(r"[^\W\d_]")
_LATIN_WORD = re.compile(r"[a-zA-Z\u00c0-\u024f]+")
_DATE = re.compile(r"\s*(\d{4})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2}))?)?(?!\d)")


def language_of(text: str, metadata: Mapping[str, JSON]) -> str:
    """Return the code of a document's language: what `lang` or `language` says, else by script and stop words.

    Chinese, Japanese, Korean and English are told; any other language that is not stated gives "".
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
    return "en" if words and sum(word in STOP_WORDS for word in words) >= _ENGLISH * len(words) else ""


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
            if 1 <= month <= 12 and 1 <= day <= 31:
                return f"{year:04}-{month:02}-{day:02}"
    return ""


def fields_of(metadata: Mapping[str, JSON]) -> Iterator[tuple[str, str]]:
    """Yield the fields that a filter can ask for, one of each item of a list, with their values as text."""
    for key, value in metadata.items():
        for item in value if isinstance(value, list) else [value]:
            if item is not None and not isinstance(item, dict | list) and len(text := as_text(item)) <= _LONGEST:
                yield key, text


def as_text(value: str | bool | int | float) -> str:
    """Return a value as a filter compares it, so that 2024 is "2024", and true is "true"."""
    return value if isinstance(value, str) else json.dumps(value)
