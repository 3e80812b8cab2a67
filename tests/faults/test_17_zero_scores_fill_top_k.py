"""Keyword search fills top_k with zero scores.

"red apple","green pear"; ask "submarine" → keyword leg [], nothing contributed to fusion.
"""

import pytest

from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.search import search
from tests.embedder import use_bag_embedder


def test_what_matches_no_word_is_not_found_by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    collection = Collection.open("notes", create=True)
    collection.add([LoadedDocument("a.txt", "red apple"), LoadedDocument("b.txt", "green pear")])
    assert collection.store.matching("submarine", 10) == []
    assert search("submarine", ["notes"], k=2, mode="keyword").passages == []
    by_vector = [passage.id for passage in search("submarine", ["notes"], k=2, mode="vector").passages]
    assert [passage.id for passage in search("submarine", ["notes"], k=2).passages] == by_vector
