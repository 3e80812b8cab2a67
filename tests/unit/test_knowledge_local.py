"""Indexing and searching with the embedded embedding model."""

from pathlib import Path

import pytest

from groundgraph.knowledge.index import index
from groundgraph.knowledge.search import SearchMode, search


@pytest.mark.local
@pytest.mark.parametrize("mode", ["hybrid", "vector"])
def test_meaning_is_found_across_words_and_languages(mode: SearchMode, tmp_path: Path) -> None:
    texts = {
        "cat.md": "# Pets\n\nCats sleep most of the day.",
        "tax.md": "# Money\n\nIncome tax is due in April.",
        "水.md": "# 物理\n\n水在一百摄氏度沸腾。",
    }
    (tmp_path / "docs").mkdir()
    for name, text in texts.items():
        (tmp_path / "docs" / name).write_text(text)
    index([tmp_path / "docs"], embedding_model="e5:multilingual-e5-small")
    for question, name in (("When do I pay the state?", "tax.md"), ("At what temperature does water boil?", "水.md")):
        assert Path(search(question, ["default"], k=1, mode=mode).passages[0].source).name == name
