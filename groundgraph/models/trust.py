"""Whose certificates are trusted, and which addresses are this machine's own."""

import ssl
from urllib.parse import urlsplit

import certifi


def tls_context() -> ssl.SSLContext:
    """Return a context that trusts certifi's and the machine's authorities; reads files: not for an event loop."""
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context


def is_loopback(address: str) -> bool:
    """Tell whether an http address is of this machine, which a proxy in the environment must not be asked for."""
    return urlsplit(address).hostname in {"localhost", "127.0.0.1", "::1"}
