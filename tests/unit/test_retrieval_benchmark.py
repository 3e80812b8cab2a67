"""The retrieval benchmark measures what it says."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.cached_embedding import CachedEmbedding
from benchmarks.retrieval import main
from benchmarks.synthetic import Chunks, entries
from groundgraph.knowledge.index import Collection
from tests.embedder import BagEmbedder, use_bag_embedder


def test_a_text_is_embedded_once_in_its_life(tmp_path: Path) -> None:
    file = tmp_path / "new" / "vectors.sqlite"
    first, second = BagEmbedder(64), BagEmbedder(64)
    vectors = CachedEmbedding(first, file, {}).embed_passages(["red fox", "blue whale", "red fox"])
    again = CachedEmbedding(second, file, {}).embed_passages(["blue whale"])
    assert vectors.shape == (3, first.dimension)
    assert np.array_equal(again[0], vectors[1])
    assert (first.embedded, second.embedded) == (["red fox", "blue whale"], [])


@pytest.fixture
def real(tmp_path: Path) -> Path:
    texts = [f"The tower number {number} is {300 + number} metres tall." for number in range(12)]
    Chunks.save(tmp_path, texts, BagEmbedder(64).embed_passages(texts))
    return tmp_path


def test_synthetic_chunks_follow_the_real_ones_and_are_always_the_same(real: Path) -> None:
    once, again = (list(Chunks(real).blocks(30)) for _ in range(2))
    assert [len(block.texts) for block in once] == [12, 18]
    assert once[0].texts == Chunks(real).texts
    assert once[1].texts == again[1].texts and np.array_equal(once[1].vectors, again[1].vectors)
    assert np.linalg.norm(once[1].vectors, axis=1) == pytest.approx(np.ones(18))


def test_fewer_chunks_than_there_are_real_ones_need_no_synthetic_ones(real: Path) -> None:
    assert [block.texts for block in Chunks(real).blocks(5)] == [Chunks(real).texts[:5]]


def test_chunks_are_kept_in_their_order(real: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    collection = Collection.open("towers", create=True)
    blocks = list(Chunks(real).blocks(30))
    for number, block in enumerate(blocks):
        collection.store.put(entries(block, str(number)))
    ids = [f"towers:{number}" for number in range(1, 31)]
    assert [passage.page_content for passage in collection.store.passages(ids)] == blocks[0].texts + blocks[1].texts


def test_no_data_is_bad_use(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("GROUNDGRAPH_QA", raising=False)
    assert main([]) == 2
    assert "set GROUNDGRAPH_QA" in capsys.readouterr().err
