"""Tables of HTML and Word: every value stands in the column that it belongs to."""

import time

import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE

from groundgraph.knowledge import tables
from groundgraph.knowledge.load import read
from tests.office import saved, word

MERGED = """<tr><th colspan=2>Region</th><th>Sales</th></tr><tr><td rowspan="2">North</td><td>2022</td><td>100</td></tr>
<tr><td>2023</td><td>200</td></tr><tr><td>South</td><td>2022</td><td>300</td></tr>"""
ROWS = [
    "| Region | Region | Sales |",
    "| --- | --- | --- |",
    "| North | 2022 | 100 |",
    "| North | 2023 | 200 |",
    "| South | 2022 | 300 |",
]


def lines(html: str) -> list[str]:
    return read(html.encode(), "a.html").text.splitlines()


def test_a_merged_cell_stands_in_every_place_that_it_spans() -> None:
    assert lines(f"<table>{MERGED}</table>") == ROWS


def test_merged_cells_of_a_word_file() -> None:
    def cell(text: str, merge: str = "") -> str:
        return f"<w:tc><w:tcPr>{merge}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"

    rows = (
        cell("Region", "<w:gridSpan w:val='2'/>") + cell("Sales"),
        cell("North", "<w:vMerge w:val='restart'/>") + cell("2022") + cell("100"),
        cell("", "<w:vMerge/>") + cell("2023") + cell("200"),
        cell("South") + cell("2022") + cell("300"),
    )
    body = "".join(f"<w:tr>{row}</w:tr>" for row in rows)
    assert read(word(f"<w:tbl>{body}</w:tbl>"), "a.docx").text.splitlines() == ROWS


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("<tr><td>a</td><td rowspan=0>b</td></tr><tr><td>c</td></tr>", ["| a | b |", "| c | b |"]),
        ("<tr><td>a</td><td>b</td><td rowspan=2>c</td></tr><tr><td>d</td></tr>", ["| a | b | c |", "| d |  | c |"]),
        ("<tr><td rowspan=9>a</td><td>b</td></tr><tr><td colspan=x>c</td></tr>", ["| a | b |", "| a | c |"]),
        ("<tr><td>a<td>b<tr><td>c<td>d", ["| a | b |", "| c | d |"]),
        ("<tr><td>cat a | sort</td><td>b</td></tr>", ["| cat a \\| sort | b |"]),
        ("<thead><tr><td>a</thead><tbody><tr><td>b</tbody><tbody><tr><td>c", ["| a |", "| b |", "| c |"]),
    ],
    ids=["to the last row", "over a gap", "beyond the table", "never closed", "a bar", "bodies"],
)  # fmt: skip
def test_odd_tables(rows: str, expected: list[str]) -> None:
    found = lines(f"<table>{rows}</table>")
    assert [found[0], *found[2:]] == expected
    assert set(found[1]) == set("| -")


def test_a_caption_stands_above_its_table_and_empty_rows_are_left_out() -> None:
    found = lines("<table><caption>Prices</caption><col><tr><td></td></tr><tr><td>Pear</td><td>3</td></tr></table>")
    assert found == ["Prices", "", "| Pear | 3 |", "| --- | --- |"]


def test_a_table_that_places_others_on_the_page_is_none() -> None:
    found = lines("<table><tr><td><p>Menu.</p></td><td><table><tr><th>k</th></tr><tr><td>v</td></tr></table></td></tr>")
    assert found == ["Menu.", "", "| k |", "| --- |", "| v |"]


def test_spans_of_a_bomb_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    started = time.monotonic()
    bomb = f"<table>{'<tr><td colspan=1000 rowspan=1000>x</td></tr>' * 300}</table>"
    assert len(lines(bomb)) == 301
    assert time.monotonic() - started < 5
    monkeypatch.setattr(tables, "_MOST_REPEATED", 10)
    assert lines(f"<table>{MERGED}</table>")[3] == "| 2023 | 200 |"


def test_tables_and_charts_of_slides() -> None:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    table = slide.shapes.add_table(3, 2, 0, 0, 99, 99).table
    for cell, text in zip(table.iter_cells(), ["name", "price", "Pear", "3", "", "4"], strict=True):
        cell.text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    figures = CategoryChartData()
    figures.categories = ["East", "West"]
    figures.add_series("Q1", (19.2, None))
    chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, 99, 99, figures).chart
    chart.chart_title.text_frame.text = "Sales"
    assert read(saved(show), "a.pptx").text == (
        "# Slide 1\n\n| name | price |\n| --- | --- |\n| Pear | 3 |\n| Pear | 4 |\n\n"
        "Sales\n\n|  | Q1 |\n| --- | --- |\n| East | 19.2 |\n| West |  |"
    )


def test_figures_of_charts_that_the_library_does_not_know() -> None:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    figures = CategoryChartData()
    figures.categories = ["May"]
    figures.add_series("Close", (0.1 + 0.2,))
    chart = slide.shapes.add_chart(XL_CHART_TYPE.LINE, 0, 0, 99, 99, figures).chart
    chart.element.xpath("//c:lineChart")[0].tag = "{http://schemas.openxmlformats.org/drawingml/2006/chart}stockChart"
    assert read(saved(show), "a.pptx").text.splitlines()[-1] == "| May | 0.3 |"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('"Umsatz, netto";Jahr\n1;2\n', "| Umsatz, netto | Jahr |"),
        ('"one, two\nthree";"a, b"\n1;2\n', "| one, two three | a, b |"),
        ("sep=;\nname;a,b,c\n", "| name | a,b,c |"),
        ("name|age\nAnn|5\n", "| name | age |"),
    ],
)
def test_separators_of_csv(written: str, expected: str) -> None:
    assert read(written.encode(), "a.csv").text.splitlines()[0] == expected
