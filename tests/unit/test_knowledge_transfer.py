"""A collection as one file, and files that are none."""

import os
import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from groundgraph.errors import CollectionError, InputError
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.filter import Filter
from groundgraph.knowledge.index import Collection, collections
from groundgraph.knowledge.search import search
from tests.embedder import use_bag_embedder


@pytest.fixture
def exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    use_bag_embedder(monkeypatch)
    collection = Collection.open("notes", create=True)
    collection.describe("Fruit")
    texts = {"a": "red apple", "b": "green pear", "c": "blue plum"}
    collection.add([LoadedDocument(source, text, metadata={"kind": source}) for source, text in texts.items()])
    collection.remove(["a"])
    collection.export(tmp_path / "notes.groundgraph")
    return tmp_path / "notes.groundgraph"


def change(file: Path, *statements: str, checksum: bool = False) -> None:
    """Change an exported file as somebody can who takes its checksum away, or with damage that leaves it."""
    db = sqlite3.connect(file)
    for statement in statements:
        db.execute(statement)
    if not checksum:
        db.execute("DELETE FROM settings WHERE name = 'checksum'")
    db.commit()
    db.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE documents SET title = 'Other' WHERE id = 2",
        "UPDATE documents SET metadata = '{}' WHERE id = 2",
        "UPDATE documents SET date = '2024-01-01' WHERE id = 2",
        "UPDATE chunks SET page = 7 WHERE id = 3",
        "UPDATE vectors SET vector = (SELECT vector FROM vectors WHERE chunk = 2) WHERE chunk = 3",
        "UPDATE settings SET value = 'Trees' WHERE name = 'description'",
        "DELETE FROM documents WHERE id = 2",
        "UPDATE settings SET value = 'abc' WHERE name = 'checksum'",
    ],
)
def test_damage_that_still_makes_a_collection_is_told_by_the_checksum(exported: Path, statement: str) -> None:
    change(exported, "PRAGMA foreign_keys = ON", statement, checksum=True)
    with pytest.raises(CollectionError, match="its checksum is another: it was damaged on its way"):
        Collection.from_file("copy", exported)
    assert [info.name for info in collections()] == ["notes"]


