"""HTML and PDF as text."""

import re
from threading import Lock
from typing import TYPE_CHECKING

from groundgraph.errors import LoadError
from groundgraph.knowledge.decode import clean, decode
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.keywords import CJK

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_BOILERPLATE = [
    *("script", "style", "noscript", "template", "nav", "header", "footer", "aside", "form", "iframe", "svg", "button"),
    *("select", "dialog", "canvas"),
]
_BOILERPLATE_ROLES = {"navigation", "banner", "contentinfo", "complementary", "search", "dialog"}
_PDFIUM = Lock()
"""PDFium works for one thread at a time."""
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+\n")
_CJK_WRAP = re.compile(rf"([^\n]{{20,}}[{CJK}，、；：])\n(?=[{CJK}，、。；：！？）」』】》”])")


def html_document(data: bytes, source: str, charset: str | None = None) -> LoadedDocument:
    """Return the article of an HTML page as Markdown, without navigation, scripts, forms and the like.

    Args:
        data: The page.
        source: Where it stands.
        charset: Encoding that the server declares; goes before the one that the page declares.

    Raises:
        LoadError: The page holds no text.
    """
    from bs4 import BeautifulSoup
    from bs4.dammit import EncodingDetector

    text = decode(data, charset or EncodingDetector.find_declared_encoding(data, is_html=True))
    if text is None:
        raise LoadError("binary, not text")
    page = BeautifulSoup(text, "html.parser")
    title = clean(page.title.get_text(" ", strip=True)) if page.title else ""
    markdown = html_as_markdown(_article(page))
    if not markdown:
        raise LoadError("no text")
    return LoadedDocument(source, markdown, title=title, format="markdown")


def html_as_markdown(node: "Tag") -> str:
    """Return what stands in an element as Markdown, without links and images."""
    from markdownify import MarkdownConverter

    converter = MarkdownConverter(
        heading_style="ATX", bullets="-", strip=["img", "a"], escape_underscores=False, escape_asterisks=False
    )
    try:
        text = converter.convert_soup(node)
    except RecursionError:  # a thousand <p> that are never closed
        text = node.get_text("\n\n")
    return _BLANK_LINES.sub("\n\n", clean(text)).strip()


def pdf_document(data: bytes, source: str) -> LoadedDocument:
    """Return the text of a PDF with where its pages start.

    Raises:
        LoadError: It is encrypted, damaged, or has no text.
    """
    with _PDFIUM:
        texts = [_page_text(text) for text in _pdf_pages(data)]
    if not any(texts):
        raise LoadError("no text (image-only PDF; run OCR first)" if texts else "no pages")
    starts = [0]
    for text in texts[:-1]:
        starts.append(starts[-1] + len(text) + 2)
    return LoadedDocument(source, "\n\n".join(texts), pages=tuple(starts))


def _pdf_pages(data: bytes) -> list[str]:
    import pypdfium2

    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        reason = "encrypted; save it without a password" if "password" in str(error).lower() else "damaged PDF"
        raise LoadError(reason) from error
    try:
        return [page.get_textpage().get_text_bounded() for page in pdf]
    except pypdfium2.PdfiumError as error:
        raise LoadError("damaged PDF") from error
    finally:
        pdf.close()


def _page_text(text: str) -> str:
    """Return a page's text with lines of Chinese joined where the layout broke them."""
    return _CJK_WRAP.sub(r"\1", clean(text).replace("\ufffe", "")).strip()


def _article(page: "BeautifulSoup") -> "Tag":
    for tag in page(_BOILERPLATE):
        if not (tag.name == "header" and tag.find_parent(["article", "main"])):
            tag.decompose()
    for tag in page(lambda tag: tag.get("role") in _BOILERPLATE_ROLES):
        tag.decompose()
    for name in ("main", "article"):
        found = page(name)
        if len(found) == 1 and found[0].get_text(strip=True):
            return found[0]
    return page.body or page
