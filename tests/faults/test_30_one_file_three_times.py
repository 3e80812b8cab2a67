"""One file ingested three times, two questions asked → constant chunk count, embedded once.

The file edited → old chunks gone.
"""

from pathlib import Path

import pytest

from groundgraph.knowledge.index import Collection, index
from groundgraph.knowledge.search import SearchMode, search
from tests.embedder import use_bag_embedder


def test_it_is_embedded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = use_bag_embedder(monkeypatch)
    (tmp_path / "a.md").write_text("# Fruit\n\n## Pears\n\nA green pear.\n\n## Plums\n\nA blue plum.")
    reports = [index([path]) for path in (tmp_path / "a.md", "a.md", tmp_path / "." / "a.md")]
    for question in ("green pear", "blue plum"):
        assert len(search(question, ["default"], k=9).passages) == 2
    assert [report.chunks for report in reports] == [2, 2, 2]
    assert len(embedder.embedded) == 2


@pytest.mark.parametrize("mode", ["hybrid", "vector", "keyword"])
def test_an_edit_replaces_its_chunks(mode: SearchMode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = use_bag_embedder(monkeypatch)
    file = tmp_path / "a.md"
    file.write_text("# Fruit\n\n## Pears\n\nA green pear.\n\n## Plums\n\nA blue plum.")
    index([file])
    file.write_text("# Fruit\n\n## Pears\n\nA green pear.\n\n## Plums\n\nA purple plum.")
    index([file])
    found = [
        passage.page_content
        for passage in search("blue purple plum or green pear", ["default"], k=9, mode=mode).passages
    ]
    assert sorted(found) == ["A green pear.", "A purple plum."]
    assert len(embedder.embedded) == 3
    assert Collection.open("default").info().documents == 1
