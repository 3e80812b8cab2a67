"""Word, PowerPoint and Excel files as Markdown."""

import datetime
import io
import re
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import TYPE_CHECKING, Any
from xml.parsers.expat import ExpatError
from zipfile import BadZipFile, ZipFile

from groundgraph.errors import LoadError
from groundgraph.knowledge.convert import html_as_markdown
from groundgraph.knowledge.decode import clean
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.rows import table

if TYPE_CHECKING:
    from openpyxl.cell.cell import Cell

MAX_UNPACKED = 2_000_000_000
"""Bytes that the parts of an Office file may unpack to; more is a bomb, not a document."""
MAX_MERGED = 3_000_000
"""Bytes of a workbook whose merged cells are known; a larger one is read as a stream, which leaves out where they are.
"""

OLD_OFFICE = b"\xd0\xcf\x11\xe0"
"""How the files of Office before 2007 begin, and those of today with a password."""
_DAMAGE: tuple[type[Exception], ...] = (
    *(BadZipFile, zlib.error, EOFError, ExpatError, SyntaxError, NotImplementedError),
    *(LookupError, ValueError, TypeError, AttributeError, RuntimeError, OSError),
)
"""What the libraries raise for files that are not as they should be; both XML parsers' errors are a SyntaxError."""
_SPECIAL = re.compile(r"^(?=#|\||```|~~~|---|===)")


def docx_document(data: bytes, source: str) -> LoadedDocument:
    """Return a Word document as Markdown.

    Raises:
        LoadError: It is damaged or holds no text.
    """
    import mammoth
    from bs4 import BeautifulSoup

    with _opened(data, "docx") as file:
        html = mammoth.convert_to_html(file, convert_image=lambda _image: []).value
    return _document(source, [html_as_markdown(BeautifulSoup(html, "html.parser"))])


def pptx_document(data: bytes, source: str) -> LoadedDocument:
    """Return a PowerPoint presentation as Markdown: a slide is a page, its title a heading, its notes below it.

    Raises:
        LoadError: It is damaged or holds no text.
    """
    from pptx import Presentation
    from pptx.exc import PythonPptxError

    with _opened(data, "pptx", PythonPptxError) as file:
        texts = [_slide(slide, number) for number, slide in enumerate(Presentation(file).slides, start=1)]
    return _document(source, texts, paged=True)


def xlsx_document(data: bytes, source: str) -> LoadedDocument:
    """Return an Excel workbook as Markdown: a sheet is a table below its name, its first row the header.

    Raises:
        LoadError: It is damaged or holds no values.
    """
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    with _opened(data, "xlsx", InvalidFileException) as file:
        book = load_workbook(file, read_only=len(data) > MAX_MERGED, data_only=True)
        sheets = [(sheet.title, _sheet(sheet)) for sheet in book.worksheets]
        book.close()
    return _document(source, [f"# {_line(name)}\n\n{body}" for name, body in sheets if body])


@contextmanager
def _opened(data: bytes, suffix: str, *failures: type[Exception]) -> Iterator[io.BytesIO]:
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


def _document(source: str, parts: Sequence[str], *, paged: bool = False) -> LoadedDocument:
    text = "\n\n".join(parts)
    if not text.strip():
        raise LoadError("no text")
    starts = [0]
    for part in parts[:-1]:
        starts.append(starts[-1] + len(part) + 2)
    return LoadedDocument(source, text, pages=tuple(starts) if paged else (), format="markdown")


def _slide(slide: Any, number: int) -> str:
    """Return a slide as Markdown below its title, or else its number; empty if there is no text on it."""
    title = slide.shapes.title
    heading = _line(title.text_frame.text) if title is not None else ""
    body = [text for shape in _shapes(slide.shapes) if title is None or shape.shape_id != title.shape_id
            for text in _shape(shape) if text]  # fmt: skip
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = _line(slide.notes_slide.notes_text_frame.text)
        body += [f"Notes: {notes}"] if notes else []
    return "\n\n".join([f"# {heading or f'Slide {number}'}", *body]) if heading or body else ""


def _shapes(shapes: Iterable[Any]) -> Iterator[Any]:
    """Yield shapes, and in place of groups the shapes in them."""
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes)
        else:
            yield shape


def _shape(shape: Any) -> Iterator[str]:
    """Yield the text of a shape: a paragraph, a list, or a table."""
    if getattr(shape, "has_table", False):
        yield table([[cell.text for cell in row.cells] for row in shape.table.rows])
    elif getattr(shape, "has_text_frame", False):
        lines = [("  " * one.level, line) for one in shape.text_frame.paragraphs if (line := _line(one.text))]
        yield lines[0][1] if len(lines) == 1 else "\n".join(f"{indent}- {line}" for indent, line in lines)


def _sheet(sheet: Any) -> str:
    """Return a sheet as a table without what is empty; lone cells above it become paragraphs."""
    grid = [[_value(cell) for cell in row] for row in sheet.iter_rows()]
    for merged in getattr(getattr(sheet, "merged_cells", None), "ranges", ()):
        _fill(grid, [column - 1 for column in merged.bounds[:2]], merged.bounds[2:])
    rows = [row for row in grid if any(row)]
    columns = [column for column in zip_longest(*rows, fillvalue="") if any(column)]
    rows = [list(row) for row in zip(*columns, strict=True)]
    above = []
    while len(columns) > 1 and rows and len(set(filter(None, rows[0]))) == 1:
        above.append(_line(next(filter(None, rows.pop(0)))))
    return "\n\n".join([*above, *([table(rows)] if rows else [])])


def _fill(grid: list[list[str]], first: Sequence[int], last: Sequence[int]) -> None:
    """Give the value of a merged cell to every row and column that it spans."""
    value = grid[first[1]][first[0]]
    for row in grid[first[1] : last[1]]:
        row[first[0] : last[0]] = [value] * len(row[first[0] : last[0]])


def _value(cell: "Cell") -> str:
    """Return the value of a cell as it is read on the screen, as far as that is plain."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float | int) and "%" in (cell.number_format or ""):
        _, _, decimals = cell.number_format.partition("%")[0].partition(".")
        return f"{value:.{len(decimals)}%}"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    return clean(str(value)).strip()


def _line(text: str) -> str:
    """Return text on one line that Markdown takes for a paragraph."""
    return _SPECIAL.sub(r"\\", " ".join(clean(text).split()))
