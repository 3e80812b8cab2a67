"""The Context of one run, from a profile and from settings given one by one."""

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from groundgraph.errors import InputError
from state.context import Context


def build_context(profile: Path | None, settings: Sequence[str], collections: Sequence[str]) -> Context:
    """Return the Context of a TOML profile, overridden by `key=value` settings and by collections.

    Raises:
        InputError: The profile cannot be read, or a key or value is none that Context knows.
    """
    values = _read(profile) if profile else {}
    for setting in settings:
        _put(values, setting)
    if collections:
        values["collections"] = list(collections)
    return Context.parse(values)


def _read(profile: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(profile.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"profile {str(profile)!r}: {error.strerror}; give the path of a TOML file") from None
    except ValueError as error:  # not TOML, or not UTF-8
        raise InputError(f"profile {str(profile)!r} is not TOML: {error}") from None


def _put(values: dict[str, Any], setting: str) -> None:
    """Set one dotted key; the value is JSON where it can be, else text."""
    key, equals, text = setting.partition("=")
    if not (equals and key):
        raise InputError(f"--set {setting!r}: give it as key=value, such as crag.theta_high=0.8")
    *blocks, name = key.split(".")
    for block in blocks:
        values = values.setdefault(block, {})
        if not isinstance(values, dict):
            raise InputError(f"--set {setting!r}: {block} is set to {values!r}, so it has no keys")
    try:
        values[name] = json.loads(text)
    except json.JSONDecodeError:
        values[name] = text
