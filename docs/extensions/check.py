"""Warn of whatever a built page loads from outside, and of each link within the site that leads nowhere."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

LOADING = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "embed": "src"}
LOADING |= {"video": "src", "audio": "src", "object": "data", "image": "href", "use": "href", "form": "action"}
"""The attribute with which an element of this name loads something."""
STYLED = re.compile(r"@import\s+(?:url\()?\s*[\"']?([^\"');\s]+)|url\(\s*[\"']?([^\"')]+)")
INSIDE = {"", "data"}


def problems(site: Path) -> Iterator[str]:
    """Yield a line for each thing that is loaded from outside, and for each file or anchor that is not there."""
    for page in sorted(site.rglob("*.html")):
        yield from (f"{page.relative_to(site)}: {problem}" for problem in _of_page(page))
    for sheet in sorted([*site.rglob("*.css"), *site.rglob("*.svg")]):
        for address in _styled(sheet.read_text(encoding="utf-8")):
            yield from (f"{sheet.relative_to(site)}: {problem}" for problem in _of_load(sheet, address))


def _of_page(page: Path) -> Iterator[str]:
    html = _parsed(page)
    for element in html.find_all(list(LOADING)):
        if address := element.get(LOADING[element.name]):
            yield from _of_load(page, str(address))
    for text in (*(style.text for style in html.find_all("style")), *(e["style"] for e in html.select("[style]"))):
        for address in _styled(str(text)):
            yield from _of_load(page, address)
    for link in html.select("a[href]"):
        address = urlsplit(str(link["href"]))
        if not address.scheme and not address.netloc:
            yield from _of_link(page, unquote(address.path), unquote(address.fragment))


def _styled(text: str) -> Iterator[str]:
    return (imported or loaded for imported, loaded in STYLED.findall(text))


def _of_load(file: Path, address: str) -> Iterator[str]:
    parts = urlsplit(address)
    if parts.netloc or parts.scheme not in INSIDE:
        yield f"loads {address} from outside"
    elif not parts.scheme and parts.path and not (file.parent / unquote(parts.path)).exists():
        yield f"loads {address}, which is not there"


def _of_link(page: Path, path: str, anchor: str) -> Iterator[str]:
    target = page.parent / path if path else page
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        yield f"links to {path}, which is not there"
    elif anchor and target.suffix == ".html" and anchor not in _anchors(target.resolve()):
        yield f"links to {path}#{anchor}, an anchor that is not there"


@cache
def _anchors(page: Path) -> frozenset[str]:
    return frozenset(str(element["id"]) for element in _parsed(page).select("[id]"))


def _parsed(page: Path) -> BeautifulSoup:
    return BeautifulSoup(page.read_bytes(), "lxml")


def check_site(app: Sphinx, error: Exception | None) -> None:
    """Warn of every problem, which fails a strict build."""
    if error is None and app.builder.format == "html":
        for problem in problems(Path(app.outdir)):
            logger.warning(problem, type="site")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("build-finished", check_site)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
