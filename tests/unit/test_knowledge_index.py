import json
import sqlite3
from pathlib import Path

import pytest

from groundgraph.errors import CollectionError, InputError, ModelUnavailable
from groundgraph.knowledge.chunk import CHUNKERS
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection, collections, index
from groundgraph.knowledge.search import search
from tests.embedder import use_bag_embedder


def documents(**texts: str) -> list[LoadedDocument]:
    return [LoadedDocument(source, text) for source, text in texts.items()]


def test_a_folder_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = use_bag_embedder(monkeypatch)
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.md").write_text(f"Text of {name}.")
    first = index([folder])
    (folder / "a.md").unlink()
    (folder / "b.md").write_text("Another text.")
    (folder / "d.md").write_text("Text of c.")
    second = index([folder])
    assert (first.added, first.updated, first.unchanged, first.removed, first.embedded) == (3, 0, 0, 0, 3)
    assert (second.added, second.updated, second.unchanged, second.removed, second.chunks) == (1, 1, 1, 1, 3)
    assert embedder.embedded[3:] == ["Another text."]


def test_a_row_gone_from_a_jsonl_file_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(json.dumps({"pid": pid, "text": f"Text {pid}."}) for pid in "ab"))
    index([file], jsonl=True)
    file.write_text(json.dumps({"pid": "b", "text": "Text b."}))
    assert index([file], jsonl=True).removed == 1
    assert Collection.open("default").sources() == ["b"]


def test_what_came_from_elsewhere_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(f"Text {name}.")
        index([tmp_path / name])
    assert len(Collection.open("default").sources()) == 2


def test_what_is_left_out_of_a_reading_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    folder = tmp_path / "mix"
    folder.mkdir()
    (folder / "handbook.md").write_text("The sea is deep.")
    (folder / ".draft.md").write_text("The sky is blue.")
    (folder / "rows.jsonl").write_text(json.dumps({"pid": "r", "text": "The rain is wet."}))
    index([folder, folder / ".draft.md"])
    only_rows = index([folder], jsonl=True)
    assert (only_rows.unchanged, only_rows.removed) == (1, 0)
    (folder / "handbook.md").unlink()
    assert index([folder], jsonl=True).removed == 1
    assert [Path(source).name for source in Collection.open("default").sources()] == [".draft.md", "r"]


def test_what_became_unreadable_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    (tmp_path / "docs").mkdir()
    for name in ("a", "b", "c"):
        (tmp_path / "docs" / f"{name}.txt").write_text(f"Text of {name}.")
    index([tmp_path / "docs"])
    (tmp_path / "docs" / "a.txt").write_bytes(bytes(500))
    (tmp_path / "docs" / "b.txt").unlink()
    report = index([tmp_path / "docs"])
    assert [Path(one.source).name for one in report.unreadable] == ["a.txt"]
    assert [Path(source).name for source in Collection.open("default").sources()] == ["a.txt", "c.txt"]


def test_a_collection_says_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    collection = Collection.open("知识-1", create=True)
    collection.add(documents(a="One.", b="Two."))
    collection.describe("Numbers")
    info = collections()[0]
    assert (info.name, info.description, info.documents, info.chunks) == ("知识-1", "Numbers", 2, 2)
    assert (info.embedding_model, info.dimension, info.chunker) == ("bag:64", 64, "paragraph")
    assert info.path == tmp_path / "home" / "知识-1"
    assert collection.remove(["a", "nothing"]) == 1
    assert collection.info().generation == info.generation + 1


def test_a_missing_collection_names_the_command_and_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    Collection.open("notes", create=True)
    with pytest.raises(
        CollectionError, match=r"'other' \(there are: notes\).*groundgraph index PATH --collection other"
    ):
        Collection.open("other")


@pytest.mark.parametrize("name", ["", "../up", "a b", "-x", "x" * 65])
def test_a_name_that_could_be_a_path_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="collection name"):
        Collection.open(name, create=True)


