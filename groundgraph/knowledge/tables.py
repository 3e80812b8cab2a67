"""The tables of an HTML page made plain: each row has all of its cells, and the first row is the header."""

import copy
import itertools
import re
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bs4 import Tag

_CELLS = ["td", "th"]
_PIPE = re.compile(r"\|")
_NUMBER = re.compile(r"[0-9]{1,9}")
_MOST_COLUMNS = 1000
"""Columns that a cell spans at most, as in browsers."""
_MOST_REPEATED = 1_000_000
"""Characters that the cells of a table may come to where each stands in every place that it spans; in a table of more,
a cell stands in its first place only."""


def make_plain(page: "Tag") -> None:
    """Give a merged cell's text to every row and column that it spans, and leave nothing but rows in a table.

    A table that holds others only places them on the page: it becomes plain elements. Captions go above their tables,
    and rows without text go.
    """
    tables = page("table")
    for table in tables:
        if table.find("table") or not table.find("tr"):
            for tag in [table, *(tag for tag in table(["thead", "tbody", "tfoot", "tr", *_CELLS])
                                 if tag.find_parent("table") is table)]:  # fmt: skip
                tag.name = "div"
    for table in tables:
        if table.name == "table":
            _rebuild(table)


def _rebuild(table: "Tag") -> None:
    for names, outer in ((["tr"], ["tr"]), (_CELLS, _CELLS)):
        _take_out(table, names, outer)
    for tag in table(["col", "colgroup"]):
        tag.decompose()
    for caption in table("caption"):
        caption.name = "p"
        table.insert_before(caption.extract())
    for tag in table(["thead", "tbody", "tfoot"]):
        tag.unwrap()
    rows = table("tr")
    if table.find(_is_merged):
        for row, cells in zip(rows, list(_grid(rows)), strict=True):
            row.clear()
            for cell in cells:
                del cell["colspan"], cell["rowspan"]
            row.extend(cells)
    for row in rows:
        if not row.get_text(strip=True):
            row.decompose()
    for text in table.find_all(string=_PIPE):
        text.replace_with(text.replace("|", r"\|"))


def _take_out(table: "Tag", names: list[str], outer: list[str]) -> None:
    """Put rows and cells that stand inside others, which their author never closed, after these."""
    for tag in reversed(table(names)):
        inside = itertools.takewhile(lambda one: one is not table, tag.parents)
        if around := next((one for one in inside if one.name in outer), None):
            around.insert_after(tag.extract())


def _is_merged(cell: "Tag") -> bool:
    return cell.has_attr("colspan") or cell.has_attr("rowspan")


def _grid(rows: "list[Tag]") -> "Iterator[list[Tag]]":
    """Yield the cells of each row, those that span several places in all of them."""
    is_small = sum(_area(cell, len(rows)) for row in rows for cell in row(_CELLS)) <= _MOST_REPEATED
    above: dict[int, tuple[Tag, int]] = {}
    for number, row in enumerate(rows):
        waiting = deque(row(_CELLS))
        below: dict[int, tuple[Tag, int]] = {}
        line: list[Tag] = []
        while waiting or above:
            across, is_new = 1, False
            if spanning := above.pop(len(line), None):
                cell, down = spanning
            elif waiting:
                cell, is_new = waiting.popleft(), True
                across, down = _spans(cell, len(rows) - number) if is_small else (1, 1)
            else:
                cell, down = copy.copy(next(iter(above.values()))[0]), 1
                cell.clear()
            for place in range(across):
                if down > 1:
                    below[len(line)] = cell, down - 1
                above.pop(len(line), None)
                line.append(cell if is_new and not place else copy.copy(cell))
        above = below
        yield line


def _area(cell: "Tag", rows: int) -> int:
    """Return how many characters a cell comes to in all places that it spans, an empty place counted as one."""
    across, down = _spans(cell, rows)
    return across * down * (1 + len(cell.get_text()))


def _spans(cell: "Tag", rows: int) -> tuple[int, int]:
    """Return how many columns and rows a cell spans; a row span of 0 goes on to the last of `rows`."""
    across, down = (str(cell.get(name, "1")).strip() for name in ("colspan", "rowspan"))
    return (
        min(max(int(across), 1), _MOST_COLUMNS) if _NUMBER.fullmatch(across) else 1,
        min(int(down) or rows, rows) if _NUMBER.fullmatch(down) else 1,
    )
