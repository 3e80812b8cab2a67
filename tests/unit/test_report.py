"""The report: one page that holds everything, obeys nothing, and loads nothing."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from groundgraph.evaluation.compare import compare
from groundgraph.evaluation.plots import Point, quality_cost, source_bars
from groundgraph.evaluation.records import Aggregate
from groundgraph.evaluation.report import write_report
from tests.cli import run
from tests.runs import graded_row, made_row, made_run, refusal

HOSTILE = "</script><script>alert(1)</script><img src=http://example.org/x>{{ 7*7 }}@000@"

MEAN = Aggregate(mean=0.5, low=0.4, high=0.6, scored=10, rows=10, valid=True)


class Page(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attributes
        self.ids += [value or "" for name, value in attributes if name == "id"]


@pytest.fixture
def report(tmp_path: Path) -> str:
    crag = [
        graded_row("q0", {"a.md": 0.9, "b.md": 0.3}, gold="a.md", source="百科", answer=HOSTILE, warnings=[HOSTILE]),
        graded_row("q1", {"a.md": 0.6, HOSTILE: 0.7}, source=HOSTILE, question=HOSTILE),
        refusal("q2", source="百科", answerable=False, answers=[]),
    ]
    naive = [
        made_row("q0", "naive", source="百科", error="the endpoint is down"),
        made_row("q2", "naive", answerable=False),
    ]
    page = tmp_path / "deep" / "report.html"
    write_report(compare([made_run(tmp_path / "run", [*crag, *naive])]), page)
    return page.read_text("utf-8")


def test_nothing_is_loaded_or_run(report: str) -> None:
    page = Page(report)
    assert not {"script", "img", "link", "iframe", "object", "image"} & {*page.tags}
    loads = [value for name, value in page.attributes if name in {"src", "href", "xlink:href", "style"} and value]
    assert not [value for value in loads if "//" in value]
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert "default-src 'none'" in report


def test_documents_are_shown_and_not_obeyed(report: str) -> None:
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in report
    assert "{{ 7*7 }}" in report


def test_every_part_is_there_with_an_alternative_text(report: str) -> None:
    titles = re.findall(r'role="img">\s*<title>(.*?)</title>', report)
    assert [title.split()[0] for title in titles] == ["Quality", "Quality", "Calibration", "Quality"]
    assert report.count("<svg") == len(titles)
    assert "百科</text>" in report
    assert "the endpoint is down" in report and "no passage answers" in report
    assert "4 passages of known grade" in " ".join(report.split())


def test_each_evaluator_has_its_own_curve(tmp_path: Path) -> None:
    scores = {"a.md": 0.9, "b.md": 0.3}
    runs = [
        made_run(tmp_path / name, [graded_row("q0", scores, gold="a.md", evaluator=name)])
        for name in ("embedded", "llm")
    ]
    text = page_of(tmp_path, *runs)
    assert re.findall(r"<title>Calibration curve of the evaluator (.*?)</title>", text) == ["embedded", "llm"]
    assert text.count("2 passages of known grade: AUC 1.00, expected calibration error 0.20") == 2
    ids = Page(text).ids
    assert len(ids) == len({*ids})


def test_labels_of_one_kind_are_no_calibration(tmp_path: Path) -> None:
    rows = [graded_row("q0", {"a.md": 0.9, "b.md": 0.3}, rel={"a.md": 2}, answerable=True)]
    text = page_of(tmp_path, made_run(tmp_path / "run", rows))
    assert "<title>Calibration" not in text and "expected calibration error" not in text and "Not relevant" not in text
    assert "Evaluator embedded: no AUC, calibration or tiers, since of 1 passages of known grade" in text


def page_of(tmp_path: Path, *runs: Path) -> str:
    """Return the report on these runs, each run of white space as one space."""
    page = tmp_path / "report.html"
    write_report(compare(runs), page)
    return " ".join(page.read_text("utf-8").split())


def test_ids_come_once(report: str) -> None:
    ids = Page(report).ids
    assert len(ids) == len({*ids})


def test_a_plot_is_the_same_each_time_and_tells_patterns_apart_without_colour() -> None:
    points = [Point(name, MEAN, [1.0]) for name in ("naive", "crag")]
    assert quality_cost(points, ["seconds"], "quality") == quality_cost(points, ["seconds"], "quality")
    bars = str(source_bars({"x": [MEAN, None]}, ["naive", "crag"], "quality"))
    colours = {*re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", bars)}
    assert colours and all(colour[1:3] == colour[3:5] == colour[5:7] for colour in colours)


def test_without_anything_to_judge_by_there_are_only_tables(tmp_path: Path) -> None:
    row = made_row("q0", answers=[], answerable=None, usage={}, seconds=0.0)
    page = tmp_path / "report.html"
    write_report(compare([made_run(tmp_path / "run", [row])]), page)
    assert "<svg" not in page.read_text("utf-8")


def test_a_missing_package_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    folder = made_run(tmp_path / "run", [made_row("q0")])
    monkeypatch.setattr("groundgraph.evaluation.pages.find_spec", lambda name: None)
    ran = run(capsys, "compare", str(folder), "--html", "report.html")
    assert (ran.status, ran.err) == (2, "error: the HTML report needs matplotlib and Jinja2: pip install '.[report]'\n")
