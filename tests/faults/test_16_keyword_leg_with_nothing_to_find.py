"""Corpora [] and ["",""], or a normal corpus and the query "？！…" → the keyword leg gives [].

Hybrid still returns vector hits.
"""

import pytest

from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.search import search
from tests.embedder import use_bag_embedder


@pytest.mark.parametrize("texts", [[], ["", ""]])
def test_an_empty_corpus(texts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    collection = Collection.open("notes", create=True)
    collection.add([LoadedDocument(f"{number}.txt", text) for number, text in enumerate(texts)])
    assert collection.store.matching("anything", 10) == []
    assert search("anything", ["notes"], k=5).passages == []


def test_a_query_of_punctuation(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    collection = Collection.open("notes", create=True)
    collection.add([LoadedDocument("a.txt", "red apple"), LoadedDocument("b.txt", "green pear")])
    assert collection.store.matching("？！…", 10) == []
    result = search("？！…", ["notes"], k=5)
    assert len(result.passages) == 2
    assert result.warnings == []
