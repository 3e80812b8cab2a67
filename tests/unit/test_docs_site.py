"""The check of the built site finds what it is for; `make docs` lets it look at the pages themselves."""

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

CHECK = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "extensions" / "check.py"))
Problems = Callable[..., list[str]]


@pytest.fixture
def problems(tmp_path: Path) -> Problems:
    """Return what finds the problems of a site of one page with this body, and of these other files."""

    def of(body: str, **files: str) -> list[str]:
        (tmp_path / "index.html").write_text(f"<html><body>{body}</body></html>")
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text)
        return list(CHECK["problems"](tmp_path))

    return of


@pytest.mark.parametrize(
    "body",
    [
        '<script src="https://cdn.example.org/x.js"></script>',
        '<link rel="stylesheet" href="//fonts.example.org/css">',
        '<img src="http://example.org/a.png">',
        "<style>@import url('https://example.org/a.css');</style>",
        '<p style="background: url(https://example.org/a.png)">x</p>',
    ],
)
def test_what_comes_from_outside(body: str, problems: Problems) -> None:
    (problem,) = problems(body)
    assert problem.startswith("index.html: loads ") and problem.endswith(" from outside")


def test_what_is_not_there(problems: Problems) -> None:
    targets = ("no.html", "#no", "page.html#no", "no%20x/")
    body = '<img src="no.png">' + "".join(f'<a href="{target}">x</a>' for target in targets)
    found = problems(body, page_html='<h1 id="yes">Page</h1>')
    assert found == [
        "index.html: loads no.png, which is not there",
        "index.html: links to no.html, which is not there",
        "index.html: links to #no, an anchor that is not there",
        "index.html: links to page.html#no, an anchor that is not there",
        "index.html: links to no x/, which is not there",
    ]


def test_a_style_sheet_that_loads_from_outside(problems: Problems) -> None:
    (problem,) = problems("", a_css="body { src: url(https://example.org/font.woff2) }")
    assert problem == "a.css: loads https://example.org/font.woff2 from outside"


def test_a_page_that_is_whole(problems: Problems) -> None:
    targets = ("#%E6%A0%87%E9%A2%98", "https://arxiv.org/abs/2401.15884", "page.html#yes", "mailto:a@example.org")
    body = '<h1 id="标题">x</h1><img src="data:image/png;base64,AA=="><img src="page.html">'
    body += "".join(f'<a href="{target}">x</a>' for target in targets)
    assert problems(body, page_html='<h2 id="yes">x</h2>') == []
