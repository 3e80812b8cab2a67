"""BOM + "# Title" → section Title, no U+FEFF; "㐀字测试" in GB18030 → exact; "ok", NUL and a lone surrogate → "ok"."""

import json
from pathlib import Path

import pytest

from groundgraph.knowledge.chunk import chunk
from groundgraph.knowledge.decode import clean
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.load import load


def loaded(file: Path, data: bytes) -> LoadedDocument:
    file.write_bytes(data)
    (document,) = load([file])
    assert isinstance(document, LoadedDocument), document
    return document


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le"])
def test_a_byte_order_mark_is_no_text(encoding: str, tmp_path: Path) -> None:
    document = loaded(tmp_path / "a.md", "\ufeff# Title\r\n\r\nText.".encode(encoding))
    assert [(piece.heading, piece.text) for piece in chunk(document)] == [("Title", "Text.")]
    assert "\ufeff" not in document.text


def test_gb18030_is_exact(tmp_path: Path) -> None:
    assert loaded(tmp_path / "a.txt", "㐀字测试".encode("gb18030")).text == "㐀字测试"


def test_what_is_no_character_is_dropped(tmp_path: Path) -> None:
    assert clean("ok\x00\udbff") == "ok"
    assert loaded(tmp_path / "a.txt", "ok, text\x00\udbff".encode("utf-8", "surrogatepass")).text == "ok, text"
    assert loaded(tmp_path / "a.json", json.dumps("ok\x00\udbff").encode()).text == "ok"
