"""Word files as Markdown, without what their authors hid, and without readings above the characters."""

import io
import re
from typing import TYPE_CHECKING, NamedTuple
from zipfile import ZipFile

from groundgraph.errors import LoadError
from groundgraph.knowledge.document import LoadedDocument, hidden_parts
from groundgraph.knowledge.html import html_as_markdown
from groundgraph.knowledge.ooxml import opened, parse, properties

if TYPE_CHECKING:
    from lxml.etree import _Element

_MAIN = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STYLES = "word/styles.xml"
_TEXTS = re.compile(r"word/(?:document\d*|footnotes|endnotes)\.xml")
_REWRITTEN = re.compile(rb":vanish|:hidden|:ruby")
_HIDDEN_ROW = f"{_MAIN}trPr/{_MAIN}hidden"
_VANISH = f"{_MAIN}rPr/{_MAIN}vanish"
_OFF = {"0", "false", "off"}


class _Shown(NamedTuple):
    file: io.BytesIO
    hidden: int
    """Characters that were taken out."""


def docx_document(data: bytes, source: str) -> LoadedDocument:
    """Return a Word document as Markdown.

    Raises:
        LoadError: It is damaged or holds no text.
    """
    import mammoth
    from bs4 import BeautifulSoup

    with opened(data, "docx") as file:
        stated = properties(file)
        shown = _shown(file)
        html = mammoth.convert_to_html(shown.file, convert_image=lambda _image: []).value
    text = html_as_markdown(BeautifulSoup(html, "html.parser"))
    if not text:
        raise LoadError("no text")
    return LoadedDocument(
        source,
        text,
        title=stated.stated_title,
        metadata=stated.metadata(text),
        format="markdown",
        hidden=hidden_parts(character=shown.hidden),
    )


def _shown(file: io.BytesIO) -> _Shown:
    """Return a Word file without hidden text, which Mammoth would keep, and readings, which hide their text from it."""
    archive = ZipFile(file)
    names = [name for name in archive.namelist() if name == _STYLES or _TEXTS.fullmatch(name)]
    if not any(_REWRITTEN.search(archive.read(name)) for name in names):
        return _Shown(file, 0)
    parts = {name: archive.read(name) for name in archive.namelist()}
    styles = _hidden_styles(parse(parts[_STYLES])) if _STYLES in parts else set()
    hidden = 0
    for name in filter(_TEXTS.fullmatch, names):
        root = parse(parts[name])
        hidden += _remove_hidden(root, styles)
        _keep_base_text(root)
        parts[name] = _written(root)
    shown = io.BytesIO()
    with ZipFile(shown, "w") as written:
        for name, content in parts.items():
            written.writestr(name, content)
    return _Shown(shown, hidden)


def _remove_hidden(root: "_Element", styles: set[str]) -> int:
    """Remove the rows and runs of hidden text, and return how many characters they have."""
    removed = sum(map(_remove, [row for row in root.iter(f"{_MAIN}tr") if _is_on(row.find(_HIDDEN_ROW))]))
    for run in list(root.iter(f"{_MAIN}r")):
        own = _is_on(run.find(_VANISH))
        if own or (own is None and styles.intersection(_styles_of(run))):
            removed += _remove(run)
    return removed


def _remove(node: "_Element") -> int:
    """Take a node out of its document, and return how many characters it has."""
    if (parent := node.getparent()) is not None:
        parent.remove(node)
    return sum(len("".join((text.text or "").split())) for text in node.iter(f"{_MAIN}t"))


def _keep_base_text(root: "_Element") -> None:
    """Put the text that has its reading above it in the place of both."""
    for ruby in list(root.iter(f"{_MAIN}ruby")):
        run = ruby.getparent()
        if run is not None:
            place = run.index(ruby)
            run[place : place + 1] = list(ruby.iterfind(f"{_MAIN}rubyBase//{_MAIN}t"))


def _hidden_styles(root: "_Element") -> set[str]:
    """Return the styles whose text is hidden, by what they say themselves or what they are based on says."""
    styles = {style.get(f"{_MAIN}styleId", ""): style for style in root.iter(f"{_MAIN}style")}

    def is_hidden(name: str, seen: frozenset[str] = frozenset()) -> bool:
        if name not in styles or name in seen:
            return False
        own, base = _is_on(styles[name].find(_VANISH)), styles[name].find(f"{_MAIN}basedOn")
        return own or (own is None and base is not None and is_hidden(base.get(f"{_MAIN}val", ""), seen | {name}))

    return set(filter(is_hidden, styles))


def _is_on(switch: "_Element | None") -> bool | None:
    """Tell whether a property of a row, run or style is on; None if it says nothing."""
    return None if switch is None else switch.get(f"{_MAIN}val", "1").lower() not in _OFF


def _styles_of(run: "_Element") -> set[str]:
    """Return the styles of a run and of its paragraph."""
    paragraph = next(run.iterancestors(f"{_MAIN}p"), None)
    named = [run.find(f"{_MAIN}rPr/{_MAIN}rStyle")]
    named += [] if paragraph is None else [paragraph.find(f"{_MAIN}pPr/{_MAIN}pStyle")]
    return {style.get(f"{_MAIN}val", "") for style in named if style is not None}


def _written(root: "_Element") -> bytes:
    from lxml.etree import tostring

    return bytes(tostring(root, encoding="UTF-8", xml_declaration=True))
