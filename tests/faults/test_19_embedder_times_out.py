"""The embedder times out and the keyword leg has hits → hits returned.

The result says that the vector leg failed, and why.
"""

import sqlite3

import pytest

from groundgraph.errors import ModelUnavailable
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.search import search
from tests.embedder import use_bag_embedder


def test_the_keyword_leg_answers_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = use_bag_embedder(monkeypatch)
    collection = Collection.open("notes", create=True)
    collection.add([LoadedDocument("a.txt", "red apple"), LoadedDocument("b.txt", "green pear")])
    embedder.fails = "no answer within 60 s"
    result = search("green pear", ["notes"], k=5)
    assert [passage.source for passage in result.passages] == ["b.txt"]
    assert result.warnings == [
        "vector search with 'bag:64' failed, the other leg answered alone: no answer within 60 s"
    ]


def test_the_vector_leg_answers_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    collection = Collection.open("notes", create=True)
    collection.add([LoadedDocument("a.txt", "red apple")])
    with sqlite3.connect(collection.info().path / "collection.sqlite") as db:
        db.execute("DROP TABLE keywords")
    db.close()
    result = search("red apple", ["notes"], k=5)
    assert [passage.source for passage in result.passages] == ["a.txt"]
    assert "keyword search failed" in result.warnings[0]


def test_without_another_leg_the_error_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = use_bag_embedder(monkeypatch)
    collection = Collection.open("notes", create=True)
    collection.add([LoadedDocument("a.txt", "red apple")])
    embedder.fails = "no answer within 60 s"
    with pytest.raises(ModelUnavailable, match="60 s"):
        search("red apple", ["notes"], k=5, mode="vector")
