"""An image-only PDF beside a good text → the text is indexed, the PDF named "no text"; alone → the existing index kept.

The exit status, which must not be 0, is the command line's.
"""

from pathlib import Path

import pytest

from groundgraph.errors import LoadError
from groundgraph.knowledge.document import Unreadable
from groundgraph.knowledge.index import Collection, collections, index
from tests.embedder import use_bag_embedder
from tests.pdf import pdf


def test_beside_a_good_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "scan.pdf").write_bytes(pdf([None, None]))
    (folder / "good.txt").write_text("Good text.")
    report = index([folder])
    assert report.unreadable == [Unreadable(str(folder / "scan.pdf"), "no text (image-only PDF; run OCR first)")]
    assert Collection.open("default").sources() == [str(folder / "good.txt")]


def test_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    (tmp_path / "good.txt").write_text("Good text.")
    (tmp_path / "scan.pdf").write_bytes(pdf([None]))
    index([tmp_path / "good.txt"])
    info = Collection.open("default").info()
    with pytest.raises(LoadError, match=r"nothing readable in .*scan\.pdf.*no text"):
        index([tmp_path / "scan.pdf"])
    assert Collection.open("default").info() == info
    with pytest.raises(LoadError):
        index([tmp_path / "scan.pdf"], "another")
    assert [info.name for info in collections()] == ["default"]
