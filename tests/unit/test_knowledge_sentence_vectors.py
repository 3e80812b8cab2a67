"""The vectors of sentences that the semantic chunker compares are made once."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection
from tests.embedder import BagEmbedder, use_bag_embedder

SUBJECTS = ("apple pear plum cherry", "sea tide wave harbour", "road car wheel engine")


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> BagEmbedder:
    return use_bag_embedder(monkeypatch)


@pytest.fixture
def collection(embedder: BagEmbedder) -> Collection:
    return Collection.open("notes", chunker="semantic", create=True)


def sentences(source: str) -> Iterator[str]:
    for number in range(60):
        yield f"Sentence {number} of {source} is about {SUBJECTS[number // 20]}."


def document(source: str, *others: str) -> LoadedDocument:
    return LoadedDocument(source, " ".join([*sentences(source), *others]))


def cache(collection: Collection) -> Path:
    return collection.info().path / "sentences.sqlite"


def kept(collection: Collection) -> list[tuple[str, int]]:
    db = sqlite3.connect(cache(collection))
    found = db.execute("SELECT source, count(*) FROM sentences GROUP BY source").fetchall()
    db.close()
    return found


def test_only_a_new_sentence_of_a_changed_document_is_embedded(collection: Collection, embedder: BagEmbedder) -> None:
    collection.add([document("a"), document("b")])
    embedder.embedded.clear()
    collection.add([document("a", "One more."), document("b")])
    assert [text for text in embedder.embedded if text.count(".") == 1] == ["One more."]
    assert kept(collection) == [("a", 61), ("b", 60)]


def test_what_documents_hold_no_more_is_dropped(collection: Collection) -> None:
    collection.add([document("a", "One more."), document("b")])
    collection.remove(["b"])
    collection.add([document("a")])
    assert kept(collection) == [("a", 60)]
    Collection.open("notes", chunker="fixed").add([document("a")])
    assert not cache(collection).exists()


def test_an_interrupted_comparison_goes_on(collection: Collection, embedder: BagEmbedder) -> None:
    def interrupt(stage: str, done: int, _total: int) -> None:
        if stage == "compare" and done == 60:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        collection.add([document("a"), document("b")], interrupt)
    embedder.embedded.clear()
    collection.add([document("a"), document("b")])
    assert not {*sentences("a")} & {*embedder.embedded}


def test_the_comparison_is_reported(collection: Collection) -> None:
    told: list[tuple[str, int, int]] = []
    collection.add([document("a"), document("b", *sentences("c"))], lambda *step: told.append(step))
    compared = [step[1:] for step in told if step[0] == "compare"]
    assert compared == [(0, 60), (60, 60), (60, 180), (124, 180), (180, 180)]


def test_kept_vectors_cut_as_fresh_ones_do(collection: Collection, embedder: BagEmbedder) -> None:
    collection.add([document("a")])
    chunks = collection.info().chunks
    collection.add([document("a", "One more.")])
    collection.add([document("a")])
    fresh = Collection.open("fresh", chunker="semantic", create=True)
    fresh.add([document("a")])
    assert collection.info().chunks == fresh.info().chunks == chunks > 3


@pytest.mark.parametrize("content", [b"", b"no database at all " * 300])
def test_a_damaged_file_costs_time_only(collection: Collection, content: bytes) -> None:
    collection.add([document("a")])
    cache(collection).write_bytes(content)
    report = collection.add([document("a", "One more.")])
    assert report.updated == 1
    collection.add([document("a")])
    assert kept(collection) == [("a", 60)]


def test_a_file_that_cannot_be_written_costs_time_only(collection: Collection) -> None:
    cache(collection).mkdir()
    assert collection.add([document("a")]).added == 1
