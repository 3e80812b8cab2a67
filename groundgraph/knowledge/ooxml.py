"""What the files of Office since 2007 have in common: they are archives of XML, and state their properties alike."""

import io
import re
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from xml.parsers.expat import ExpatError
from zipfile import BadZipFile, ZipFile

from groundgraph.errors import LoadError
from groundgraph.knowledge.decode import clean
from groundgraph.knowledge.properties import Properties

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_UNPACKED = 2_000_000_000
"""Bytes that the parts of an Office file may unpack to; more is a bomb, not a document."""
_MAX_PROPERTIES = 1_000_000
"""Bytes of the part with the properties; no person states more."""
_DAMAGE: tuple[type[Exception], ...] = (
    *(BadZipFile, zlib.error, EOFError, ExpatError, SyntaxError, NotImplementedError),
    *(LookupError, ValueError, TypeError, AttributeError, RuntimeError, OSError),
)
"""What the libraries raise for files that are not as they should be; all XML parsers' errors are a SyntaxError."""
_SPECIAL = re.compile(r"^(?=#|\||```|~~~|---|===)")
_CORE = "docProps/core.xml"


@contextmanager
def opened(data: bytes, suffix: str, *failures: type[Exception]) -> Iterator[io.BytesIO]:
    """Give an Office file to read, if it is one; what goes wrong with it is a `LoadError`."""
    file = io.BytesIO(data)
    try:
        unpacked = sum(part.file_size for part in ZipFile(file).infolist())
        if unpacked > MAX_UNPACKED:
            raise LoadError(f"unpacks to {unpacked:,} bytes, more than {MAX_UNPACKED:,}; cut it into smaller files")
        with warnings.catch_warnings(action="ignore"):  # of charts, drop-downs and the like, which are no text
            yield file
    except (*_DAMAGE, *failures) as error:
        raise LoadError(f"damaged .{suffix} ({' '.join(str(error).split())[:120]})") from error


def properties(file: io.BytesIO) -> Properties:
    """Return the core properties of an opened file; what an unreadable part would state is not stated."""
    from lxml.etree import XMLSyntaxError

    archive = ZipFile(file)
    if _CORE not in archive.namelist() or archive.getinfo(_CORE).file_size > _MAX_PROPERTIES:
        return Properties()
    try:
        root = parse(archive.read(_CORE))
    except XMLSyntaxError:
        return Properties()
    stated = {str(one.tag).rpartition("}")[2]: one.text or "" for one in root}
    return Properties(
        title=stated.get("title", ""),
        authors=[stated.get("creator", "")],
        keywords=[stated.get("keywords", "")],
        language=stated.get("language", ""),
        created=stated.get("created", "")[:10],
        updated=stated.get("modified", "")[:10],
    )


def parse(data: bytes) -> "_Element":
    """Return the root of an XML part, its entities left alone."""
    from lxml.etree import XMLParser, fromstring

    return fromstring(data, XMLParser(resolve_entities=False, no_network=True))


def one_line(text: str) -> str:
    """Return text on one line that Markdown takes for a paragraph."""
    return _SPECIAL.sub(r"\\", " ".join(clean(text).split()))
