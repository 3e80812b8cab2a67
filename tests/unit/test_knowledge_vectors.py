"""The vector leg, exact and approximate, as the collection changes below it."""

import logging
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from groundgraph.knowledge import vectors as module
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.filter import Filter
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.sqlite_store import vector_index
from groundgraph.knowledge.vectors import VectorIndex
from tests.embedder import use_bag_embedder

WORDS = "red green blue black white apple pear plum cherry grape".split()


@pytest.fixture
def collection(monkeypatch: pytest.MonkeyPatch) -> Collection:
    use_bag_embedder(monkeypatch)
    return Collection.open("notes", create=True)


@pytest.fixture
def approximate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXACT_UP_TO", 100)


def documents(first: int, last: int) -> list[LoadedDocument]:
    rng = np.random.default_rng(first)
    return [
        LoadedDocument(f"{number}.txt", f"{' '.join(rng.choice(WORDS, 6))} {number}") for number in range(first, last)
    ]


def chunks_of(collection: Collection) -> list[int]:
    loaded = vector_index(collection.info().path).current()
    return sorted(chunk for chunk, _ in loaded.search(np.ones(64, np.float32), 10_000))


def from_file(collection: Collection) -> VectorIndex:
    vector_index.cache_clear()  # as a new process starts
    return vector_index(collection.info().path)


def test_additions_are_searched_beside_the_file(collection: Collection) -> None:
    collection.add(documents(0, 200))
    file = collection.info().path / "vectors.faiss"
    saved = file.read_bytes()
    collection.add(documents(200, 210))
    assert file.read_bytes() == saved
    for index in (vector_index(file.parent), from_file(collection)):
        loaded = index.current()
        assert [len(partition.chunks) for partition in loaded.partitions] == [200, 10]
        vector = collection.vectors_of(["notes:205"])[0]
        assert loaded.search(vector, 1)[0][0] == 205
    collection.add(documents(210, 230))
    assert file.read_bytes() != saved
    assert [len(partition.chunks) for partition in from_file(collection).current().partitions] == [230]


def test_removals_are_passed_over(collection: Collection) -> None:
    collection.add(documents(0, 200))
    collection.add(documents(200, 205))
    collection.remove(["7.txt", "202.txt"])
    expected = sorted({*range(1, 206)} - {8, 203})
    assert chunks_of(collection) == expected
    from_file(collection)
    assert chunks_of(collection) == expected
    collection.remove([f"{number}.txt" for number in range(100)])
    assert chunks_of(collection) == [number for number in expected if number > 100]


def test_all_removed_and_new_ones_added(collection: Collection) -> None:
    collection.add(documents(0, 3))
    collection.remove(collection.sources())
    assert chunks_of(collection) == []
    collection.add(documents(3, 5))
    from_file(collection)
    assert chunks_of(collection) == [4, 5]


@pytest.mark.usefixtures("approximate")
def test_an_approximate_index_finds_the_nearest(collection: Collection) -> None:
    collection.add(documents(0, 400))
    loaded = from_file(collection).current()
    assert type(loaded.partitions[0].index).__name__ == "IndexIVFFlat"
    vectors = collection.vectors_of([f"notes:{number}" for number in range(1, 401)])
    found = [loaded.search(vector, 1)[0] for vector in vectors]
    assert [score for _, score in found] == pytest.approx([1.0] * 400, abs=1e-5)


@pytest.mark.usefixtures("approximate")
def test_a_filter_is_exact_where_few_are_let_through(collection: Collection) -> None:
    collection.add(documents(0, 400))
    question = collection.vectors_of(["notes:1"])[0]
    hits = collection.store.nearest(question, 5, Filter(source="39"))
    few = [f"notes:{number}" for number in (40, *range(391, 401))]
    best = sorted(few, key=lambda one: -float(collection.vectors_of([one])[0] @ question))[:5]
    assert [hit.score for hit in hits] == pytest.approx([float(v @ question) for v in collection.vectors_of(best)])


@pytest.mark.usefixtures("approximate")
def test_a_search_waits_for_no_approximate_index(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    collection.add(documents(0, 200))
    with monkeypatch.context() as patch:
        patch.setattr(type(collection.store), "refresh", lambda *_: None)  # another process is still indexing
        collection.add(documents(200, 400))
    index = vector_index(collection.info().path)
    assert [len(partition.chunks) for partition in index.current().partitions] == [200, 200]
    assert [len(partition.chunks) for partition in index.current(thorough=True).partitions] == [400]


@pytest.mark.usefixtures("approximate")
def test_an_approximate_index_reports_its_building(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ROWS", 150)
    told: list[tuple[str, int, int]] = []
    collection.add(documents(0, 90), lambda *step: told.append(step))
    assert {what for what, _, _ in told} == {"embed"}, "an exact index takes no time to speak of"
    collection.add(documents(90, 400), lambda *step: told.append(step))
    assert [step for step in told if step[0] == "build"] == [("build", done, 400) for done in (0, 150, 300, 400)]
    assert told[-1] == ("build", 400, 400)


def test_an_untouched_file_is_not_read_for_its_checksum(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection.add(documents(0, 20))
    read: list[Path] = []
    checksum: Callable[[Path], str] = module._checksum
    monkeypatch.setattr(module, "_checksum", lambda file: read.append(file) or checksum(file))
    from_file(collection).current()
    assert read == []
    (collection.info().path / "vectors.faiss").touch()
    for _ in range(2):  # what was found whole once is not read again
        assert len(from_file(collection).current().partitions) == 1
        assert len(read) == 1


def test_damage_is_seen_though_size_and_time_are_as_before(collection: Collection) -> None:
    collection.add(documents(0, 200))
    expected = vector_index(collection.info().path).current().search(np.ones(64, np.float32), 3)
    file = collection.info().path / "vectors.faiss"
    before, content = file.stat(), bytearray(file.read_bytes())
    content[1000:3000] = bytes(2000)
    file.write_bytes(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert from_file(collection).current().search(np.ones(64, np.float32), 3) == expected
    assert bytearray(file.read_bytes()) != content


def test_an_index_that_cannot_be_saved_is_used_all_the_same(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "write", full)
    with caplog.at_level(logging.INFO):
        collection.add(documents(0, 20))
    assert chunks_of(collection) == [*range(1, 21)]
    assert "No space left on device" in caplog.text
    assert not (collection.info().path / "vectors.faiss").exists()
