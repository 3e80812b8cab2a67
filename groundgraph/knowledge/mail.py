"""E-mail messages, and web pages that were saved as such."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.errors import MessageError
from email.message import MIMEPart
from email.utils import getaddresses, parsedate_to_datetime

from groundgraph.errors import LoadError
from groundgraph.knowledge.decode import clean, decode
from groundgraph.knowledge.document import JSON, Format, LoadedDocument, hidden_parts
from groundgraph.knowledge.html import read_article
from groundgraph.knowledge.keywords import CJK
from groundgraph.knowledge.properties import Properties

_ODD: tuple[type[Exception], ...] = (
    *(MessageError, LookupError, ValueError, TypeError, AttributeError),
    RecursionError,
)
"""What the standard library raises for headers and parts that are not as they should be."""
_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_WORD = re.compile(rf"[{CJK}]|\w+")
_SAME = 0.5
"""Share of a page's words from which the plain text beside it is the same message, not a note that there is a page."""


@dataclass
class _Content:
    """What a message or a part of it says, and what is attached to it."""

    texts: list[str] = field(default_factory=list)
    attached: list[str] = field(default_factory=list)
    format: Format = "text"
    hidden: int = 0
    title: str = ""

    @property
    def text(self) -> str:
        return "\n\n".join(self.texts)

    def add(self, other: "_Content") -> None:
        self.texts += other.texts
        self.attached += other.attached
        self.format = "markdown" if "markdown" in (self.format, other.format) else "text"
        self.hidden += other.hidden
        self.title = self.title or other.title


def mail_document(data: bytes, source: str) -> LoadedDocument:
    """Return a message: its headers, then its texts in their order; attachments are only named.

    Of a text that is there in several forms the plain one is taken, unless it says something else than the page. A
    message that is forwarded as a part of this one is read like it.

    Raises:
        LoadError: It is damaged, or holds no text.
    """
    try:
        message = message_from_bytes(data, policy=policy.default)
        headers = _headers(message)
        content = _content(message)
    except _ODD as error:
        raise LoadError(f"damaged e-mail ({' '.join(str(error).split())[:120]})") from error
    if not content.text:
        raise LoadError("no text; save its attachments, or the message without encryption")
    lines = [f"{name}: {value}" for name, value in headers.items()]
    lines += [f"Attachments: {', '.join(content.attached)}"] if content.attached else []
    attachments: dict[str, JSON] = {"attachments": [*content.attached]} if content.attached else {}
    stated = Properties(
        title=headers.get("Subject", ""),
        authors=[name or address for name, address in getaddresses([headers.get("From", "")])],
        date=_day(headers.get("Date", "")),
    )
    return LoadedDocument(
        source,
        "\n\n".join(filter(None, ["\n".join(lines), content.text])),
        title=stated.stated_title or content.title,
        metadata=stated.metadata(content.text) | attachments,
        format=content.format,
        hidden=hidden_parts(character=content.hidden),
    )


def _headers(message: MIMEPart) -> dict[str, str]:
    return {name: clean(str(message[name])).strip() for name in _SHOWN if message[name]}


def _content(part: MIMEPart) -> _Content:
    """Return what a part says, with the parts in it; what is attached, or is no text, is named."""
    kind = part.get_content_type()
    if kind == "message/rfc822":
        return _forwarded(part)
    if kind == "multipart/alternative":
        return _best([_content(one) for one in part.iter_parts()])
    if kind in {"text/plain", "text/html"} and not part.is_attachment() and not part.get_filename():
        return _text(part)
    if not part.is_multipart():
        return _Content(attached=[clean(part.get_filename() or kind)])
    content = _Content()
    for one in _root(part) if kind == "multipart/related" else part.iter_parts():
        content.add(_content(one))
    return content


def _forwarded(part: MIMEPart) -> _Content:
    content = _Content()
    for message in part.iter_parts():
        content.texts.append("\n".join(f"{name}: {value}" for name, value in _headers(message).items()))
        content.add(_content(message))
    return content


def _root(related: MIMEPart) -> Iterator[MIMEPart]:
    """Yield the page of a page with its images, and what is attached to it all the same."""
    parts = list(related.iter_parts())
    start = related.get_param("start")
    root = next((one for one in parts if start and one["content-id"] == start), parts[0] if parts else None)
    return (one for one in parts if one is root or one.is_attachment())


def _best(forms: list[_Content]) -> _Content:
    """Return the form of a text that says most: the last page, or the plain text if that has the page's words."""
    plain = next((one for one in forms if one.text and one.format == "text"), None)
    page = next((one for one in reversed(forms) if one.text and one.format == "markdown"), None)
    if plain is None or page is None:
        return plain or page or _Content()
    words = set(_WORD.findall(page.text))
    is_same = len(words.intersection(_WORD.findall(plain.text))) >= _SAME * len(words)
    return plain if is_same else page


def _text(part: MIMEPart) -> _Content:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset()
    if part.get_content_type() == "text/plain":
        text = (decode(data, charset) or "").strip()
        return _Content([text] if text else [])
    page = read_article(data, charset)
    return _Content([page.text] if page.text else [], [], "markdown", page.hidden, page.properties.stated_title)


def _day(written: str) -> str:
    try:
        return parsedate_to_datetime(written).date().isoformat()
    except (ValueError, TypeError):
        return ""
