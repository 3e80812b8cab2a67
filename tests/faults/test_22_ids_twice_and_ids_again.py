"""Ids a,a → rejected, counts unchanged; a,b,c, delete b, add d → every query returns its own text after a reload."""

from pathlib import Path

import pytest

from groundgraph.errors import InputError, LoadError
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection, index
from groundgraph.knowledge.search import SearchMode, search
from groundgraph.knowledge.sqlite_store import vector_index
from tests.embedder import use_bag_embedder

TEXTS = {"a": "red apple", "b": "green pear", "c": "blue plum", "d": "black cherry"}


def documents(*sources: str) -> list[LoadedDocument]:
    return [LoadedDocument(source, TEXTS[source]) for source in sources]


def test_one_id_twice_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    collection = Collection.open("notes", create=True)
    collection.add(documents("b"))
    info = collection.info()
    with pytest.raises(InputError, match="two documents have the source 'a'"):
        collection.add(documents("a", "a"))
    assert collection.info() == info


def test_one_pid_twice_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    (tmp_path / "rows.jsonl").write_text('{"pid": "a", "text": "x"}\n{"pid": "a", "text": "y"}\n')
    with pytest.raises(LoadError, match="lines 1 and 2 have the same pid 'a'"):
        index([tmp_path / "rows.jsonl"], jsonl=True)


@pytest.mark.parametrize("mode", ["hybrid", "vector", "keyword"])
def test_ids_are_not_mixed_up_after_a_removal(mode: SearchMode, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    collection = Collection.open("notes", create=True)
    collection.add(documents("a", "b", "c"))
    collection.remove(["b"])
    collection.add(documents("d"))
    vector_index.cache_clear()  # as a new process starts
    for source in "acd":
        found = search(TEXTS[source], ["notes"], k=1, mode=mode).passages[0]
        assert (found.source, found.page_content) == (source, TEXTS[source])
    assert "b" not in [passage.source for passage in search(TEXTS["b"], ["notes"], k=9, mode=mode).passages]
