"""E-mail messages, and web pages that were saved as such."""

from email import message_from_bytes, policy
from email.errors import MessageError
from email.message import MIMEPart
from email.utils import getaddresses, parsedate_to_datetime

from groundgraph.errors import LoadError
from groundgraph.knowledge.decode import clean, decode
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.html import html_document
from groundgraph.knowledge.properties import Properties

_ODD: tuple[type[Exception], ...] = (MessageError, LookupError, ValueError, TypeError, AttributeError)
"""What the standard library raises for headers that are not as they should be."""
_SHOWN = ("From", "To", "Cc", "Date", "Subject")


def mail_document(data: bytes, source: str) -> LoadedDocument:
    """Return a message: its headers, then its text, or else its page as Markdown; attachments are only named.

    Raises:
        LoadError: It is damaged, or holds no text.
    """
    try:
        message = message_from_bytes(data, policy=policy.default)
        body = message.get_body(("plain", "html"))
        headers = {name: clean(str(message[name])).strip() for name in _SHOWN if message[name]}
        attached = [clean(one.get_filename() or one.get_content_type()) for one in message.iter_attachments()]
        text = _text(body, source) if body is not None else None
    except _ODD as error:
        raise LoadError(f"damaged e-mail ({' '.join(str(error).split())[:120]})") from error
    if text is None or not text.text.strip():
        raise LoadError("no text; save its attachments, or the message without encryption")
    lines = [f"{name}: {value}" for name, value in headers.items()]
    lines += [f"Attachments: {', '.join(attached)}"] if attached else []
    written = "\n".join(lines)
    stated = Properties(
        title=headers.get("Subject", ""),
        authors=[name or address for name, address in getaddresses([headers.get("From", "")])],
        date=_day(headers.get("Date", "")),
    )
    return LoadedDocument(
        source,
        f"{written}\n\n{text.text}" if written else text.text,
        title=stated.stated_title or text.title,
        metadata={**stated.metadata(text.text), **({"attachments": [*attached]} if attached else {})},
        format=text.format,
        hidden=text.hidden,
    )


def _text(body: MIMEPart, source: str) -> LoadedDocument:
    payload = body.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    charset = body.get_content_charset()
    if body.get_content_type() == "text/html":
        return html_document(data, source, charset)
    return LoadedDocument(source, decode(data, charset) or "")


def _day(written: str) -> str:
    try:
        return parsedate_to_datetime(written).date().isoformat()
    except (ValueError, TypeError):
        return ""
