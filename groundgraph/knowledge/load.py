"""Read documents from files and folders."""

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from email.message import Message
from pathlib import Path
from urllib.parse import urlsplit

from groundgraph.errors import InputError, LoadError
from groundgraph.knowledge.blocks import blocks
from groundgraph.knowledge.decode import clean, decode, decode_rows
from groundgraph.knowledge.document import LoadedDocument, Unreadable
from groundgraph.knowledge.epub import epub_document
from groundgraph.knowledge.excel import xlsx_document
from groundgraph.knowledge.html import html_document
from groundgraph.knowledge.kinds import kind_of
from groundgraph.knowledge.mail import mail_document
from groundgraph.knowledge.markdown import markdown_document
from groundgraph.knowledge.pdf import pdf_document
from groundgraph.knowledge.powerpoint import pptx_document
from groundgraph.knowledge.rows import csv_document, json_document, jsonl_documents, notebook_document
from groundgraph.knowledge.sources import one_line, source_of
from groundgraph.knowledge.word import docx_document

_CONVERTERS = {
    ".pdf": pdf_document,
    ".docx": docx_document,
    ".epub": epub_document,
    **dict.fromkeys((".eml", ".mht", ".mhtml"), mail_document),
    **dict.fromkeys((".pptx", ".pptm"), pptx_document),
    **dict.fromkeys((".xlsx", ".xlsm"), xlsx_document),
}
_HTML = {".html", ".htm", ".xhtml"}
_ROWS = {".jsonl", ".ndjson"}
_OFFICE = "application/vnd.openxmlformats-officedocument."
_MEDIA_TYPES = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "application/epub+zip": ".epub",
    "message/rfc822": ".eml",
    "application/json": ".json",
    "application/jsonl": ".jsonl",
    "application/x-ipynb+json": ".ipynb",
    "application/x-ndjson": ".jsonl",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "text/markdown": ".md",
    f"{_OFFICE}wordprocessingml.document": ".docx",
    f"{_OFFICE}presentationml.presentation": ".pptx",
    f"{_OFFICE}spreadsheetml.sheet": ".xlsx",
}
_SPECIAL = {
    stat.S_ISFIFO: "named pipe",
    stat.S_ISSOCK: "socket",
    stat.S_ISCHR: "device",
    stat.S_ISBLK: "device",
}
_UNTOLD = {"", "text/plain", "application/octet-stream", "binary/octet-stream"}
"""Media types that say little, so that the suffix decides."""
_TABLES = {".csv": csv_document, ".tsv": csv_document, ".json": json_document, ".ipynb": notebook_document}
_MARKDOWN = {".md", ".markdown", ".mdx"}
_CODE = frozenset(
    """.py .pyi .js .mjs .cjs .jsx .ts .tsx .java .kt .kts .scala .groovy .go .rs .c .h .cc .cpp .cxx .hh .hpp .cs .fs
    .swift .m .mm .rb .php .pl .pm .lua .r .jl .sh .bash .zsh .ps1 .sql .dart .ex .exs .erl .hs .ml .clj .el .zig .nim
    .proto .graphql .css .scss .vb .pas .f90 .asm .tf""".split()
)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def load(paths: Sequence[Path | str], *, jsonl: bool = False) -> Iterator[LoadedDocument | Unreadable]:
    """Yield the documents of files, folders and addresses, and what could not be read with its reason.

    Folders are read with all folders inside them; hidden files and folders are left out. A file named twice is read
    once. Markdown, HTML, PDF, Word, PowerPoint, Excel, EPUB, e-mail, CSV, JSON, JSONL and programs are known; of any
    other file the text is taken, if it is text.

    Args:
        paths: Files, folders, and http or https addresses.
        jsonl: Whether files are JSONL whose rows have the fields pid, src, lang, title and text, only `text` required;
            of folders, only their `.jsonl` files are read.

    Raises:
        InputError: A path does not exist, or an address is no http or https address.
    """
    for file in files(paths, jsonl=jsonl):
        yield from load_file(file, jsonl=jsonl)


def files(paths: Sequence[Path | str], *, jsonl: bool = False) -> list[Path | str]:
    """Return the files that `load` reads, absolute, and the addresses, as text; each once.

    Raises:
        InputError: A path does not exist, or an address is no http or https address.
    """
    found: dict[Path | str, None] = {}
    for given in paths:
        if isinstance(given, str) and _ADDRESS.match(given):
            from groundgraph.knowledge.address import check_address

            found[check_address(given)] = None
            continue
        if not str(given).strip():
            raise InputError("a path is empty, such as from a variable that is not set: give a file or folder")
        path = Path(given)
        _check_there(path)
        if not path.is_dir() and not path.is_file():
            raise InputError(f"neither a file nor a folder: {str(path)!r}; give one that holds documents")
        if path.is_dir():
            found |= dict.fromkeys(file for file in _walk(path.resolve()) if not jsonl or file.suffix == ".jsonl")
        else:
            found[path.resolve()] = None
    return list(found)


