"""The pages of web results: read where the run wants it, from public hosts, as text, in parts that fit the query."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from graphs.crag import graph
from groundgraph.knowledge import address, web_pages
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import SearchResult
from groundgraph.knowledge.web_pages import with_pages
from groundgraph.settings import get_settings
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.pdf import pdf
from tests.scripted import scripted
from tests.site import Page, site

HTML = {"Content-Type": "text/html; charset=utf-8"}
FILLER = "".join(f"<h2>Part {n}</h2><p>{'Nothing of the kind stands here. ' * 20}</p>" for n in range(8))
TOWER = f"""<html><title>Paris</title><nav>Tower height login</nav>{FILLER}
<h2>Tower</h2><p>The height of the tower is 330 metres.</p><p hidden>The height of the tower is 1 metre.</p>
{FILLER}<script>tower.height = 2</script></html>""".encode()


@pytest.fixture
def loopback_is_public(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "is_public", lambda ip: ip.is_loopback)


def result(source: str, text: str = "The provider's words.", **fields: Any) -> Passage:
    return passage(text, source, origin="web", heading="Title", **fields)


async def read(pages: dict[str, Page], path: str, query: str = "tower height") -> SearchResult:
    with site(pages) as served:
        return await with_pages([result(f"{served.address}{path}")], query)


@pytest.mark.usefixtures("loopback_is_public")
async def test_the_parts_that_hold_the_words_of_the_query_are_taken() -> None:
    found = await read({"/paris": Page(TOWER, headers=HTML)}, "/paris")
    (part,) = [one for one in found.passages if "330" in one.page_content]
    assert part.page_content == "The height of the tower is 330 metres." and part.heading == "Tower"
    assert part.source.endswith("/paris") and part.origin == "web" and part.id != part.source
    assert len(found.passages) == 1 and found.warnings == [], "no menu, script or hidden text"


@pytest.mark.usefixtures("loopback_is_public")
async def test_chinese_pages_and_plain_text() -> None:
    text = "无关的内容。" * 200 + "\n\n铁塔高三百三十米。\u202e\n\n" + "别的内容。" * 200
    pages = {
        "/page": Page(f"<p>{text}</p>".encode("gb18030"), headers={"Content-Type": "text/html; charset=gb18030"}),
        "/text": Page(text.encode(), headers={"Content-Type": "text/plain"}),
    }
    for path in pages:
        found = await read(pages, path, "铁塔有多高")
        assert any("铁塔高三百三十米。" in one.page_content for one in found.passages)
        assert "\u202e" not in repr(found.passages) and len(found.passages) <= web_pages.PARTS


@pytest.mark.usefixtures("loopback_is_public")
@pytest.mark.parametrize(
    ("page", "said"),
    [
        (Page(status=404), "the server answers 404"),
        (Page(pdf(["The tower's height."]), headers={"Content-Type": "application/pdf"}), "it is 'application/pdf'"),
        (Page(pdf(["The tower's height."]), headers=HTML), "it is 'text/html', and no HTML or plain text"),
        (Page(b"The tower's height."), "it is 'of no type', and no HTML"),
        (Page(b"\x7fELF\x00\x01", headers={"Content-Type": "text/plain"}), "it is 'text/plain', and no HTML or plain"),
        (Page(b" ", headers=HTML), "empty file"),
        (Page(b"x" * 2000, headers=HTML), "larger than 1,000 bytes"),
        (Page(b"drop by drop", headers=HTML, pause=0.1), "took more than 0.3 s"),
        (Page(status=302, headers={"Location": "file:///etc/passwd"}), "redirects to 'file'"),
    ],
)
async def test_a_page_that_is_not_read_leaves_the_providers_words(
    page: Page, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_pages, "MAX_BYTES", 1_000 if said.startswith("larger") else 100_000)
    monkeypatch.setattr(web_pages, "SECONDS", 0.3 if page.pause else 5)
    found = await read({"/page": page}, "/page")
    assert [one.page_content for one in found.passages] == ["The provider's words."]
    (warning,) = found.warnings
    assert warning.startswith("web page http://127.0.0.1:") and said in warning


@pytest.mark.usefixtures("loopback_is_public")
async def test_a_page_without_a_word_of_the_query_leaves_the_providers_words_too() -> None:
    found = await read({"/page": Page(b"<p>Cats purr.</p>", headers=HTML)}, "/page")
    assert [one.page_content for one in found.passages] == ["The provider's words."] and found.warnings == []


async def test_a_result_cannot_reach_into_the_own_network() -> None:
    """Neither by an address of its own, nor by a redirect of a public one."""
    with site({"/": Page(b"<p>The tower's height is secret.</p>", headers=HTML)}) as inside:
        found = await with_pages([result(f"{inside.address}/")], "tower height")
    assert inside.asked == [] and "not public" in found.warnings[0]
    assert "secret" not in repr(found.passages)


async def test_passages_of_a_collection_are_parts_already() -> None:
    whole = [result("http://192.0.2.1/", collection="intranet")]
    assert await with_pages(whole, "tower height") == SearchResult(whole, [])


@pytest.mark.usefixtures("loopback_is_public")
@pytest.mark.parametrize("reads", [True, False])
def test_crag_reads_pages_where_the_run_wants_it(
    reads: bool, finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    finds([])
    evaluates({"330": 0.9})
    pages = {"/paris": Page(TOWER, headers=HTML)}
    with site(pages) as served:
        results = [{"url": f"{served.address}/paris", "title": "Paris", "content": "All about Paris."}]
        pages["/search"] = Page(json.dumps({"results": results}).encode())
        monkeypatch.setenv("SEARXNG_BASE_URL", served.address)
        get_settings.cache_clear()
        lines = [("search query", "tower height")] + [("330", "It is 330 metres [1].")] * reads
        with scripted(*lines) as (model, _):
            context = {"chat_model": model, "web_search": "on", "web_provider": "searxng", "web_pages": reads}
            state = graph.invoke({"question": "How tall is the tower?"}, context=context)
    assert len(served.asked) == 1 + reads and state["refused"] != reads
    assert [one["source"] for one in state["citations"]] == [f"{served.address}/paris"] * reads
