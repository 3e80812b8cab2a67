"""Filter applied after the fetch: 50 nearer A documents, 2 B, filter B, k=2 → both B; one document, k=10 → one result.

The nearest are all A, so whoever fetches first and filters then finds nothing.
"""

import pytest

from groundgraph.knowledge import vectors
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.filter import Filter
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.search import SearchMode, search
from tests.embedder import use_bag_embedder

EXACT, APPROXIMATE = 100, 10
only_b = Filter(metadata={"kind": "B"})


@pytest.mark.parametrize("exact_up_to", [EXACT, APPROXIMATE])
@pytest.mark.parametrize("mode", ["hybrid", "vector", "keyword"])
def test_both_are_found(mode: SearchMode, exact_up_to: int, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    monkeypatch.setattr(vectors, "EXACT_UP_TO", exact_up_to)
    near = [LoadedDocument(f"a{n}.txt", f"red apple {n}", metadata={"kind": "A"}) for n in range(50)]
    far = [LoadedDocument(f"b{n}.txt", f"a box in which one apple lies {n}", metadata={"kind": "B"}) for n in range(2)]
    Collection.open("notes", create=True).add([*near, *far])
    without = search("red apple", ["notes"], k=2, mode=mode).passages
    assert all(passage.source.startswith("a") for passage in without)
    found = search("red apple", ["notes"], k=2, mode=mode, where=only_b).passages
    assert sorted(passage.source for passage in found) == ["b0.txt", "b1.txt"]


def test_one_document_gives_one_result(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    Collection.open("notes", create=True).add([LoadedDocument("b.txt", "red apple", metadata={"kind": "B"})])
    assert [passage.source for passage in search("red apple", ["notes"], k=10, where=only_b).passages] == ["b.txt"]
    assert len(search("red apple", ["notes"], k=10).passages) == 1