def test_a_file_of_the_working_folder(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(exported.parent)
    Collection.open("notes").export(Path("again.groundgraph"))
    assert Collection.from_file("copy", Path("again.groundgraph")).sources() == ["b", "c"]


def test_a_file_of_an_earlier_version_has_no_checksum(exported: Path) -> None:
    change(exported)
    assert Collection.from_file("copy", exported).sources() == ["b", "c"]


def test_a_collection_survives_the_journey(exported: Path) -> None:
    original, copy = Collection.open("notes"), Collection.from_file("copy", exported)
    for field in ("description", "documents", "chunks", "embedding_model", "dimension", "chunker"):
        assert getattr(copy.info(), field) == getattr(original.info(), field)
    for mode in ("vector", "keyword"):
        assert search("green pear", ["copy"], k=1, mode=mode).passages[0].page_content == "green pear"  # type: ignore[arg-type]
    assert [p.source for p in search("plum", ["copy"], k=5, where=Filter(metadata={"kind": "c"})).passages] == ["c"]
    copy.add([LoadedDocument("d", "black cherry")])
    assert search("black cherry", ["copy"], k=1).passages[0].source == "d"
    assert original.sources() == ["b", "c"]


NAMES = st.text(st.characters(codec=None), max_size=20) | st.sampled_from(["a\tb", "c\nd", "\x1b[1m", "x" * 9000, " "])
JSON_VALUES = st.none() | st.text(max_size=20) | st.integers() | st.floats() | st.lists(st.text(max_size=5), max_size=2)


@settings(
    max_examples=15,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    documents=st.lists(
        st.builds(
            LoadedDocument,
            source=NAMES,
            text=st.text(min_size=1, max_size=60),
            title=st.text(max_size=20),
            metadata=st.dictionaries(
                st.sampled_from(["lang", "language", "date", "kind"]), JSON_VALUES | st.just("e" * 500), max_size=3
            ),
            file=NAMES,
        ),
        max_size=3,
        unique_by=lambda document: document.source,
    ),
    description=st.text(max_size=40) | st.just("a\x00\x1b\u2028b"),
)
def test_whatever_was_indexed_can_be_exported_and_imported(
    documents: list[LoadedDocument], description: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_bag_embedder(monkeypatch)
    with TemporaryDirectory() as folder:
        home, file = Path(folder) / "home", Path(folder) / "one.groundgraph"
        original = Collection.open("one", home, create=True)
        original.describe(description)
        original.add(documents)
        original.export(file)
        copy = Collection.from_file("two", file, home)
        assert copy.sources() == original.sources()
        assert copy.info().description == original.info().description
        assert copy.store.kept() == original.store.kept()


def test_nothing_is_overwritten(exported: Path) -> None:
    with pytest.raises(CollectionError, match="'notes' exists: delete it first, or import under another name"):
        Collection.from_file("notes", exported)
    with pytest.raises(InputError, match="cannot export"):
        Collection.open("notes").export(exported)
    assert Collection.open("notes").sources() == ["b", "c"]


def test_questions_go_to_no_model_that_a_file_names(exported: Path) -> None:
    change(exported, "UPDATE settings SET value = 'openai:listener' WHERE name = 'embedding_model'")
    with pytest.raises(CollectionError, match="if you trust it, import with --embedding-model openai:listener"):
        Collection.from_file("copy", exported)
    assert Collection.from_file("copy", exported, embedding_model="openai:listener").info().documents == 2


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER bomb AFTER INSERT ON chunks BEGIN DELETE FROM documents; END",
        "CREATE TABLE more (x)",
        "CREATE INDEX odd ON chunks (abs(id))",
        "PRAGMA user_version = 1",
        "PRAGMA user_version = 99",
        "DELETE FROM settings",
        "UPDATE settings SET value = 63 WHERE name = 'dimension'",
        "UPDATE settings SET value = -1 WHERE name = 'dimension'",
        "UPDATE settings SET value = 'magic' WHERE name = 'chunker'",
        "UPDATE documents SET metadata = '[1]'",
        "UPDATE documents SET metadata = '{'",
        "UPDATE documents SET title = x'00'",
        "UPDATE chunks SET text = CAST(x'ff' AS TEXT)",
        "UPDATE chunks SET document = 77",
        "UPDATE chunks SET parent = 1",
        'UPDATE chunks SET "start" = -1',
        "UPDATE chunks SET page = 'x'",
        "UPDATE chunks SET id = 9223372036854775807 WHERE id = 3",
        "UPDATE vectors SET vector = zeroblob(255)",
        "UPDATE vectors SET vector = 'abc'",
        "DELETE FROM vectors WHERE chunk = 3",
    ],
)
def test_a_file_that_was_changed_is_refused(exported: Path, statement: str) -> None:
    change(exported, statement)
    with pytest.raises(CollectionError, match=r"is no whole collection \(.+\): export it again"):
        Collection.from_file("copy", exported)
    assert [info.name for info in collections()] == ["notes"]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE documents SET source = '' WHERE id = 2", "row 2 of documents: source is ''"),
        ("UPDATE documents SET source = ' ' WHERE id = 2", "row 2 of documents: source is ' '"),
        ("UPDATE documents SET source = 'a' || char(10) || 'b' WHERE id = 2", r"row 2 of documents: source is 'a\\nb'"),
        ("UPDATE documents SET source = printf('%.9000c', 'x') WHERE id = 2", "row 2 of documents: source is 'xxx"),
        ("UPDATE documents SET origin = char(8232)", "row 2 of documents: origin is "),
        ("UPDATE documents SET digest = 'abc'", "row 2 of documents: digest is 'abc'"),
        ("UPDATE documents SET language = 'e' || char(10)", "row 2 of documents: language is "),
        ("UPDATE documents SET date = '2024-02-30'", "row 2 of documents: date is '2024-02-30'"),
        ("UPDATE documents SET date = '2024'", "row 2 of documents: date is '2024'"),
        ("UPDATE documents SET metadata = '{'", "row 2 of documents: metadata is no JSON"),
        ("UPDATE chunks SET digest = upper(digest) WHERE id = 3", "row 3 of chunks: digest is "),
        ("UPDATE chunks SET text = 'other' WHERE id = 3", "row 3 of chunks: digest is not that of heading and text"),
        ('UPDATE chunks SET "start" = 9, "end" = 8 WHERE id = 3', "row 3 of chunks: end 8 lies before start 9"),
        ("UPDATE chunks SET document = 77 WHERE id = 3", "row 3 of chunks: FOREIGN KEY constraint failed"),
        (
            "UPDATE settings SET value = printf('%.501c', 'x') WHERE name = 'description'",
            "row 'description' of settings",
        ),
        ("UPDATE settings SET value = 'a' || char(27) WHERE name = 'description'", "row 'description' of settings"),
        ("UPDATE settings SET value = 0 WHERE name = 'dimension'", "row 2 of vectors: vector is not 0 numbers"),
        ("UPDATE settings SET value = 65537 WHERE name = 'dimension'", "vectors of 65537 dimensions"),
        ("DELETE FROM vectors WHERE chunk = 3", "row 3 of chunks: there is no vector for it"),
    ],
)
def test_what_is_wrong_is_named_with_its_row_and_field(exported: Path, statement: str, said: str) -> None:
    change(exported, statement)
    with pytest.raises(CollectionError, match=said) as error:
        Collection.from_file("copy", exported)
    assert len(str(error.value).splitlines()) == 1
    assert [info.name for info in collections()] == ["notes"]


