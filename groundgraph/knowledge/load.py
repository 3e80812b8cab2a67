"""Read documents from files and folders."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from groundgraph.errors import InputError, LoadError
from groundgraph.knowledge.blocks import blocks
from groundgraph.knowledge.convert import html_document, pdf_document
from groundgraph.knowledge.decode import clean, decode
from groundgraph.knowledge.document import JSON, LoadedDocument, Unreadable
from groundgraph.knowledge.office import OLD_OFFICE, docx_document, pptx_document, xlsx_document
from groundgraph.knowledge.rows import csv_document, json_document, jsonl_documents

_CONVERTERS = {
    **dict.fromkeys((".html", ".htm", ".xhtml"), html_document),
    ".pdf": pdf_document,
    ".docx": docx_document,
    **dict.fromkeys((".pptx", ".pptm"), pptx_document),
    **dict.fromkeys((".xlsx", ".xlsm"), xlsx_document),
}
_OFFICE = "application/vnd.openxmlformats-officedocument."
_MEDIA_TYPES = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "application/json": ".json",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "text/markdown": ".md",
    f"{_OFFICE}wordprocessingml.document": ".docx",
    f"{_OFFICE}presentationml.presentation": ".pptx",
    f"{_OFFICE}spreadsheetml.sheet": ".xlsx",
}
_TABLES = {".csv": csv_document, ".tsv": csv_document, ".json": json_document}
_MARKDOWN = {".md", ".markdown", ".mdx"}
_CODE = frozenset(
    """.py .pyi .js .mjs .cjs .jsx .ts .tsx .java .kt .kts .scala .groovy .go .rs .c .h .cc .cpp .cxx .hh .hpp .cs .fs
    .swift .m .mm .rb .php .pl .pm .lua .r .jl .sh .bash .zsh .ps1 .sql .dart .ex .exs .erl .hs .ml .clj .el .zig .nim
    .proto .graphql .css .scss .vb .pas .f90 .asm .tf""".split()
)
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_FIELD = re.compile(r"^(\w[\w-]*):[ \t]*(.+?)[ \t]*$", re.MULTILINE)


def load(paths: Sequence[Path | str], *, jsonl: bool = False) -> Iterator[LoadedDocument | Unreadable]:
    """Yield the documents of files and folders, and what could not be read with its reason.

    Folders are read with all folders inside them; hidden files and folders are left out. A file named twice is read
    once. Markdown, HTML, PDF, Word, PowerPoint, Excel, CSV, JSON, JSONL and programs are known; of any
    other file the text is taken, if it is text.

    Args:
        paths: Files and folders.
        jsonl: Whether files are JSONL whose rows have the fields pid, src, lang, title and text, only `text` required;
            of folders, only their `.jsonl` files are read.

    Raises:
        InputError: A path does not exist.
    """
    for file in files(paths, jsonl=jsonl):
        yield from load_file(file, jsonl=jsonl)


def files(paths: Sequence[Path | str], *, jsonl: bool = False) -> list[Path]:
    """Return the files that `load` reads, absolute and each once.

    Raises:
        InputError: A path does not exist.
    """
    found: dict[Path, None] = {}
    for path in map(Path, paths):
        if not os.path.exists(path):  # `Path.exists` fails on a name that is too long
            raise InputError(f"no such file or folder: {str(path)!r}; check the spelling")
        if not path.is_dir() and not path.is_file():
            raise InputError(f"neither a file nor a folder: {str(path)!r}; give one that holds documents")
        if path.is_dir():
            found |= dict.fromkeys(file for file in _walk(path.resolve()) if not jsonl or file.suffix == ".jsonl")
        else:
            found[path.resolve()] = None
    return list(found)


def load_file(file: Path, *, jsonl: bool = False) -> Iterator[LoadedDocument | Unreadable]:
    """Yield the documents of one file, or why it cannot be read."""
    source = clean(str(file))
    try:
        data = file.read_bytes()
        if jsonl or file.suffix.lower() in {".jsonl", ".ndjson"}:
            yield from jsonl_documents(_text(data), source, strict=jsonl)
        else:
            yield read(data, source)
    except OSError as error:
        yield Unreadable(source, (error.strerror or str(error)).lower())
    except LoadError as error:
        yield Unreadable(source, str(error))


def read(data: bytes, source: str, media_type: str = "") -> LoadedDocument:
    """Return the document that `data` is, by its media type if that is known, else by the suffix of `source`.

    Raises:
        LoadError: It is empty, binary, encrypted, damaged or without text; the message is the reason.
    """
    if not data.strip():
        raise LoadError("empty file")
    suffix = _MEDIA_TYPES.get(media_type.partition(";")[0].strip().lower()) or Path(source).suffix.lower()
    if data.startswith(OLD_OFFICE):
        raise LoadError("encrypted, or an old Office file; save it as .docx, .pptx or .xlsx without a password")
    if data.startswith(b"{\\rtf"):
        raise LoadError("RTF; save it as .docx")
    if converter := _CONVERTERS.get(suffix):
        return _titled(converter(data, source))
    text = _text(data)
    if reader := _TABLES.get(suffix):
        return reader(text, source)
    if suffix in _MARKDOWN:
        return _titled(_markdown_document(text, source))
    if suffix in _CODE:
        return LoadedDocument(source, text, title=Path(source).name, format="code")
    return LoadedDocument(source, text)


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files below `folder` in order of their names, following no link to a folder."""
    try:
        entries = sorted(folder.iterdir())
    except PermissionError:
        yield folder  # cannot be read as a file either, so it is reported with its reason
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir() and not entry.is_symlink():
            yield from _walk(entry)
        elif entry.is_file():
            yield entry


def _text(data: bytes) -> str:
    text = decode(data)
    if text is None:
        raise LoadError("binary, not text")
    if not text.strip():
        raise LoadError("empty file")
    return text


def _markdown_document(text: str, source: str) -> LoadedDocument:
    """Read Markdown; the fields of its front matter become metadata."""
    fields: dict[str, JSON] = {}
    if front := _FRONT_MATTER.match(text):
        fields = {key: value.strip("\"'") for key, value in _FIELD.findall(front[1])}
        text = text[front.end() :]
    if not text.strip():
        raise LoadError("no text below its front matter")
    return LoadedDocument(source, text, title=str(fields.pop("title", "")), metadata=fields, format="markdown")


def _titled(document: LoadedDocument) -> LoadedDocument:
    """Give a Markdown document that states no title its first heading as the title."""
    if document.title or document.format != "markdown":
        return document
    headings = (block.headings[-1] for block in blocks(document.text) if block.kind == "heading")
    return replace(document, title=next(headings, ""))
