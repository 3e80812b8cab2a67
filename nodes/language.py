"""The language of an answer: Chinese or English."""

import re
from typing import Literal

from state.context import Context

Language = Literal["en", "zh"]

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_KANA_OR_HANGUL = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_WORD = re.compile(r"[^\W\d_]+")


def language_of(text: str, context: Context) -> Language:
    """Return the language to answer `text` in: the context's choice, else the one it is mostly written in."""
    return written_in(text) if context.language == "auto" else context.language


def written_in(text: str) -> Language:
    """Return the language that `text` is mostly written in.

    A question that names an English term ("What is 冰糖?", "RAG 是什么？") goes by the larger part,
    one Han character counting as one word.
    """
    if _KANA_OR_HANGUL.search(text):
        return "en"
    han = len(_HAN.findall(text))
    words = len(_WORD.findall(_HAN.sub(" ", text)))
    return "zh" if han > words else "en"
