"""Excel files as Markdown, without the sheets, rows, columns and cells that their authors hid."""

import datetime
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from groundgraph.errors import LoadError
from groundgraph.knowledge.decode import clean
from groundgraph.knowledge.document import LoadedDocument, hidden_parts
from groundgraph.knowledge.number_format import shown_number
from groundgraph.knowledge.ooxml import one_line, opened, properties
from groundgraph.knowledge.rows import table

if TYPE_CHECKING:
    from openpyxl.cell.cell import Cell

MAX_WHOLE = 3_000_000
"""Bytes of a workbook whose merged cells and hidden rows and columns are known; of a larger one, read as a stream, only
the hidden sheets and cells are."""
_SHOWS_NOTHING = ";;;"
"""Number format of a cell whose value is not shown."""


def xlsx_document(data: bytes, source: str) -> LoadedDocument:
    """Return an Excel workbook as Markdown: a sheet is a table below its name, its first row the header.

    Raises:
        LoadError: It is damaged or holds no text.
    """
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    hidden: Counter[str] = Counter()
    with opened(data, "xlsx", InvalidFileException) as file:
        stated = properties(file)
        book = load_workbook(file, read_only=len(data) > MAX_WHOLE, data_only=True)
        shown = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        hidden["sheet"] = len(book.worksheets) - len(shown)
        sheets = [(sheet.title, _sheet(sheet, hidden)) for sheet in shown]
        book.close()
    text = "\n\n".join(f"# {one_line(name)}\n\n{body}" for name, body in sheets if body)
    if not text:
        raise LoadError("no text")
    return LoadedDocument(
        source,
        text,
        title=stated.stated_title,
        metadata=stated.metadata(text),
        format="markdown",
        hidden=hidden_parts(**hidden),
    )


def _sheet(sheet: Any, hidden: Counter[str]) -> str:
    """Return a sheet as a table without what is empty or hidden; lone cells above it become paragraphs."""
    grid = [[_value(cell, hidden) for cell in row] for row in sheet.iter_rows()]
    for merged in getattr(getattr(sheet, "merged_cells", None), "ranges", ()):
        _fill(grid, [column - 1 for column in merged.bounds[:2]], merged.bounds[2:])
    rows = [row for row in _shown(sheet, grid, hidden) if any(row)]
    columns = [column for column in zip_longest(*rows, fillvalue="") if any(column)]
    rows = [list(row) for row in zip(*columns, strict=True)]
    above = []
    while len(columns) > 1 and rows and len(set(filter(None, rows[0]))) == 1:
        above.append(one_line(next(filter(None, rows.pop(0)))))
    return "\n\n".join([*above, *([table(rows)] if rows else [])])


def _shown(sheet: Any, grid: Sequence[Sequence[str]], hidden: Counter[str]) -> list[list[str]]:
    """Return the rows and columns of a sheet's values that are not hidden; those with values are counted."""
    rows = {number for number, row in getattr(sheet, "row_dimensions", {}).items() if row.hidden}
    columns = {
        number
        for column in getattr(sheet, "column_dimensions", {}).values()
        if column.hidden
        for number in range(column.min, column.max + 1)
    }
    hidden["row"] += sum(any(row) for number, row in enumerate(grid, start=1) if number in rows)
    kept = [row for number, row in enumerate(grid, start=1) if number not in rows]
    hidden["column"] += sum(
        any(column) for number, column in enumerate(zip_longest(*kept), start=1) if number in columns
    )
    return [[value for number, value in enumerate(row, start=1) if number not in columns] for row in kept]


def _fill(grid: list[list[str]], first: Sequence[int], last: Sequence[int]) -> None:
    """Give the value of a merged cell to every row and column that it spans."""
    value = grid[first[1]][first[0]]
    for row in grid[first[1] : last[1]]:
        row[first[0] : last[0]] = [value] * len(row[first[0] : last[0]])


def _value(cell: "Cell", hidden: Counter[str]) -> str:
    """Return the value of a cell as it is read on the screen, as far as that is plain."""
    value = cell.value
    if value is None:
        return ""
    if cell.number_format == _SHOWS_NOTHING:
        hidden["cell"] += 1
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float | int):
        return shown_number(value, cell.number_format or "")
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    return clean(str(value)).strip()