def _check_there(path: Path) -> None:
    try:
        path.stat()
    except PermissionError as error:
        raise InputError(
            f"no permission to look at {str(path)!r}: mend the permissions of its folder, or give another path"
        ) from error
    except (OSError, ValueError) as error:  # a name may be too long, or hold a NUL
        raise InputError(f"no such file or folder: {str(path)!r}; check the spelling") from error


def load_file(place: Path | str, *, jsonl: bool = False) -> Iterator[LoadedDocument | Unreadable]:
    """Yield the documents of one file or address, as from `files`, or why it cannot be read."""
    source = source_of(place) if isinstance(place, Path) else one_line(place)
    try:
        data, media_type = _bytes(place)
        if jsonl or _suffix(source, media_type) in _ROWS:
            yield from jsonl_documents(_text(data, decoder=decode_rows), source, strict=jsonl)
        else:
            yield read(data, source, media_type)
    except OSError as error:
        yield Unreadable(source, (error.strerror or str(error)).lower())
    except LoadError as error:
        yield Unreadable(source, str(error))


def read(data: bytes, source: str, media_type: str = "") -> LoadedDocument:
    """Return the document that `data` is, by its media type if that says enough, else by the suffix of `source`.

    Raises:
        LoadError: It is empty, binary, encrypted, damaged or without text; the message is the reason.
    """
    if not data.strip():
        raise LoadError("empty file")
    suffix, charset = kind_of(data, _suffix(source, media_type)), _charset(media_type)
    if suffix in _HTML:
        return _titled(html_document(data, source, charset))
    if converter := _CONVERTERS.get(suffix):
        return _titled(converter(data, source))
    if reader := _TABLES.get(suffix):
        return _titled(reader(_text(data, charset, decode_rows), source))
    text = _text(data, charset)
    if suffix in _MARKDOWN:
        return _titled(markdown_document(text, source))
    if suffix in _CODE:
        return LoadedDocument(source, text, title=Path(source).name, format="code")
    return LoadedDocument(source, text)


def _bytes(place: Path | str) -> tuple[bytes, str]:
    """Return what stands at a place, and its media type if that is known."""
    if isinstance(place, Path):
        _check_regular(place)
        return place.read_bytes(), ""
    from groundgraph.knowledge.address import fetch

    return fetch(place)


def _check_regular(file: Path) -> None:
    """Refuse what may never end, or wait for a writer, before it is opened."""
    try:
        mode = file.stat().st_mode
    except FileNotFoundError as error:
        if not file.is_symlink():
            raise
        raise LoadError(f"a link to {clean(os.readlink(file))!r}, which is not there; mend the link") from error
    for is_kind, kind in _SPECIAL.items():
        if is_kind(mode):
            raise LoadError(f"a {kind}, not a file; leave it out, or save what comes from it to a file")


def _suffix(source: str, media_type: str) -> str:
    """Return the suffix that tells how to read a document; a media type that says enough goes before its name's own."""
    kind = media_type.partition(";")[0].strip().lower()
    name = urlsplit(source).path if _ADDRESS.match(source) else source
    own = Path(name).suffix.lower()
    if kind == "text/plain" and own in _HTML | _CONVERTERS.keys():
        return ".txt"
    return own if kind in _UNTOLD else _MEDIA_TYPES.get(kind, own)


def _charset(media_type: str) -> str | None:
    message = Message()
    message["Content-Type"] = media_type
    charset = message.get_param("charset")
    return charset if isinstance(charset, str) else None


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files below `folder` in order of their names, following no link to a folder."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        yield folder  # cannot be read as a file either, so it is reported with its reason
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry))
        elif not _is_linked_folder(entry):
            yield Path(entry)


def _is_linked_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # reading it will tell the reason


def _text(data: bytes, charset: str | None = None, decoder: Callable[[bytes, str | None], str | None] = decode) -> str:
    text = decoder(data, charset)
    if text is None:
        raise LoadError("binary, not text")
    if not text.strip():
        raise LoadError("empty file")
    return text


def _titled(document: LoadedDocument) -> LoadedDocument:
    """Give a Markdown document that states no title its first heading as the title."""
    if document.title or document.format != "markdown":
        return document
    headings = (block.headings[-1] for block in blocks(document.text) if block.kind == "heading")
    return replace(document, title=next(headings, ""))
