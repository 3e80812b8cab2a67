"""`groundgraph graph`: drawings, made on this machine."""

import sys
from pathlib import Path

import pytest

from graphs.catalogue import PATTERNS, load
from tests.cli import run, run_at_terminal

Capsys = pytest.CaptureFixture[str]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_mermaid_shows_subgraphs(pattern: str, capsys: Capsys) -> None:
    ran = run(capsys, "graph", pattern)
    assert ran.status == 0
    assert ran.out == load(pattern).get_graph(xray=True).draw_mermaid()


def test_ascii(capsys: Capsys) -> None:
    out = run(capsys, "graph", "naive", "--format", "ascii").out
    assert all(f"| {node} |" in out for node in ("receive", "retrieve", "generate", "refuse"))


def test_output_goes_to_a_file(tmp_path: Path, capsys: Capsys) -> None:
    file = tmp_path / "naive.mmd"
    assert run(capsys, "graph", "naive", "-o", str(file)).out == ""
    assert file.read_text() == load("naive").get_graph(xray=True).draw_mermaid()


def test_png_without_pygraphviz_names_what_to_do(monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    ran = run(capsys, "graph", "naive", "--format", "png")
    assert ran.status == 2
    assert ran.err.startswith("error: format='png': pygraphviz is not installed; ") and "--format mermaid" in ran.err


def test_png_is_not_written_to_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    ran = run_at_terminal(capsys, monkeypatch, "graph", "naive", "--format", "png")
    assert ran.status == 2 and "--output FILE" in ran.err