def test_an_empty_collection_may_take_another_model(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    Collection.open("notes", create=True)
    assert Collection.open("notes", embedding_model="bag:8").info().embedding_model == "bag:8"


def test_stored_vectors_are_those_of_the_passages(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = use_bag_embedder(monkeypatch)
    collection = Collection.open("notes", create=True)
    collection.add(documents(a="red apple", b="green pear"))
    found = search("pear apple", ["notes"], k=2).passages
    vectors = collection.vectors_of([passage.id or "" for passage in found])
    assert vectors == pytest.approx(embedder.embed_passages([passage.context for passage in found]))
    with pytest.raises(CollectionError, match="no longer holds 'notes:99'"):
        collection.vectors_of(["notes:99"])


def test_an_interrupt_keeps_what_is_committed(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = use_bag_embedder(monkeypatch)
    collection = Collection.open("notes", create=True)
    many = documents(**{f"d{number}": f"Text number {number}." for number in range(200)})

    def interrupt(_stage: str, done: int, _total: int) -> None:
        if done >= 128:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        collection.add(many, interrupt)
    assert collection.info().documents in {64, 128}
    assert search("number 7", ["notes"], k=1).passages[0].page_content == "Text number 7."
    collection.add(many)
    assert collection.info().documents == 200
    assert len(embedder.embedded) <= 264


def test_a_model_that_fails_leaves_the_collection_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = use_bag_embedder(monkeypatch)
    collection = Collection.open("notes", create=True)
    collection.add(documents(a="red apple"))
    embedder.fails = "endpoint down"
    with pytest.raises(ModelUnavailable):
        collection.add(documents(b="green pear"))
    assert collection.sources() == ["a"]


def test_a_full_disk_is_one_line_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    collection = Collection.open("notes", create=True)
    collection.add(documents(a="red apple"))
    connect = sqlite3.connect

    def small_disk(*args: object, **options: object) -> sqlite3.Connection:
        db = connect(*args, **options)  # type: ignore[call-overload]
        db.execute("PRAGMA max_page_count = 40")
        return db

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", small_disk)
        with pytest.raises(CollectionError, match=r"disk full or failing.*free some space and run again"):
            collection.add(documents(b="green pear. " * 20_000))
    assert [passage.source for passage in search("green apple", ["notes"], k=5).passages] == ["a"]


def test_a_collection_whose_making_was_cut_short_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    (tmp_path / "home" / "notes").mkdir(parents=True)
    (tmp_path / "home" / "notes" / "collection.sqlite").touch()
    assert collections() == []
    with pytest.raises(CollectionError, match="no collection 'notes'"):
        Collection.open("notes")
    assert Collection.open("notes", create=True).info().documents == 0


def test_a_file_that_is_no_collection_says_how_to_mend_it(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    path = Collection.open("notes", create=True).info().path
    (path / "collection.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(CollectionError, match=r"is damaged.*groundgraph collections delete notes, then index again"):
        Collection.open("notes").info()


def test_another_chunker_cuts_anew_and_embeds_only_new_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = use_bag_embedder(monkeypatch)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "short.txt").write_text("Short text.")
    (tmp_path / "docs" / "long.txt").write_text("One sentence of some length. " * 30 + "\n\nAnother paragraph.")
    assert index([tmp_path / "docs"]).embedded == 3
    report = index([tmp_path / "docs"], chunker="fixed")
    assert (report.updated, report.unchanged) == (2, 0)
    assert 0 < report.embedded < report.chunks
    assert embedder.embedded.count("Short text.") == 1
    assert Collection.open("default").info().chunker == "fixed"
    assert index([tmp_path / "docs"]).unchanged == 2
    with pytest.raises(InputError, match="unknown chunker 'magic'; choose one of paragraph"):
        index([tmp_path / "docs"], chunker="magic")


PRICES = "\n".join(["| name | price |", "| --- | --- |", *(f"| thing {one} | {one} euros |" for one in range(150))])


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_every_chunker_indexes(chunker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    (tmp_path / "a.md").write_text("# Sea\n\n" + "The sea is deep. The sky is blue. " * 30 + f"\n\n{PRICES}")
    assert index([tmp_path / "a.md"], chunker=chunker).chunks > 2
    assert "99 euros" in search("thing 99", ["default"], k=5, mode="keyword").passages[0].page_content
    assert index([tmp_path / "a.md"]).unchanged == 1


def test_a_parent_that_goes_on_with_a_table_has_its_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    (tmp_path / "a.md").write_text(PRICES)
    index([tmp_path / "a.md"], chunker="hierarchical")
    (found,) = search("thing 149", ["default"], k=1, mode="keyword").passages
    assert found.page_content.startswith("| name | price |\n| --- | --- |\n| thing") and len(found.page_content) > 1000
