"""Numbers of Excel as the screen shows them, as far as a format is plain: decimals, thousands, per cent, and units."""

import re
from decimal import ROUND_HALF_UP, Decimal

_LITERAL = r'(?:"[^"]*"|\\.|\[\$[^\]]*\]|[ $€£¥₩()+-])'
_FORMAT = re.compile(rf"(?P<before>{_LITERAL}*)(?P<digits>[#0,]*0)(?:\.(?P<decimals>0+))?(?P<after>(?:{_LITERAL}|%)*)")
_WRITTEN = re.compile(r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|(?P<plain>.)')
_LAYOUT = re.compile(r"\[[A-Za-z]+\d*\]|(?<!\\)[_*].")
"""A colour, or what only keeps room in the cell."""
_LARGEST = 1e15
"""Absolute value from which a number has no decimals to show."""


def shown_number(value: float, number_format: str) -> str:
    """Return a number with the per cent sign and units of its format, rounded as there; else as it is stored.

    A quoted or escaped character of the format is written, not obeyed: `0.0"%"` shows 25 as `25.0%`, and `0.0%` shows
    0.25 so. Formats with conditions or scales are left aside.
    """
    sections = number_format.split(";")
    has_own_sign = value < 0 and len(sections) > 1
    match = _FORMAT.fullmatch(_LAYOUT.sub("", sections[1 if has_own_sign else 0]))
    if not match or not (match["before"] or match["after"]) or abs(value) >= _LARGEST:
        return f"{value:.15g}" if isinstance(value, float) else str(value)
    per_cent = sum(one["plain"] == "%" for one in _WRITTEN.finditer(match["after"]))
    places = len(match["decimals"] or "")
    rounded = (Decimal(repr(value)) * 100**per_cent).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    sign = "-" if rounded < 0 and not has_own_sign else ""
    digits = f"{abs(rounded):{',' if ',' in match['digits'] else ''}.{places}f}"
    return f"{sign}{_written(match['before'])}{digits}{_written(match['after'])}".strip()


def _written(text: str) -> str:
    return "".join(filter(None, (group for match in _WRITTEN.finditer(text) for group in match.groups())))
