"""A page with nav "Home Login", script, style and article "Sky is blue." → only the article.

A URL serving application/pdf → read as PDF.
"""

import pytest

from groundgraph.knowledge import address
from groundgraph.knowledge.load import load, read
from tests.pdf import pdf
from tests.site import Page, site

PAGE = """<!doctype html><html><head><title>Sky</title><style>p { color: red }</style></head><body>
<header>Site name</header><nav><a href="/">Home</a> <a href="/login">Login</a></nav>
<article><header><h1>The sky</h1></header><p>Sky is blue.</p><script>track("x")</script></article>
<aside>Related</aside><form><input value="q">Search</form><div role="navigation">Next page</div>
<footer>Imprint</footer></body></html>"""


def test_only_the_article_is_kept() -> None:
    document = read(PAGE.encode(), "https://example.org/sky", "text/html; charset=utf-8")
    assert (document.title, document.text) == ("Sky", "# The sky\n\nSky is blue.")


def test_without_an_article_the_rest_of_the_page_is_kept() -> None:
    page = PAGE.replace("article>", "div>")
    assert read(page.encode(), "sky.html").text.endswith("Sky is blue.")
    assert "Login" not in read(page.encode(), "sky.html").text


def test_a_pdf_is_known_by_its_media_type() -> None:
    assert read(pdf(["Sky is blue."]), "https://example.org/download?id=1", "application/pdf").text == "Sky is blue."


def test_a_pdf_at_an_address_is_read_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "is_public", lambda ip: ip.is_loopback)
    page = Page(pdf(["Sky is blue."]), headers={"Content-Type": "application/pdf"})
    with site({"/sky.html": page}) as served:
        (document,) = load([f"{served.address}/sky.html"])
    assert getattr(document, "text", None) == "Sky is blue."
