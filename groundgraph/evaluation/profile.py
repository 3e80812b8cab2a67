"""Settings that differ, and the profile that keeps them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from state.context import Context
from state.presets import settled

Settings = Mapping[str, Any]
"""Values by dotted name, such as `crag.theta_high`."""

PRESET_DEPENDS_ON = ("preset", "chat_model", "answerer")


def changed(context: Context, settings: Settings) -> Context:
    """Return the context with these settings, and its preset's values for all that is not set.

    Raises:
        InputError: A name is unknown or a value is out of its range.
    """
    values = context.model_dump(mode="json", exclude_unset=True)
    for name, value in settings.items():
        *blocks, last = name.split(".")
        place = values
        for block in blocks:
            place = place.setdefault(block, {})
        place[last] = value
    return settled(Context.parse(values))


def differing(context: Context | Mapping[str, Any], other: Context | None = None) -> dict[str, Any]:
    """Return the settings of `context` that `other` has otherwise, by dotted name.

    Of a Context that is what is set by itself and not by its preset; without `other` it is held against the values
    that would be there if it were not set. The record of one is held against the defaults.
    """
    return dict(_flat("", _differing(context, other)))


def profile_text(context: Context, comments: Sequence[str] = ()) -> str:
    """Return a TOML profile of what differs from the defaults, below some lines of comment."""
    import tomli_w

    head = "".join(f"# {' '.join(line.split())}\n" for line in comments)
    return f"{head}{tomli_w.dumps(_differing(context))}"


def _differing(context: Context | Mapping[str, Any], other: Context | None = None) -> dict[str, Any]:
    if not isinstance(context, Context):
        return _nested(context, (other or Context()).model_dump(mode="json"))
    given = context.model_dump(mode="json", exclude_unset=True)
    return _nested(given, (other or _unset(given)).model_dump(mode="json"))


def _unset(given: Mapping[str, Any]) -> Context:
    """Return the context that nothing is set in, with the values of the preset that these settings lead to."""
    leading = {name: given[name] for name in PRESET_DEPENDS_ON if name in given}
    usual = {name: getattr(Context(), name) for name in leading}
    return settled(Context.parse(leading)).model_copy(update=usual)


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
