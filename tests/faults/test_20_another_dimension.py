"""Built with 3 dimensions, asked with 4 → an error naming 3, 4 and the stored model; the index untouched."""

from pathlib import Path

import numpy as np
import pytest

from groundgraph.errors import CollectionError
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection, index
from groundgraph.knowledge.search import search
from tests.embedder import use_bag_embedder


def built_with_3(monkeypatch: pytest.MonkeyPatch) -> Collection:
    use_bag_embedder(monkeypatch, dimension=3)
    collection = Collection.open("notes", create=True)
    collection.add([LoadedDocument("a.txt", "red apple")])
    return collection


def test_asked_with_another_model(monkeypatch: pytest.MonkeyPatch) -> None:
    info = built_with_3(monkeypatch).info()
    with pytest.raises(CollectionError, match=r"'bag:3' \(3 dimensions\), not 'bag:4' \(4 dimensions\)"):
        search("apple", ["notes"], k=1, embedding_model="bag:4")
    assert Collection.open("notes").info() == info
    assert len(search("apple", ["notes"], k=1).passages) == 1


def test_indexed_with_another_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = built_with_3(monkeypatch).info()
    (tmp_path / "b.txt").write_text("green pear")
    with pytest.raises(CollectionError, match=r"3 dimensions.*4 dimensions"):
        index([tmp_path / "b.txt"], "notes", embedding_model="bag:4")
    assert Collection.open("notes").info() == info


def test_the_model_changed_under_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    collection = built_with_3(monkeypatch)
    info = collection.info()
    with monkeypatch.context() as patch:
        patch.setattr("tests.embedder.BagEmbedder.embed_query", lambda *_: np.ones(4, np.float32))
        with pytest.raises(CollectionError, match=r"3 dimensions from 'bag:3', the question has 4"):
            search("apple", ["notes"], k=1)
    monkeypatch.setattr("tests.embedder.BagEmbedder.embed_passages", lambda _, texts: np.ones((len(texts), 4), "f4"))
    with pytest.raises(CollectionError, match=r"3 dimensions from 'bag:3', not 4"):
        collection.add([LoadedDocument("b.txt", "green pear")])
    assert collection.info() == info
