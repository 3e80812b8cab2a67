"""What can go wrong, as one tree.

GroundgraphError
├── InputError       a question, path, setting or name that cannot be used
├── LoadError        a document that cannot be read
├── CollectionError  a collection that is missing, empty, or made for another embedding model
├── ModelError       a model that cannot be had or does not answer
│   └── ModelUnavailable  the endpoint is down, slow, overloaded or talks rubbish: worth degrading for
└── WebSearchError   a web search that is not configured or failed
"""

_SHOWN = 200
"""Characters of a value that a line shows."""


class GroundgraphError(RuntimeError):
    """Say what is wrong, with which value, and how to mend it, in one line.

    A RuntimeError, since a LangGraph server shows the messages of built-in errors only.
    """


class InputError(GroundgraphError, ValueError):
    """A question, path, setting or name that cannot be used."""


class LoadError(GroundgraphError):
    """A document that cannot be read."""


class CollectionError(GroundgraphError):
    """A collection that is missing, empty, or made for another embedding model."""


class ModelError(GroundgraphError):
    """A model that cannot be had, or that refuses to work for us (401, 404)."""


class ModelUnavailable(ModelError):
    """An endpoint that is down, slow, overloaded or talks rubbish."""


class WebSearchError(GroundgraphError):
    """A web search that is not configured or failed."""


def shown(value: object) -> str:
    """Return `value` as a line shows it: shortened, and whatever it is."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits, or nested too deeply
        return f"<{type(value).__name__} too large to show>"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
