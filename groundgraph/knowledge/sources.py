r"""The sources of documents: file names, addresses and ids, as one line that can be shown, asked for and exported.

A file name may hold anything but a slash and a NUL. What is no part of a line stands as its bytes in the source: a tab
as `\x09`, the byte E9 of a name in Latin-1 as `\xe9`. So different names give different sources.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePath

LONGEST_SOURCE = 8192
"""Most characters of a path, address or id."""
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What cannot stand in a line."""

_NO_TEXT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\U000e0000-\U000e007f]")
_LIKE_BYTES = re.compile(r"\\(?=x[0-9a-f]{2})")
_BYTES = re.compile(r"(?:\\x[0-9a-f]{2})+")
_HAS_BACKSLASHES = os.sep == "\\"
"""Whether a backslash parts folders, so that names hold no odd character either."""


def one_line(name: str) -> str:
    """Return a name with its bytes in place of what is no part of a line; a name of one line stays as it is."""
    return _NO_TEXT.sub(_bytes_of, name)


def source_of(path: Path | str) -> str:
    """Return the source of a file, from which `file_of` makes its path again."""
    name = str(path)
    return one_line(name if _HAS_BACKSLASHES else _LIKE_BYTES.sub(r"\\x5c", name))


def file_of(source: str) -> str:
    """Return the path of a file from its source."""
    return source if _HAS_BACKSLASHES else _BYTES.sub(_from_bytes, source)


def stands(origin: str) -> bool:
    """Tell whether the file that documents came from is in its place, as far as can be told; an address always is.

    A file that is reached through a folder which has become a link is read from another place now.
    """
    if "://" in origin:
        return True
    path = file_of(origin)
    folder = os.path.dirname(path)
    return os.path.isfile(path) and os.path.realpath(folder) == folder


class Places:
    """Files and folders, as sources; finds what lies in one of them in a time that does not grow with their number."""

    def __init__(self, places: Iterable[str]) -> None:
        self._places = {str(PurePath(place)) for place in places}

    def hold(self, source: str) -> bool:
        """Tell whether a source is one of the places, or lies in one."""
        path = PurePath(source)
        return any(str(place) in self._places for place in (path, *path.parents))


def _bytes_of(match: re.Match[str]) -> str:
    character = match[0]
    is_byte = "\udc80" <= character <= "\udcff"  # of a name that is no UTF-8, as Python has it
    encoded = character.encode("utf-8", "surrogateescape" if is_byte else "surrogatepass")
    return "".join(f"\\x{byte:02x}" for byte in encoded)


def _from_bytes(match: re.Match[str]) -> str:
    return os.fsdecode(bytes.fromhex(match[0].replace("\\x", "")))
