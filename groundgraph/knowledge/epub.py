"""E-books in EPUB as Markdown, chapter after chapter."""

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import unquote
from zipfile import ZipFile

from groundgraph.errors import LoadError
from groundgraph.knowledge.document import LoadedDocument, hidden_parts
from groundgraph.knowledge.html import Article, read_article
from groundgraph.knowledge.ooxml import opened, parse
from groundgraph.knowledge.properties import Properties

if TYPE_CHECKING:
    from lxml.etree import _Element

_ENCRYPTED = "META-INF/encryption.xml"
_DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
_PAGES = {"application/xhtml+xml", "text/html"}


def epub_document(data: bytes, source: str) -> LoadedDocument:
    """Return an e-book as Markdown, in the order in which it is read.

    Raises:
        LoadError: It is damaged, protected, or holds no text.
    """
    with opened(data, "epub") as file:
        archive = ZipFile(file)
        container = parse(archive.read("META-INF/container.xml"))
        place = next((str(one.get("full-path")) for one in container.iter("{*}rootfile")), "")
        book = parse(archive.read(place))
        chapters = list(_chapters(archive, book, posixpath.dirname(place)))
    text = "\n\n".join(chapter.text for chapter in chapters if chapter.text)
    if not text:
        raise LoadError("no text")
    stated = _properties(book)
    return LoadedDocument(
        source,
        text,
        title=stated.stated_title,
        metadata=stated.metadata(text),
        format="markdown",
        hidden=hidden_parts(character=sum(chapter.hidden for chapter in chapters)),
    )


def _chapters(archive: ZipFile, book: "_Element", folder: str) -> Iterator[Article]:
    """Yield the pages that the book's spine names, in its order."""
    pages = {
        one.get("id"): posixpath.normpath(posixpath.join(folder, unquote(str(one.get("href")))))
        for one in book.iter("{*}item")
        if one.get("media-type") in _PAGES
    }
    for one in book.iter("{*}itemref"):
        if page := pages.get(one.get("idref")):
            try:
                yield read_article(archive.read(page))
            except LoadError as error:
                if _ENCRYPTED in archive.namelist():
                    raise LoadError("a copy-protected e-book; index one without protection") from error
                raise


def _properties(book: "_Element") -> Properties:
    stated: dict[str, list[str]] = {}
    for one in book.iter(f"{_DUBLIN_CORE}*"):
        stated.setdefault(str(one.tag).removeprefix(_DUBLIN_CORE), []).append(one.text or "")
    return Properties(
        title=stated.get("title", [""])[0],
        authors=stated.get("creator", []),
        keywords=stated.get("subject", []),
        language=stated.get("language", [""])[0],
        date=stated.get("date", [""])[0],
    )