@pytest.mark.parametrize("number", [np.nan, np.inf, 0, 1, 1e38, 0.1])
def test_a_vector_that_is_not_of_length_1_is_refused(exported: Path, number: float) -> None:
    blob = np.full(64, number, "<f4").tobytes().hex()
    change(exported, f"UPDATE vectors SET vector = x'{blob}' WHERE chunk = 3")
    with pytest.raises(CollectionError, match="row 3 of vectors: vector is not 64 numbers of length 1"):
        Collection.from_file("copy", exported)
    assert [info.name for info in collections()] == ["notes"]


def test_a_description_is_one_line_of_some_length() -> None:
    collection = Collection.open("notes", embedding_model="e5:multilingual-e5-small", create=True)
    collection.describe(" About\n fruit. ")
    assert collection.info().description == "About fruit."
    with pytest.raises(InputError, match="a description of 501 characters is too long: say it in 500"):
        collection.describe("x" * 501)


@pytest.mark.parametrize("content", [b"", b"not a database " * 500, b"SQLite format 3\x00" + os.urandom(9000)])
def test_a_file_that_is_something_else_is_refused(exported: Path, content: bytes) -> None:
    exported.write_bytes(content)
    with pytest.raises(CollectionError, match="no whole collection"):
        Collection.from_file("copy", exported)


def test_a_file_cut_or_altered_anywhere_never_makes_half_a_collection(exported: Path) -> None:
    good = exported.read_bytes()
    for place in range(0, len(good), 4096):
        exported.write_bytes(good[:place] + os.urandom(512) + good[place + 512 :] if place % 8192 else good[:place])
        try:
            Collection.from_file("copy", exported).delete()
        except CollectionError:
            assert [info.name for info in collections()] == ["notes"]


def test_views_in_place_of_tables_are_refused(exported: Path) -> None:
    change(exported, "ALTER TABLE parents RENAME TO real", "CREATE VIEW parents AS SELECT * FROM real")
    with pytest.raises(CollectionError, match="other tables than a collection has"):
        Collection.from_file("copy", exported)


def test_a_missing_file(exported: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        Collection.from_file("copy", exported.with_name("other"))


def test_a_collection_is_deleted(exported: Path, tmp_path: Path) -> None:
    Collection.open("notes").delete()
    assert collections() == []
    assert [*(tmp_path / "home").iterdir()] == []
    with pytest.raises(CollectionError, match="no collection 'notes'"):
        Collection.open("notes")


def test_what_is_not_ours_is_not_deleted(exported: Path) -> None:
    collection = Collection.open("notes")
    (collection.info().path / "thesis.docx").write_text("precious")
    with pytest.raises(CollectionError, match=r"holds 'thesis\.docx', which is not ours"):
        collection.delete()
    assert collection.sources() == ["b", "c"]
