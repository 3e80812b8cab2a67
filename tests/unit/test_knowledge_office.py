"""PowerPoint and Excel files, made here by the libraries that read them."""

import contextlib
import datetime
import random

import openpyxl
import pptx
import pytest

from groundgraph.errors import LoadError
from groundgraph.knowledge import excel, ooxml
from groundgraph.knowledge.chunk import chunk
from groundgraph.knowledge.load import read
from tests.office import saved, workbook


def test_a_sheet_is_a_table_below_its_name() -> None:
    book = workbook(
        Prices=[["name", "price"], ["Pear|big", 3.0], ["Plum", 0.1 + 0.2]], Empty=[], Notes=[["Only this."]]
    )
    assert read(saved(book), "a.xlsx").text == (
        "# Prices\n\n| name | price |\n| --- | --- |\n| Pear\\|big | 3 |\n| Plum | 0.3 |\n\n"
        "# Notes\n\n| Only this. |\n| --- |"
    )


def test_values_read_as_on_the_screen() -> None:
    book = workbook(A=[["when", "share", "ok"], [datetime.datetime(2024, 2, 1), 0.253, True], [None, None, None]])
    book["A"]["B2"].number_format = "0.0%"
    assert read(saved(book), "a.xlsx").text.endswith("| 2024-02-01 | 25.3% | TRUE |")


@pytest.fixture
def report() -> openpyxl.Workbook:
    """A sheet as people make them: a merged title, space around the table, and a merged cell in it."""
    book = workbook(A=[[], [None, "Sales"], [], [None, "Region", "Month"], [None, "North", "Jan"], [None, None, "Feb"]])
    book["A"].merge_cells("B2:C2")
    book["A"].merge_cells("B5:B6")
    return book


def test_a_merged_cell_stands_in_every_row_that_it_spans(report: openpyxl.Workbook) -> None:
    assert read(saved(report), "a.xlsx").text == (
        "# A\n\nSales\n\n| Region | Month |\n| --- | --- |\n| North | Jan |\n| North | Feb |"
    )


def test_a_large_workbook_is_read_as_a_stream(report: openpyxl.Workbook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excel, "MAX_WHOLE", 0)
    assert read(saved(report), "a.xlsx").text.endswith("| North | Jan |\n|  | Feb |")


def test_every_chunk_of_a_long_sheet_has_its_name_and_header() -> None:
    rows = [["name", "price"], *([f"thing number {number}", number] for number in range(60))]
    chunks = chunk(read(saved(workbook(Prices=rows)), "a.xlsx"))
    assert len(chunks) > 1
    assert all(piece.heading == "Prices" and piece.text.startswith("| name | price |\n") for piece in chunks)


def test_a_slide_is_a_page_below_its_title() -> None:
    show = pptx.Presentation()
    first = show.slides.add_slide(show.slide_layouts[1])
    first.shapes.title.text = "Plan"
    text = first.placeholders[1].text_frame
    text.text = "First"
    below = text.add_paragraph()
    below.text, below.level = "Detail", 1
    first.notes_slide.notes_text_frame.text = "Say\nhello"
    show.slides.add_slide(show.slide_layouts[6])
    third = show.slides.add_slide(show.slide_layouts[6])
    table = third.shapes.add_table(2, 2, 0, 0, 99, 99).table
    for number, cell in enumerate(table.iter_cells()):
        cell.text = f"cell {number}"
    third.shapes.add_group_shape().shapes.add_textbox(0, 0, 9, 9).text_frame.text = "# in a group"
    chunks = chunk(read(saved(show), "a.pptx"))
    assert [(piece.page, piece.heading, piece.text) for piece in chunks] == [
        (1, "Plan", "- First\n  - Detail\n\nNotes: Say hello"),
        (3, "Slide 3", "| cell 0 | cell 1 |\n| --- | --- |\n| cell 2 | cell 3 |\n\n\\# in a group"),
    ]


def test_nothing_on_any_slide_or_sheet() -> None:
    show = pptx.Presentation()
    show.slides.add_slide(show.slide_layouts[6])
    for data, name in ((saved(show), "a.pptx"), (saved(workbook(A=[])), "a.xlsx")):
        with pytest.raises(LoadError, match="no text"):
            read(data, name)


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx"])
def test_a_zip_bomb_is_not_unpacked(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ooxml, "MAX_UNPACKED", 1000)
    with pytest.raises(LoadError, match=r"unpacks to .* bytes, more than 1,000"):
        read(saved(workbook(A=[["x"]])), name)


@pytest.mark.parametrize("seed", range(30))
def test_a_damaged_file_is_an_error_of_ours_or_none(seed: int) -> None:
    chance = random.Random(seed)
    for data, name in ((saved(workbook(A=[["x", 1]])), "a.xlsx"), (saved(pptx.Presentation()), "a.pptx")):
        damaged = bytearray(data if seed % 3 else data[: chance.randrange(1, len(data))])
        for place in chance.sample(range(len(damaged)), k=min(5, len(damaged))):
            damaged[place] = chance.randrange(256)
        with contextlib.suppress(LoadError):
            read(bytes(damaged), name)
