"""What kind of file bytes are, whatever its name says, and what to do about kinds that are not read."""

import io
import re
from zipfile import BadZipFile, ZipFile

from groundgraph.errors import LoadError
from groundgraph.knowledge.decode import starts_binary

_ARCHIVE = "an archive; unpack it and index the folder"
_IMAGE = "an image; run OCR on it and index the text"
_RECORDING = "a recording; index its transcript"
_STARTS = {
    b"{\\rtf": "RTF; save it as .docx",
    b"%!PS": "PostScript; convert it to .pdf",
    b"!BDN": "an Outlook data file; export its messages as .eml",
    b"AT&TFORM": "DjVu; convert it to .pdf and run OCR",
    b"SQLite format 3\x00": "a database; export its tables as .csv",
    b"PAR1": "Parquet; export it as .csv or .jsonl",
    **dict.fromkeys((b"7z\xbc\xaf\x27\x1c", b"Rar!", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd"), _ARCHIVE),
    **dict.fromkeys((b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*"), _IMAGE),
    **dict.fromkeys((b"ID3", b"OggS", b"fLaC", b"\x1aE\xdf\xa3"), _RECORDING),
}
"""First bytes of kinds of files, and what they are. Where these are letters, bytes that no text has must follow."""
_PRINTED = {b"{\\rtf", b"%!PS"}
"""First bytes of kinds of files that are text."""
_LATER = {
    (4, b"ftyphei"): _IMAGE,
    (4, b"ftypavif"): _IMAGE,
    (8, b"WEBP"): _IMAGE,
    (4, b"ftyp"): _RECORDING,
    (8, b"WAVE"): _RECORDING,
    (8, b"AVI "): _RECORDING,
    (60, b"BOOKMOBI"): "a Kindle e-book; convert it to .epub",
    (257, b"ustar"): _ARCHIVE,
}
_SUFFIXES = {
    ".mbox": "a mailbox; export its messages as .eml",
    **dict.fromkeys((".odt", ".fodt"), "OpenDocument; save it as .docx"),
    **dict.fromkeys((".ods", ".fods"), "OpenDocument; save it as .xlsx"),
    **dict.fromkeys((".odp", ".fodp"), "OpenDocument; save it as .pptx"),
    **dict.fromkeys((".azw", ".azw3", ".mobi"), "a Kindle e-book; convert it to .epub"),
}
"""Kinds that are told by their names only, or best."""
_COMPOUND = b"\xd0\xcf\x11\xe0"
"""How the files of Office before 2007 begin, and those of today with a password: archives of named streams."""
_STREAMS = {
    "EncryptedPackage": "encrypted; save it without a password",
    "WordDocument": "an old Word file; save it as .docx, without a password",
    "Workbook": "an old Excel file; save it as .xlsx, without a password",
    "Book": "an old Excel file; save it as .xlsx, without a password",
    "PowerPoint Document": "an old PowerPoint file; save it as .pptx, without a password",
    "__properties_version1.0": "an Outlook message; save it as .eml",
}
_NAME_BYTES = 64
_PARTS = {
    "word/document.xml": ".docx",
    "ppt/presentation.xml": ".pptx",
    "xl/workbook.xml": ".xlsx",
    "META-INF/container.xml": ".epub",
}
_WEB_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!doctype html|<html)", re.IGNORECASE)
_SAVED_AS_HTML = {".doc", ".xls"}


def kind_of(data: bytes, suffix: str) -> str:
    """Return the suffix that tells how to read a file: its own, but where its bytes tell better.

    Args:
        data: The file.
        suffix: In small letters, with its dot.

    Raises:
        LoadError: It is of a kind that is not read; the message says which, and what to do.
    """
    if data.startswith(_COMPOUND):
        raise LoadError(_compound_kind(data))
    is_binary = starts_binary(data)
    for start, kind in _STARTS.items():
        if data.startswith(start) and (is_binary or start in _PRINTED or not start.isascii()):
            raise LoadError(kind)
    for (place, mark), kind in _LATER.items():
        if is_binary and data.startswith(mark, place):
            raise LoadError(kind)
    if suffix in _SUFFIXES:
        raise LoadError(_SUFFIXES[suffix])
    if data.startswith(b"PK\x03\x04"):
        return _zipped_kind(data, suffix)
    if data.startswith(b"%PDF-"):
        return ".pdf"
    return ".html" if suffix in _SAVED_AS_HTML and _WEB_PAGE.match(data) else suffix


def _compound_kind(data: bytes) -> str:
    for stream, kind in _STREAMS.items():
        if stream.encode("utf-16-le").ljust(_NAME_BYTES, b"\x00") in data:
            return kind
    return "encrypted, or an old Office file; save it as .docx, .pptx or .xlsx without a password"


def _zipped_kind(data: bytes, suffix: str) -> str:
    try:
        names = set(ZipFile(io.BytesIO(data)).namelist())
    except (BadZipFile, NotImplementedError, ValueError, EOFError, OSError):
        names = set()
    found = next((kind for part, kind in _PARTS.items() if part in names), None)
    if found:
        return found
    if "xl/workbook.bin" in names:
        raise LoadError("a binary Excel file; save it as .xlsx")
    if any(name.endswith(".iwa") for name in names):
        raise LoadError("an iWork file; export it as .docx, .xlsx, .pptx or .pdf")
    if suffix not in _PARTS.values():
        raise LoadError(_ARCHIVE)
    return suffix
