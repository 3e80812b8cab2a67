"""What questions are made from: every document in its turn, telling sentences, pairs on one subject."""

from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from groundgraph.evaluation.testset.attempts import attempts, in_turn
from groundgraph.knowledge.index import Collection, index
from groundgraph.knowledge.store import Store
from tests.embedder import use_bag_embedder

LINES = [
    "The library of Alexandria held {n} hundred thousand scrolls of papyrus when the Romans came to Egypt.",
    "Ships that anchored in the harbour number {n} had to lend their books to the scribes for copying.",
]
TEA = "龙井茶产于浙江省杭州市西湖一带，以清明前采摘的嫩芽为上品，一斤需要三万多个芽头，炒制全靠手工。"


def store_of(folder: Path, documents: dict[str, str], chunker: str | None = None) -> Store:
    for name, text in documents.items():
        (folder / name).write_text(text, "utf-8")
    index([folder / name for name in documents], chunker=chunker)
    return Collection.open("default").store


def section(number: int) -> str:
    return f"# Part {number}\n\n" + " ".join(LINES).format(n=number)


@pytest.fixture(autouse=True)
def embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)


def test_every_document_has_its_turn_before_any_has_its_second() -> None:
    ids = {"long": [f"l{n}" for n in range(6)], "short": ["s0"], "middle": ["m0", "m1"]}
    drawn = in_turn(ids, "0")
    assert Counter(drawn) == Counter(one for passages in ids.values() for one in passages)
    assert {one[0] for one in drawn[:3]} == {"l", "s", "m"} and {one[0] for one in drawn[3:5]} == {"l", "m"}
    assert drawn == in_turn(dict(reversed(ids.items())), "0") != in_turn(ids, "1")


def test_a_passage_is_asked_about_one_telling_sentence_a_round(tmp_path: Path) -> None:
    store = store_of(tmp_path, {"a.md": section(1), "b.md": section(2), "c.md": "# Title\n\nToo short."})
    found = list(attempts("single", store, None, seed=0))
    assert [Path(one.passages[0].source).name for one in found[:2]] in (["a.md", "b.md"], ["b.md", "a.md"])
    assert {one.sentence for one in found} == {line.format(n=n) for line in LINES for n in (1, 2)}
    assert len(found) == len({one.id for one in found}) == 4
    assert [one.id for one in attempts("single", store, None, seed=0)] == [one.id for one in found]


def test_a_language_may_be_chosen_and_each_passage_has_its_own(tmp_path: Path) -> None:
    store = store_of(tmp_path, {"a.md": section(1), "tea.md": TEA})
    assert {one.language for one in attempts("unanswerable", store, None, seed=0)} == {"en", "zh"}
    (only,) = attempts("unanswerable", store, "zh", seed=0)
    assert only.passages[0].page_content == TEA


def test_a_pair_is_on_one_subject_of_two_documents_where_there_are_and_comes_once(tmp_path: Path) -> None:
    same, foreign = section(1).replace("scrolls", "rolls"), "Whales sing far below warm southern waves; " * 3
    store = store_of(tmp_path, {"a.md": section(1), "b.md": same, "copy.md": section(1), "whales.md": foreign})
    pairs = [{Path(p.source).name for p in one.passages} for one in attempts("multi", store, None, seed=0)]
    assert sorted(map(sorted, pairs)) == [["a.md", "b.md"], ["b.md", "copy.md"]]


def test_a_document_alone_is_paired_within_itself(tmp_path: Path) -> None:
    store = store_of(tmp_path, {"a.md": f"{section(1)}\n\n{section(7)}"})
    (pair,) = attempts("multi", store, None, seed=0)
    assert [passage.heading for passage in pair.passages] in (["Part 1", "Part 7"], ["Part 7", "Part 1"])


def test_what_is_read_is_asked_about_parents_in_place_of_their_chunks(tmp_path: Path) -> None:
    long = " ".join(line.format(n=n) for n in range(3) for line in LINES)
    store = store_of(tmp_path, {"a.md": f"{long}\n\n{section(7)}"}, chunker="hierarchical")
    (ids,) = store.passage_ids().values()
    assert store.info().chunks > len(ids)
    shown = [one.passages[0].page_content for one in islice(attempts("unanswerable", store, None, seed=0), 9)]
    assert sorted(shown) == sorted(passage.page_content for passage in store.passages(ids))
