"""Documents state their title, author, dates, language and keywords under the same names, whatever their format."""

import datetime

import openpyxl
import pptx
import pytest

from groundgraph.knowledge.attributes import date_of, fields_of
from groundgraph.knowledge.document import JSON
from groundgraph.knowledge.load import read
from groundgraph.knowledge.properties import Properties
from tests.office import saved, word
from tests.pdf import drawn_pdf

TEXT = "<main>The sky is blue and the sea is deep.</main>"
DAY = datetime.datetime(2024, 5, 31, 12)


@pytest.mark.parametrize(
    ("head", "metadata"),
    [
        ("<meta name=author content='Ann Lee'>", {"author": "Ann Lee"}),
        ("<meta name=Author content='Ann; 李明'><meta name=dc.creator content=Bo>", {"author": ["Ann", "李明", "Bo"]}),
        ("<meta name=keywords content='sky, sea，天空'>", {"keywords": ["sky", "sea", "天空"]}),
        (
            "<meta property=article:tag content=sky><meta property=article:tag content=sea>",
            {"keywords": ["sky", "sea"]},
        ),
        ("<meta name=date content=2024-05-31>", {"date": "2024-05-31"}),
        ("<meta property=article:published_time content='2024-05-31T12:00:00Z'>", {"date": "2024-05-31T12:00:00Z"}),
        ("<meta property=article:modified_time content=2024-06-01>", {"updated": "2024-06-01"}),
        ("<meta name=author content=' '><meta name=viewport content=x><meta charset=utf-8>", {}),
    ],
)
def test_a_page(head: str, metadata: JSON) -> None:
    assert read(f"<html><head>{head}</head><body>{TEXT}".encode(), "a.html").metadata == metadata


@pytest.mark.parametrize(
    ("language", "text", "stated"),
    [
        ("en-GB", "The sky is blue.", {"language": "en-GB"}),
        ("zh-CN", "天空是蓝色的。", {"language": "zh-CN"}),
        ("fr", "Le ciel.", {"language": "fr"}),
        ("ja", "東京都庁", {"language": "ja"}),
        ("en", "天空是蓝色的。", {}),
        ("zh", "The sky is blue and it is up there.", {}),
    ],
)
def test_a_language_that_the_text_contradicts_is_none(language: str, text: str, stated: JSON) -> None:
    assert read(f"<html lang={language}><body>{text}".encode(), "a.html").metadata == stated


def test_a_pdf() -> None:
    data = drawn_pdf(
        "BT /F1 12 Tf 72 720 Td (The sky.) Tj ET",
        info="/Title (On the sky) /Author (Ann) /Keywords (sky; sea) /CreationDate (D:20240531120000+02'00')",
        catalog="/Lang (en-GB)",
    )
    document = read(data, "a.pdf")
    assert document.title == "On the sky"
    assert document.metadata == {
        "author": "Ann", "keywords": ["sky", "sea"], "language": "en-GB", "created": "2024-05-31",
    }  # fmt: skip


def test_office_files() -> None:
    show, book = pptx.Presentation(), openpyxl.Workbook()
    show.slides.add_slide(show.slide_layouts[5]).shapes.title.text = "Hello"
    book.active.append(["Hello"])
    core, own = show.core_properties, book.properties
    core.title = own.title = "Plan"
    core.author = own.creator = "Ann;Bo"
    core.keywords = own.keywords = "sky, sea"
    core.created = core.modified = own.created = DAY
    states = "<dc:title>Plan</dc:title><dc:creator>Ann;Bo</dc:creator><cp:keywords>sky, sea</cp:keywords>"
    dates = "<dcterms:created>2024-05-31T12:00:00Z</dcterms:created>"
    text = word("<w:p><w:r><w:t>Hello</w:t></w:r></w:p>", core=states + dates)
    for data, name in ((saved(show), "a.pptx"), (saved(book), "a.xlsx"), (text, "a.docx")):
        document = read(data, name)
        document.metadata.pop("updated", None)  # openpyxl writes the time of saving
        assert document.title == "Plan"
        assert document.metadata == {"author": ["Ann", "Bo"], "keywords": ["sky", "sea"], "created": "2024-05-31"}


def test_properties_that_cannot_be_read_state_nothing() -> None:
    data = word("<w:p><w:r><w:t>Hello</w:t></w:r></w:p>", core="<dc:title>Plan")
    assert (read(data, "a.docx").text, read(data, "a.docx").title) == ("Hello", "")


@pytest.mark.parametrize(
    "title",
    ["Microsoft Word - plan.doc", "untitled", "PowerPoint Presentation", "Slide 1", "plan_v2.docx", "无标题文档"],
)
def test_a_title_that_a_program_gave_is_none(title: str) -> None:
    assert Properties(title=title).stated_title == ""
    assert Properties(title=f"On the use of {title} today").stated_title != ""


def test_what_is_stated_can_be_asked_for() -> None:
    metadata = Properties(authors=["Ann;Bo"], keywords=["sky,sea"], created="2024-05-31").metadata("")
    assert list(fields_of({**metadata, "by": [{"name": "Cy"}]})) == [
        *(("author", "Ann"), ("author", "Bo"), ("keywords", "sky"), ("keywords", "sea")),
        *(("created", "2024-05-31"), ("by.name", "Cy")),
    ]
    assert date_of(metadata) == "2024-05-31"
