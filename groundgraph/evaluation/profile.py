"""Settings that differ, and the profile that keeps them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from state.context import Context

Settings = Mapping[str, Any]
"""Values by dotted name, such as `crag.theta_high`."""


def changed(context: Context, settings: Settings) -> Context:
    """Return the context with these settings.

    Raises:
        InputError: A name is unknown or a value is out of its range.
    """
    values = context.model_dump(mode="json")
    for name, value in settings.items():
        *blocks, last = name.split(".")
        place = values
        for block in blocks:
            place = place[block]
        place[last] = value
    return Context.parse(values)


def differing(context: Context | Mapping[str, Any], other: Context | None = None) -> dict[str, Any]:
    """Return the settings of `context` that `other`, by default the defaults, has otherwise, by dotted name."""
    return dict(_flat("", _differing(context, other)))


def profile_text(context: Context, comments: Sequence[str] = ()) -> str:
    """Return a TOML profile of what differs from the defaults, below some lines of comment."""
    import tomli_w

    head = "".join(f"# {' '.join(line.split())}\n" for line in comments)
    return f"{head}{tomli_w.dumps(_differing(context))}"


def _differing(context: Context | Mapping[str, Any], other: Context | None = None) -> dict[str, Any]:
    given = context.model_dump(mode="json") if isinstance(context, Context) else context
    return _nested(given, (other or Context()).model_dump(mode="json"))


def _nested(given: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in given.items():
        usual = other.get(key)
        if isinstance(value, dict):
            found |= {key: inner} if (inner := _nested(value, usual or {})) else {}
        elif value != usual and value is not None:  # TOML has no null
            found[key] = value
    return found


def _flat(prefix: str, nested: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in nested.items():
        if isinstance(value, dict):
            yield from _flat(f"{prefix}{key}.", value)
        else:
            yield prefix + key, value
