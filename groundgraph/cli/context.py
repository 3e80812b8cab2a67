"""The Context of one run, from a profile and from settings given one by one."""

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from groundgraph.errors import InputError, shown
from state.context import Context

_METADATA = ["where", "metadata"]
"""The block whose values are compared as they are written, so that 1.10 is not 1.1."""


def build_context(
    profile: Path | None, settings: Sequence[str], collections: Sequence[str], preset: str | None = None
) -> Context:
    """Return the Context of a TOML profile, overridden by `key=value` settings, by collections and by a preset.

    Raises:
        InputError: The profile cannot be read, or a key or value is none that Context knows.
    """
    values = _read(profile) if profile else {}
    for setting in settings:
        _put(values, setting)
    if collections:
        values["collections"] = list(collections)
    if preset is not None:
        values["preset"] = preset
    return Context.parse(values)


def _read(profile: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(profile.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"profile {str(profile)!r}: {error.strerror}; give the path of a TOML file") from None
    except ValueError as error:  # not TOML, not UTF-8, or a number of thousands of digits
        raise InputError(f"profile {str(profile)!r} is not TOML: {error}") from None
    except RecursionError:
        raise InputError(f"profile {str(profile)!r} is nested too deeply: give the settings of Context") from None


def _put(values: dict[str, Any], setting: str) -> None:
    """Set one dotted key; the value is JSON where it can be, else text, and text for a field of the metadata."""
    key, equals, text = setting.partition("=")
    if not (equals and key):
        raise InputError(f"--set {shown(setting)}: give it as key=value, such as crag.theta_high=0.8")
    *blocks, name = _parts(key)
    for block in blocks:
        values = values.setdefault(block, {})
        if not isinstance(values, dict):
            raise InputError(f"--set {shown(setting)}: {block} is set to {shown(values)}, so it has no keys")
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = text
    except (ValueError, RecursionError):  # a number of thousands of digits, or nested too deeply
        raise InputError(f"--set {shown(setting)}: no setting takes such a value; give a smaller one") from None
    values[name] = text if blocks == _METADATA and not isinstance(value, str | list | dict) else value


def _parts(key: str) -> list[str]:
    """Return the blocks of a dotted key and the name in the last of them; a field of the metadata may hold dots."""
    first = key.split(".", len(_METADATA))
    return first if first[:-1] == _METADATA else key.split(".")
