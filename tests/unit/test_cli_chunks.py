"""`groundgraph chunks`."""

from pathlib import Path

import pytest

from groundgraph.cli.chunks import histogram
from groundgraph.knowledge.chunk import CHUNKERS
from tests.cli import run
from tests.embedder import use_bag_embedder
from tests.pdf import pdf

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    file = tmp_path / "guide.md"
    file.write_text("# Setup\n\nInstall it.\n\n## Run\n\n" + "Run it again. " * 40)
    return file


def test_chunks_are_shown_with_where_they_stand(guide: Path, capsys: Capsys) -> None:
    ran = run(capsys, "chunks", str(guide), "--size", "300")
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == f"{guide}: 3 chunks"
    assert lines[2:4] == ["1. Setup, characters 9-20, 11 long", "Install it."]
    assert lines[5] == "2. Setup > Run, characters 30-323, 293 long" and lines[6].endswith("…")
    assert lines[-11] == "Characters   Chunks"
    assert lines[-10] == "  1–30         1 ████████████████████████████████████████"
    assert lines[-1].split() == ["271–300", "1", "█" * 40]
    assert "Run it again. " * 9 in run(capsys, "chunks", str(guide), "--whole").out


def test_a_page_is_shown(tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(["The first page.", "The second."]))
    assert "2. p. 2, characters 17-28, 11 long" in run(capsys, "chunks", "a.pdf", "--size", "15").out


def test_as_json(guide: Path, capsys: Capsys) -> None:
    found = run(capsys, "chunks", str(guide), "--chunker", "hierarchical", "--json").object
    (document,) = found["documents"]
    assert document["source"] == str(guide) and document["title"] == "Setup"
    first = document["chunks"][0]
    assert first == {"text": "Install it.", "start": 9, "end": 20, "heading": "Setup", "page": None,
                     "parent": [9, 20], "parent_header": ""}  # fmt: skip
    assert sum(bar["chunks"] for bar in found["histogram"]) == len(document["chunks"])
    assert found["unreadable"] == []


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_every_chunker(guide: Path, chunker: str, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    use_bag_embedder(monkeypatch)
    assert run(capsys, "chunks", str(guide), "--chunker", chunker).status == 0


def test_bad_use_is_one_line(guide: Path, capsys: Capsys) -> None:
    for arguments in (
        ["--chunker", "magic"],
        ["--size", "0"],
        ["--chunker", "fixed", "--overlap", "900"],
        ["--overlap", "9"],
        ["--embedding-model", "bag:8"],
    ):
        ran = run(capsys, "chunks", str(guide), *arguments)
        assert ran.status == 2 and ran.err.startswith("error: ") and ran.err.count("\n") == 1
    assert "leave one of them out" in run(capsys, "chunks", str(guide), "--whole", "--json").object["error"]
    guide.write_bytes(b"\x7fELF")
    ran = run(capsys, "chunks", str(guide))
    assert (ran.status, ran.err) == (
        2,
        f"error: nothing readable in {str(guide)!r} ({guide}: binary, not text)\n",
    )


def test_what_cannot_be_read_beside_what_can(guide: Path, capsys: Capsys) -> None:
    (guide.parent / "song.txt").write_bytes(b"\x7fELF")
    ran = run(capsys, "chunks", str(guide.parent))
    assert ran.status == 1 and "song.txt: binary, not text" in ran.err
    assert run(capsys, "chunks", str(guide.parent), "--json").object["unreadable"][0]["reason"] == "binary, not text"


def test_the_histogram_holds_every_size_up_to_the_limit() -> None:
    assert histogram([1, 2, 3, 25], 25) == [(1, 3, 3), (4, 6, 0), (7, 9, 0), (10, 12, 0), (13, 15, 0), (16, 18, 0),
                                            (19, 21, 0), (22, 24, 0), (25, 25, 1)]  # fmt: skip
    assert histogram([1], 1) == [(1, 1, 1)]
