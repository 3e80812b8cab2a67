"""Documents at http and https addresses: public hosts only, within limits, and as the server says they are."""

import gzip
import ipaddress

import pytest

from groundgraph.errors import InputError
from groundgraph.knowledge import address
from groundgraph.knowledge.address import check_address, is_public
from groundgraph.knowledge.document import LoadedDocument, Unreadable
from groundgraph.knowledge.load import load
from tests.pdf import pdf
from tests.site import Page, site

HTML = {"Content-Type": "text/html"}


@pytest.fixture
def loopback_is_public(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "is_public", lambda ip: ip.is_loopback)


def only(place: str) -> LoadedDocument:
    (document,) = load([place])
    assert isinstance(document, LoadedDocument), document
    return document


def reason(place: str) -> str:
    (found,) = load([place])
    assert isinstance(found, Unreadable), found
    assert found.source == place
    return found.reason


@pytest.mark.usefixtures("loopback_is_public")
def test_a_page_is_read_as_what_the_server_says_it_is() -> None:
    pages = {
        "/sky.pdf?id=1": Page(b"<nav>Home</nav><h1>The sky</h1><p>Sky is blue.</p>", headers=HTML),
        "/download": Page(pdf(["Sky is blue."]), headers={"Content-Type": "application/pdf"}),
        "/notes.md": Page(b"# Notes\n\nText.", headers={"Content-Type": "text/plain; charset=utf-8"}),
        "/page.html": Page(b"<b>as text</b>", headers={"Content-Type": "text/plain"}),
        "/prices.csv": Page(b"a,b\n1,2"),
        "/gbk": Page("<p>检索</p>".encode("gbk"), headers={"Content-Type": 'text/html; charset="GBK"'}),
        "/rows": Page(b'{"text": "One."}', headers={"Content-Type": "application/x-ndjson"}),
    }
    with site(pages) as served:
        texts = [only(served.address + path).text for path in pages]
    assert texts == ["# The sky\n\nSky is blue.", "Sky is blue.", "# Notes\n\nText.", "<b>as text</b>",
                     "| a | b |\n| --- | --- |\n| 1 | 2 |", "检索", "One."]  # fmt: skip


@pytest.mark.usefixtures("loopback_is_public")
def test_the_source_is_the_address_that_was_asked_for() -> None:
    pages = {"/old": Page(status=302, headers={"Location": "/new"}), "/new": Page(b"<p>Text.</p>", headers=HTML)}
    with site(pages) as served:
        assert only(f"{served.address}/old#part").source == f"{served.address}/old"
        host = served.address.removeprefix("http://")
        assert served.asked == [f"{host}/old", f"{host}/new"]


@pytest.mark.usefixtures("loopback_is_public")
def test_a_name_is_looked_up_once_and_still_named_to_the_server() -> None:
    with site({"/": Page(b"Text.")}) as served:
        named = served.address.replace("127.0.0.1", "localhost")
        assert only(f"{named}/").text == "Text."
        assert served.asked == [f"{named.removeprefix('http://')}/"]


@pytest.mark.usefixtures("loopback_is_public")
def test_what_cannot_be_fetched_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "MAX_BYTES", 1000)
    pages = {
        "/large": Page(bytes(1001)),
        "/bomb": Page(gzip.compress(bytes(100_000)), headers={"Content-Encoding": "gzip"}),
        "/broken": Page(b"no gzip", headers={"Content-Encoding": "gzip"}),
        "/round": Page(status=301, headers={"Location": "/round"}),
        "/ftp": Page(status=301, headers={"Location": "ftp://example.org/"}),
        "/image": Page(b"\x89PNG\r\n", headers={"Content-Type": "image/png"}),
    }
    with site(pages) as served:
        assert reason(f"{served.address}/none") == "the server answers 404 Not Found"
        assert reason(f"{served.address}/large") == "larger than 1,000 bytes"
        assert reason(f"{served.address}/bomb") == "larger than 1,000 bytes"
        assert reason(f"{served.address}/broken").startswith("cannot be fetched")
        assert "redirects" in reason(f"{served.address}/round")
        assert reason(f"{served.address}/ftp") == "redirects to 'ftp'; only http and https are read"
        assert reason(f"{served.address}/image") == "an image; run OCR on it and index the text"
    assert reason(f"{served.address}/gone").startswith("cannot be fetched")


@pytest.mark.usefixtures("loopback_is_public")
def test_a_page_that_comes_drop_by_drop_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "MAX_SECONDS", 0.3)
    with site({"/slow": Page(b"drop by drop", pause=0.1)}) as served:
        assert reason(f"{served.address}/slow") == "took more than 0.3 s"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "2130706433", "[::ffff:127.0.0.1]"])
def test_this_machine_is_not_read(host: str) -> None:
    with site({"/": Page(b"secret")}) as served:
        place = f"{served.address}/".replace("127.0.0.1", host)
        assert "not public" in reason(place)
        assert served.asked == []


def test_a_redirect_to_this_machine_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the first address counts as public here."""
    monkeypatch.setattr(address, "is_public", lambda ip: str(ip) == "127.0.0.1")
    with site({"/secret": Page(b"secret")}) as inside:
        target = inside.address.replace("127.0.0.1", "[::1]")
        with site({"/": Page(status=302, headers={"Location": f"{target}/secret"})}) as outside:
            assert "not public" in reason(f"{outside.address}/")
        assert inside.asked == []


@pytest.mark.parametrize(
    "ip",
    ["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "192.168.1.1", "192.0.2.1",
     "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::",
     "fc00::1", "fe80::1", "fec0::1", "ff02::1", "2001:db8::1"],
)  # fmt: skip
def test_addresses_that_are_not_public(ip: str) -> None:
    assert not is_public(ipaddress.ip_address(ip))


@pytest.mark.parametrize("ip", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"])
def test_addresses_that_are_public(ip: str) -> None:
    assert is_public(ipaddress.ip_address(ip))


@pytest.mark.parametrize(
    "wrong", ["ftp://example.org/a", "file:///etc/passwd", "http://", "http://[::1", "http://a:b/"]
)
def test_other_schemes_are_refused(wrong: str) -> None:
    with pytest.raises(InputError, match="not an http or https address"):
        list(load([wrong]))


def test_an_address_with_a_password_is_refused_without_showing_it() -> None:
    with pytest.raises(InputError, match=r"'example\.org' holds a user name") as caught:
        check_address("https://ann:secret@example.org/")
    assert "secret" not in str(caught.value)


@pytest.mark.usefixtures("loopback_is_public")
async def test_it_can_be_called_from_an_event_loop() -> None:
    with site({"/": Page(b"Text.")}) as served:
        assert only(f"{served.address}/").text == "Text."
