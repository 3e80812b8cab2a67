"""What a search provider sends, as passages: cleaned, short, each with the address it came from."""

import html
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from groundgraph.errors import LoadError
from groundgraph.knowledge.decode import clean
from groundgraph.knowledge.html import read_article
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.sentences import sentences

MAX_CHARACTERS = 2_000
"""Longest text taken of one result, and longest address."""
MAX_TITLE = 200

_TAG = re.compile(
    r"</?(?:a|article|b|body|br|code|div|em|h[1-6]|head|html|i|img|li|main|nav|ol|p|pre|script|section|span|strong"
    r"|style|sub|sup|svg|table|tbody|td|th|tr|u|ul)(?:\s[^<>]*)?/?>|<!--",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"</?(?:b|em|i|mark|strong|u)(?:\s[^<>]*)?>", re.IGNORECASE)
"""Marks the words of the query, which is no part of the text."""
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069]")
_SPACES = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r" ?\n\s*\n\s*")


def web_passages(results: Iterable[Any], k: int) -> list[Passage]:
    """Return at most `k` passages of results, which are mappings with `url`, `title` and `content`.

    Left out is a result without text, one that was there before, and one whose `url` is no plain http or https
    address: it could not be cited.
    """
    found: dict[str, Passage] = {}
    for result in results:
        if len(found) == k:
            break
        passage = _passage(result) if isinstance(result, dict) else None
        if passage:
            found.setdefault(passage.source, passage)
    return [*found.values()]


def cleaned(text: object) -> str:
    """Return what a reader would see of a text that may be HTML: no tags, scripts, menus or hidden characters."""
    if not isinstance(text, str):
        return ""
    if _TAG.search(text):
        try:
            text = read_article(_EMPHASIS.sub("", text).encode("utf-8", "ignore"), "utf-8").text
        except LoadError:  # what is binary says nothing
            return ""
    else:
        text = html.unescape(text)
    return _BLANK_LINES.sub("\n\n", _SPACES.sub(" ", without_unseen(text))).strip()


def without_unseen(text: str) -> str:
    """Return a text without control characters, and without those that hide text or turn it round."""
    return _UNSEEN.sub("", clean(text))


def _passage(result: dict[str, Any]) -> Passage | None:
    address = result.get("url")
    if not isinstance(address, str) or not _is_citable(address):
        return None
    text = _cut(cleaned(result.get("content")))
    if not text:
        return None
    title = " ".join(cleaned(result.get("title")).split())[:MAX_TITLE]
    return Passage(id=address, page_content=text, source=address, heading=title, end=len(text), origin="web")


def _is_citable(address: str) -> bool:
    """Tell whether an address can be shown and followed: no script, file, login, white space or hidden character."""
    if not address.isprintable() or " " in address or len(address) > MAX_CHARACTERS:
        return False
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.username is None


def _cut(text: str) -> str:
    """Return the whole sentences at the beginning of a long text: half a number would be another one."""
    if len(text) <= MAX_CHARACTERS:
        return text
    spans = sentences(text[:MAX_CHARACTERS])
    return text[: spans[-2][1]] if len(spans) > 1 else text[:MAX_CHARACTERS]
