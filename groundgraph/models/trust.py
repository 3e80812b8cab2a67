"""Whose certificates are trusted."""

import ssl

import certifi


def tls_context() -> ssl.SSLContext:
    """Return a context that trusts certifi's and the machine's authorities; reads files: not for an event loop."""
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context
