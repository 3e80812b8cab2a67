import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from groundgraph.errors import CollectionError, InputError
from groundgraph.knowledge.database import FILE, connect
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import SearchMode, search
from groundgraph.knowledge.words import words_are_current
from tests.embedder import use_bag_embedder

FRUIT = {"apple.md": "A red apple grows.", "pear.md": "A green pear grows.", "plum.md": "A blue plum grows."}


def fill(name: str, texts: dict[str, str], **fields: object) -> Collection:
    collection = Collection.open(name, create=True)
    collection.add([LoadedDocument(source, text, **fields) for source, text in texts.items()])
    return collection


def test_a_passage_is_shown_on_a_line() -> None:
    passage = Passage(page_content="A red apple grows.", source="fruit/apple.md", heading="Fruit > Apple")
    graded = passage.model_copy(update={"score": 0.8123, "tier": "correct"})
    assert repr(passage) == "Passage('apple.md', 'Fruit > Apple')"
    assert repr(graded) == "Passage('apple.md', 'Fruit > Apple', score=0.81, tier='correct')"


@pytest.mark.parametrize("mode", ["hybrid", "vector", "keyword"])
def test_each_mode_finds_the_passage(mode: SearchMode, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    fill("fruit", FRUIT)
    assert search("Where is the green pear?", ["fruit"], k=1, mode=mode).passages[0].source == "pear.md"


def test_a_vector_stands_in_for_the_question_where_meaning_is_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = use_bag_embedder(monkeypatch)
    fill("fruit", FRUIT)
    vectors = {embedder.name: [float(value) for value in embedder.embed_query("A blue plum grows.")]}
    by_mode = {mode: search("green pear", ["fruit"], k=1, mode=mode, vectors=vectors) for mode in get_args(SearchMode)}
    assert by_mode["vector"].passages[0].source == "plum.md"
    assert by_mode["keyword"].passages[0].source == "pear.md"
    assert (
        search("green pear", ["fruit"], k=1, mode="vector", vectors={"other:1": [1.0]}).passages[0].source == "pear.md"
    )
    with pytest.raises(CollectionError, match=r"64 dimensions from .*, the question has 2"):
        search("green pear", ["fruit"], k=1, mode="vector", vectors={embedder.name: [1.0, 0.0]})


def test_chinese_is_found_by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    fill("知识", {"a": "检索增强生成先找资料。", "b": "水在一百度沸腾。", "c": "猫会叫。"})
    assert [p.source for p in search("什么是检索增强？", ["知识"], k=3, mode="keyword").passages] == ["a"]
    assert [p.source for p in search("水", ["知识"], k=3, mode="keyword").passages] == ["b"]


def test_other_word_forms_and_identifiers_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    fill("notes", {"a": "They were defeated in 1999.", "b": "Error 0x80070005 in C++.", "c": "A C compiler."})
    assert [p.source for p in search("Who defeats them?", ["notes"], k=3, mode="keyword").passages] == ["a"]
    assert search("c++", ["notes"], k=3, mode="keyword").passages[0].source == "b"
    assert [p.source for p in search("0X80070005", ["notes"], k=3, mode="keyword").passages] == ["b"]


def test_a_passage_says_where_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    text = "# Fruit\n\n## Pears\n\nA green pear."
    collection = Collection.open("fruit", create=True)
    collection.add([LoadedDocument("a.md", text, title="Fruit", metadata={"lang": "en"}, format="markdown")])
    (passage,) = search("pear", ["fruit"], k=5).passages
    assert text[passage.start : passage.end] == passage.page_content == "A green pear."
    assert (passage.source, passage.collection, passage.heading) == ("a.md", "fruit", "Fruit > Pears")
    assert passage.metadata == {"lang": "en", "title": "Fruit"}
    assert (passage.score, passage.tier, passage.origin) == (None, None, "local")
    assert (passage.id or "").startswith("fruit:")


def test_several_collections_are_fused(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    fill("fruit", FRUIT)
    Collection.open("cats", create=True, embedding_model="bag:16").add(
        [LoadedDocument("cat.md", "A green cat sleeps.")]
    )
    found = search("green cat or green pear", ["fruit", "cats", "fruit"], k=2).passages
    assert {(passage.collection, passage.source) for passage in found} == {("fruit", "pear.md"), ("cats", "cat.md")}


def test_fewer_passages_than_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    fill("fruit", FRUIT)
    assert len(search("apple", ["fruit"], k=10).passages) == 3


def test_an_empty_collection_gives_a_warning_and_no_embedding(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch).fails = "must not be asked"
    Collection.open("void", create=True)
    result = search("Who runs Acme?", ["void"], k=5)
    assert result.passages == []
    assert result.warnings == ["collection 'void' is empty; fill it: groundgraph index PATH --collection void"]


@pytest.mark.parametrize(
    ("names", "options"), [([], {"k": 5}), (["fruit"], {"k": 0}), (["fruit"], {"k": 5, "mode": "magic"})]
)
def test_bad_settings_are_refused(names: list[str], options: dict[str, object]) -> None:
    with pytest.raises(InputError, match="cannot search"):
        search("x", names, **options)  # type: ignore[arg-type]


def test_a_missing_collection_is_an_error() -> None:
    with pytest.raises(CollectionError, match="no collection 'nowhere'"):
        search("x", ["nowhere"], k=5)


def test_many_threads_search_while_one_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    collection = fill("fruit", FRUIT)
    with ThreadPoolExecutor(8) as pool:
        found = [pool.submit(search, "green pear", ["fruit"], k=1) for _ in range(40)]
        for number in range(5):
            collection.add([LoadedDocument(f"{number}.md", f"Stone number {number}.")])
        assert {future.result().passages[0].source for future in found} == {"pear.md"}
    assert search("stone 4", ["fruit"], k=1).passages[0].source == "4.md"


def test_a_collection_made_anew_in_the_same_place_is_not_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_bag_embedder(monkeypatch)
    fill("fruit", FRUIT)
    search("pear", ["fruit"], k=1)
    for file in (tmp_path / "home" / "fruit").iterdir():
        file.unlink()
    fill("fruit", {"cat.md": "A cat.", "dog.md": "A dog.", "cow.md": "A cow."})
    assert search("dog", ["fruit"], k=1, mode="vector").passages[0].page_content == "A dog."


def test_weights_decide_between_the_legs(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = use_bag_embedder(monkeypatch)
    fill("fruit", {"apple.md": "A red apple.", "pear.md": "A green pear."})
    assert search("stone pear", ["fruit"], k=2, weights={"vector": 0}).passages[0].source == "pear.md"
    embedder.fails = "must not be asked"
    assert search("pear", ["fruit"], k=2, weights={"vector": 0}).warnings == []
    with pytest.raises(InputError, match="not both 0"):
        search("pear", ["fruit"], k=2, weights={"vector": 0, "keyword": 0})
    with pytest.raises(InputError, match="give vector and keyword"):
        search("pear", ["fruit"], k=2, weights={"words": 1})


def test_passages_of_one_wording_are_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    copies = {f"copy{number}.md": "A red APPLE,  grows." for number in range(40)}
    fill("fruit", {"apple.md": "A red apple grows!", **copies, "pear.md": "A pear.", "sum.md": "A red apple grows 2."})
    first, *others = search("a red apple grows", ["fruit"], k=3).passages
    assert len(first.metadata["also_in"]) == 40
    assert sorted(passage.source for passage in others) == ["pear.md", "sum.md"]
    assert "also_in" not in others[0].metadata


@pytest.mark.parametrize("mode", ["vector", "keyword", "hybrid"])
def test_thousands_of_copies_leave_room_for_the_others(mode: SearchMode, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    texts = {f"copy{number}.md": "A red apple grows." for number in range(1_000)}
    fill("fruit", texts | {f"other{number}.md": f"An apple on tree {number}." for number in range(9)})
    passages = search("a red apple grows", ["fruit"], k=5, mode=mode).passages
    assert len({passage.page_content for passage in passages}) == 5


def test_what_stands_under_another_heading_is_not_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    fill("staff", {"a.md": "# Ann\n\nPaid 100.\n\n# Bob\n\nPaid 100."}, format="markdown")
    assert {p.heading for p in search("paid", ["staff"], k=5).passages} == {"Ann", "Bob"}


def test_maximal_marginal_relevance_prefers_what_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    fill("fruit", {"1": "red apple one", "2": "red apple two", "3": "red apple six", "4": "red wine cellar"})
    assert {p.source for p in search("red apple", ["fruit"], k=2).passages} <= {"1", "2", "3"}
    assert search("red apple", ["fruit"], k=2, mmr=0.3).passages[1].source == "4"
    assert [p.source for p in search("red apple", ["fruit"], k=4, mmr=1).passages] == [
        p.source for p in search("red apple", ["fruit"], k=4).passages
    ]
    with pytest.raises(InputError, match="mmr=2"):
        search("red apple", ["fruit"], k=2, mmr=2)


def test_children_are_matched_and_parents_returned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    collection = Collection.open("fruit", create=True, chunker="hierarchical")
    pairs = {
        "1": ("red apple ", "green apple "),
        "2": ("red plum ", "blue plum "),
        "3": ("black cherry ", "white cherry "),
    }
    texts = {source: f"{first * 20}\n\n{second * 20}".strip() for source, (first, second) in pairs.items()}
    collection.add([LoadedDocument(source, text, title="Fruit") for source, text in texts.items()])
    assert collection.info().chunks == 6
    for mode in get_args(SearchMode):
        found = search("apple red plum", ["fruit"], k=3, mode=mode).passages
        assert len({passage.source for passage in found}) == len(found) == (2 if mode == "keyword" else 3)
        assert found[0].page_content == texts[found[0].source]
        assert (found[0].start, found[0].end, found[0].heading) == (0, len(texts[found[0].source]), "Fruit")
    vectors = collection.vectors_of([found[0].id or ""])
    assert vectors.shape == (1, 64) and np.linalg.norm(vectors) == pytest.approx(1)
    collection.remove(["1", "2", "3"])
    assert collection.store.passages([found[0].id or ""]) == []


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("GPT-4o", "model"),
        ("gpt-4o的价格", "model"),
        ("C++", "language"),
        ("C#", "sharp"),
        ("error 0x80070005", "error"),
        ("0X80070005", "error"),
        ("1000 units", "number"),
        ("1,000", "number"),
        ("3.14", "pi"),
        ("cafe", "accents"),
        ("CAFÉ", "accents"),
        ("Zürich", "accents"),
        ("猫", "cat"),
        ("喜欢的猫", "cat"),
        ("ＲＡＧ", "width"),
        ("ﾃｽﾄ", "width"),
        ("top_k", "snake"),
    ],
)
def test_each_spelling_is_found_by_words(question: str, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    texts = {
        "model": "Prices of GPT-4o fell; GPT-3 went away.",
        "language": "The engine is written in C++.",
        "sharp": "The window is written in C#.",
        "error": "Setup failed with error 0x80070005 at once.",
        "number": "An order of 1,000 units.",
        "pi": "The ratio is 3.14 or so.",
        "accents": "A cafe\u0301 in Zurich.",
        "cat": "我喜欢猫",
        "width": "RAG のテスト",
        "snake": "Set top_k before.",
    }
    fill("notes", texts)
    assert search(question, ["notes"], k=1, mode="keyword").passages[0].source == source


@pytest.mark.parametrize(
    ("question", "text"), [("数据库备份", "資料庫與數據庫的備份方法"), ("開發環境", "开发环境的设置")]
)
def test_words_are_found_in_either_chinese_script(question: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    Collection.open("notes", create=True).add([LoadedDocument("a", text), LoadedDocument("b", "天气很好")])
    assert [p.page_content for p in search(question, ["notes"], k=5, mode="keyword").passages] == [text]


def test_words_of_an_older_version_are_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    collection = Collection.open("notes", create=True)
    collection.add([LoadedDocument("a", "檢索", title="頭髮")])
    with connect(collection.info().path / FILE, write=True) as db:
        db.execute("DELETE FROM settings WHERE name = 'words'")
        db.execute("UPDATE keywords SET tokens = '檢索'")
    for question in ("检索", "檢索", "头发"):
        assert search(question, ["notes"], k=1, mode="keyword").passages, question
    with connect(collection.info().path / FILE) as db:
        assert words_are_current(db)


@pytest.mark.parametrize("weight", [math.nan, math.inf, -1.0])
def test_a_weight_that_is_no_weight_is_refused(weight: float) -> None:
    with pytest.raises(InputError, match=r"search weights=.*give vector and keyword numbers >= 0"):
        search("x", ["notes"], k=1, weights={"vector": weight})
