"""HTML as Markdown: the article of a page, without what no reader sees."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from groundgraph.errors import LoadError
from groundgraph.knowledge.decode import clean, decode
from groundgraph.knowledge.document import LoadedDocument, hidden_parts
from groundgraph.knowledge.properties import Properties
from groundgraph.knowledge.tables import make_plain

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_BOILERPLATE = (
    "title script style noscript template nav footer aside iframe svg button select dialog canvas rt rp".split()
)
_BOILERPLATE_ROLES = {"navigation", "contentinfo", "complementary", "search", "dialog"}
_OWN_HEADER = ["article", "main", "section"]
"""Elements whose header is not that of the page."""
_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_ZERO = r"\s*:\s*(?:0+(?:\.0*)?|\.0+)(?:px|r?em|pt|%)?\s*(?:!|;|$)"
_HIDING_STYLE = re.compile(
    rf"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:opacity|font-size){_ZERO}|"
    r"text-indent\s*:\s*-\d{3}|(?:margin-)?(?:left|right|top|bottom)\s*:\s*-(?:9\d\d|\d{4}))",
    re.IGNORECASE,
)
_NO_SIZE = re.compile(rf"(?:^|;)\s*(?:max-)?(?:height|width){_ZERO}", re.IGNORECASE)
_CLIPPED = re.compile(r"(?:^|;)\s*overflow(?:-[xy])?\s*:\s*(?:hidden|clip)", re.IGNORECASE)
_STYLE_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_AUTHOR = ("author", "dc.creator", "dcterms.creator", "citation_author")
_KEYWORDS = ("keywords", "article:tag", "dc.subject", "news_keywords")
_PUBLISHED = (
    "article:published_time",
    "date",
    "dc.date",
    "dcterms.date",
    "dc.date.issued",
    "citation_publication_date",
)
_UPDATED = ("article:modified_time", "og:updated_time", "dcterms.modified", "last-modified")
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+\n")


class Article(NamedTuple):
    """What a page says: its article as Markdown, how many characters were hidden, and what it states of itself."""

    text: str
    hidden: int
    properties: Properties


def html_document(data: bytes, source: str, charset: str | None = None) -> LoadedDocument:
    """Return the article of an HTML page as Markdown, without navigation, scripts, forms, hidden text and the like.

    Args:
        data: The page.
        source: Where it stands.
        charset: Encoding that the server declares; goes before the one that the page declares.

    Raises:
        LoadError: The page holds no text.
    """
    article = read_article(data, charset)
    if not article.text:
        raise LoadError(
            "no text but what is hidden; save the page as a reader sees it" if article.hidden else "no text"
        )
    return LoadedDocument(
        source,
        article.text,
        title=article.properties.stated_title,
        metadata=article.properties.metadata(article.text),
        format="markdown",
        hidden=hidden_parts(character=article.hidden),
    )


def read_article(data: bytes, charset: str | None = None) -> Article:
    """Return the article of an HTML page, whose text may be empty; see `html_document`.

    Raises:
        LoadError: It is no text.
    """
    from bs4 import BeautifulSoup
    from bs4.dammit import EncodingDetector

    text = decode(data, charset or EncodingDetector.find_declared_encoding(data, is_html=True))
    if text is None:
        raise LoadError("binary, not text")
    page = BeautifulSoup(text, "html.parser")
    properties = _properties(page)
    _remove_boilerplate(page)
    hidden = _remove_hidden(page)
    _remove_forms(page)
    head = _take_head(page)
    article = _article(page)
    if not article.find("h1"):
        for tag in reversed(head):
            article.insert(0, tag)
    return Article(html_as_markdown(article), hidden, properties)


def html_as_markdown(node: "Tag") -> str:
    """Return what stands in an element as Markdown, without links and images."""
    from markdownify import MarkdownConverter

    converter = MarkdownConverter(
        heading_style="ATX",
        bullets="-",
        strip=["img", "a"],
        escape_underscores=False,
        escape_asterisks=False,
        table_infer_header=True,
    )
    try:
        make_plain(node)
        text = converter.convert_soup(node)
    except RecursionError:  # a thousand <p> that are never closed
        text = node.get_text("\n\n")
    return _BLANK_LINES.sub("\n\n", clean(text)).strip()


def _properties(page: "BeautifulSoup") -> Properties:
    stated: dict[str, list[str]] = {}
    for tag in page("meta"):
        name = tag.get("name") or tag.get("property") or tag.get("http-equiv")
        stated.setdefault(str(name).lower(), []).append(str(tag.get("content", "")))
    root = page.html
    return Properties(
        title=page.title.get_text(" ", strip=True) if page.title else next(_of(stated, ("og:title",)), ""),
        authors=list(_of(stated, _AUTHOR)),
        keywords=list(_of(stated, _KEYWORDS)),
        language=str(root.get("lang", "")) if root else "",
        date=next(_of(stated, _PUBLISHED), ""),
        updated=next(_of(stated, _UPDATED), ""),
    )


def _of(stated: dict[str, list[str]], names: tuple[str, ...]) -> Iterator[str]:
    """Yield what a page states under some names, in their order."""
    return (text for name in names for text in stated.get(name, ()) if text.strip())


def _remove_boilerplate(page: "BeautifulSoup") -> None:
    for tag in page(_BOILERPLATE):
        tag.decompose()
    for tag in page(lambda tag: tag.get("role") in _BOILERPLATE_ROLES):
        tag.decompose()


def _remove_forms(page: "BeautifulSoup") -> None:
    """Remove the forms, but those that are around the page itself."""
    whole = _length(page)
    for form in page("form"):
        if not form.decomposed and not form.find(["h1", "main", "article"]) and _length(form) <= whole / 2:
            form.decompose()


def _take_head(page: "BeautifulSoup") -> "list[Tag]":
    """Remove the headers of the page, and return the headings and paragraphs of those that hold its main heading."""
    kept: list[Tag] = []
    for header in page(lambda tag: tag.name == "header" or tag.get("role") == "banner"):
        if header.decomposed or header.find_parent(_OWN_HEADER) or header.find(["article", "main"]):
            continue
        if header.find("h1"):
            kept += [tag.extract() for tag in header([*_HEADINGS, "p"])]
        header.decompose()
    return kept


def _remove_hidden(page: "BeautifulSoup") -> int:
    """Remove the elements that are hidden by attributes of their own, and return how many characters stood in them."""
    removed = 0
    for tag in page(_is_hidden):
        if not tag.decomposed:
            removed += len("".join(tag.get_text().split()))
            tag.decompose()
    return removed


def _is_hidden(tag: "Tag") -> bool:
    hidden = tag.get("hidden")
    return (
        (hidden is not None and str(hidden).lower() != "until-found")
        or str(tag.get("aria-hidden")).lower() == "true"
        or _hides(_STYLE_COMMENT.sub("", str(tag.get("style", ""))))
    )


def _hides(style: str) -> bool:
    return bool(_HIDING_STYLE.search(style) or (_NO_SIZE.search(style) and _CLIPPED.search(style)))


def _article(page: "BeautifulSoup") -> "Tag":
    """Return the only `main` or `article` of a page if it has most of its text, else the page's body."""
    body = page.body or page
    for name in ("main", "article"):
        found = [tag for tag in page(name) if _length(tag) and not tag.find_parent(name)]
        if len(found) == 1 and _length(found[0]) > _length(body) / 2:
            return found[0]
    return body


def _length(tag: "Tag") -> int:
    return len("".join(tag.get_text().split()))
