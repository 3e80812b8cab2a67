"""Fetch what stands at an http or https address that a person named; from public hosts only."""

import asyncio
import ipaddress
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx

from groundgraph.errors import InputError, LoadError
from groundgraph.models.trust import tls_context

MAX_BYTES = 50_000_000
"""Bytes of the largest document that is fetched, unpacked."""
MAX_SECONDS = 60.0
"""Seconds that fetching a document may take, from the look-up of its host to its last byte."""
MAX_REDIRECTS = 5

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_HEADERS = {"User-Agent": "groundgraph", "Accept": "text/html, text/markdown, text/plain, application/pdf, */*;q=0.5"}


class Fetched(NamedTuple):
    """The bytes of a document, and what the server says they are."""

    data: bytes
    media_type: str
    """Value of the Content-Type header; empty if there is none."""


def check_address(address: str) -> str:
    """Return an address without its fragment.

    Raises:
        InputError: It is no http or https address, or holds a password.
    """
    try:
        parts = urlsplit(address.strip())
        usable = parts.scheme.lower() in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise InputError(f"not an http or https address: {address!r}; give one such as https://example.org/page.html")
    if parts.username is not None:
        raise InputError(f"the address of {parts.hostname!r} holds a user name: leave it out, for sources are shown")
    return parts._replace(fragment="").geturl()


def fetch(address: str, *, seconds: float | None = None, size: int | None = None) -> Fetched:
    """Return what stands at an address, following redirects; every host on the way must be public.

    Connections go to the very IP address that was checked, and through no proxy, so that a name that changes its
    meaning cannot lead into a private network.

    Args:
        address: An http or https address.
        seconds: Time it may take; by default `MAX_SECONDS`.
        size: Bytes it may have; by default `MAX_BYTES`.

    Raises:
        LoadError: It cannot be had, is too large or too slow, or a host is not public; the message is the reason.
    """
    context = tls_context()
    with ThreadPoolExecutor(1) as thread:  # the caller's thread may have an event loop of its own
        fetching = _fetch(address, context, seconds or MAX_SECONDS, size or MAX_BYTES)
        return thread.submit(asyncio.run, fetching).result()


async def _fetch(address: str, context: ssl.SSLContext, seconds: float, size: int) -> Fetched:
    client = httpx.AsyncClient(
        transport=_PublicTransport(verify=context, trust_env=False),
        headers=_HEADERS,
        timeout=None,
        follow_redirects=True,
        max_redirects=MAX_REDIRECTS,
        trust_env=False,
    )
    try:
        async with asyncio.timeout(seconds), client, client.stream("GET", address) as response:
            return Fetched(await _body(response, size), response.headers.get("content-type", ""))
    except TimeoutError as error:
        raise LoadError(f"took more than {seconds:g} s") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise LoadError(f"cannot be fetched ({' '.join(str(error).split()) or type(error).__name__})") from error


async def _body(response: httpx.Response, size: int) -> bytes:
    if response.status_code != httpx.codes.OK:
        raise LoadError(f"the server answers {response.status_code} {response.reason_phrase}".rstrip())
    data = bytearray()
    async for part in response.aiter_bytes():
        data += part
        if len(data) > size:
            raise LoadError(f"larger than {size:,} bytes")
    return bytes(data)


class _PublicTransport(httpx.AsyncHTTPTransport):
    """Connects to public addresses only, whatever a name or a redirect leads to."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request to the first address of its host that answers."""
        host = request.url.host
        if request.url.scheme not in {"http", "https"}:
            raise LoadError(f"redirects to {request.url.scheme!r}; only http and https are read")
        extensions = {**request.extensions, "sni_hostname": host}
        failure: httpx.ConnectError | None = None
        for ip in await _public_addresses(host):
            url = request.url.copy_with(host=str(ip))
            sent = httpx.Request(
                request.method, url, headers=request.headers, stream=request.stream, extensions=extensions
            )
            try:
                return await super().handle_async_request(sent)
            except httpx.ConnectError as error:
                failure = error
        raise failure or LoadError(f"no such host: {host!r}")


async def _public_addresses(host: str) -> list[IPAddress]:
    """Return the addresses of a host, all of which must be public."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise LoadError(f"no such host: {host!r}") from error
    addresses = [ipaddress.ip_address(entry[4][0]) for entry in found]
    for ip in addresses:
        if not is_public(ip):
            raise LoadError(f"{host!r} is {ip}, which is not public; save the document and give its path")
    return addresses


def is_public(ip: IPAddress) -> bool:
    """Tell whether an address is of the public internet: not private, loopback, link-local, reserved or multicast.

    An IPv4 address inside an IPv6 one (mapped, 6to4, Teredo, NAT64) must be public as well.
    """
    if isinstance(ip, ipaddress.IPv6Address):
        inner = [ip.ipv4_mapped, ip.sixtofour, *(ip.teredo or ())]
        if ip in _NAT64:
            inner.append(ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF))
        if ip.ipv4_mapped is None and ip not in _NAT64 and (ip.is_site_local or not ip.is_global):
            return False
        return not ip.is_multicast and all(is_public(one) for one in inner if one)
    return ip.is_global and not ip.is_multicast and not ip.is_reserved
