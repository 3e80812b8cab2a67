"""What becomes of documents whose files are there no more, and of collections that never got any."""

import shutil
from pathlib import Path

import pytest

from groundgraph.errors import CollectionError, InputError, LoadError, ModelUnavailable
from groundgraph.knowledge.index import Collection, collections, delete, index
from tests.embedder import BagEmbedder, use_bag_embedder


@pytest.fixture(autouse=True)
def embedder(monkeypatch: pytest.MonkeyPatch) -> BagEmbedder:
    return use_bag_embedder(monkeypatch)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "disk" / "notes"
    folder.mkdir(parents=True)
    for name in ("sea", "sky"):
        (folder / f"{name}.md").write_text(f"The {name} is deep.")
    return folder


def names() -> list[str]:
    return [Path(source).name for source in Collection.open("default").sources()]


def test_an_emptied_folder_is_emptied_here_too(folder: Path) -> None:
    index([folder])
    for file in folder.iterdir():
        file.unlink()
    report = index([folder])
    assert (report.removed, report.chunks) == (2, 0)
    with pytest.raises(LoadError, match="no files in it"):
        index([folder])


def test_a_folder_that_keeps_only_unreadable_files_loses_the_others(folder: Path) -> None:
    index([folder])
    (folder / "sea.md").unlink()
    (folder / "sky.md").write_bytes(bytes(500))
    report = index([folder])
    assert report.removed == 1 and [Path(one.source).name for one in report.unreadable] == ["sky.md"]
    assert names() == ["sky.md"]


def test_a_deleted_file_is_removed_by_its_name(folder: Path, tmp_path: Path) -> None:
    index([folder])
    (folder / "sea.md").unlink()
    (tmp_path / "link").symlink_to(folder)
    assert index([tmp_path / "link" / "sea.md"]).removed == 1
    assert names() == ["sky.md"]
    with pytest.raises(InputError, match="no such file or folder"):
        index([folder / "sea.md"])


def test_a_deleted_file_beside_others(folder: Path) -> None:
    index([folder])
    (folder / "sea.md").unlink()
    (folder / "sky.md").write_text("The sky is blue.")
    report = index([folder / "sea.md", folder / "sky.md"])
    assert (report.removed, report.updated) == (1, 1)


def test_a_folder_that_is_away_loses_nothing_unless_asked_to(folder: Path) -> None:
    index([folder])
    shutil.move(folder.parent, folder.parent.with_name("unmounted"))
    for path in (folder, folder.parent, folder / "sea.md"):
        with pytest.raises(InputError, match=r"documents of the collection came from there: mount its disk.*--prune"):
            index([path])
    assert len(names()) == 2
    assert index([folder.parent], prune=True).removed == 2


def test_a_mistyped_path_loses_nothing(folder: Path) -> None:
    index([folder])
    (folder / "sea.md").unlink()
    for prune in (False, True):
        with pytest.raises(InputError, match=r"no such file or folder: .*seas\.md'; check the spelling"):
            index([folder, folder / "seas.md"], prune=prune)
    assert len(names()) == 2


def test_a_first_index_that_failed_leaves_no_collection(folder: Path, embedder: BagEmbedder) -> None:
    embedder.fails = "endpoint down"
    with pytest.raises(ModelUnavailable):
        index([folder])
    assert collections() == []
    Collection.open("default", create=True)
    with pytest.raises(ModelUnavailable):
        index([folder])
    assert [one.name for one in collections()] == ["default"], "one that was made before stays"


@pytest.mark.parametrize("model", ["foo:bar", "e5:bar", "bar"])
def test_no_collection_is_made_with_an_unknown_model(folder: Path, model: str) -> None:
    with pytest.raises(InputError, match=f"embedding model '{model}'"):
        index([folder], embedding_model=model)
    with pytest.raises(InputError, match=f"embedding model '{model}'"):
        Collection.open("notes", embedding_model=model, create=True)
    assert collections() == []
    Collection.open("notes", create=True)
    with pytest.raises(InputError, match=f"embedding model '{model}'"):
        Collection.open("notes", embedding_model=model)


def test_a_damaged_collection_can_be_deleted(tmp_path: Path) -> None:
    Collection.open("notes", create=True)
    (tmp_path / "home" / "notes" / "collection.sqlite").write_bytes(b"junk " * 1000)
    with pytest.raises(CollectionError, match="groundgraph collections delete notes, then index again"):
        Collection.open("notes")
    delete("notes")
    assert collections() == []
    with pytest.raises(CollectionError, match="no collection 'notes'"):
        delete("notes")


def test_a_collection_deleted_while_it_is_indexed_is_named(folder: Path) -> None:
    def meanwhile(stage: str, done: int, _total: int) -> None:
        if stage == "load" and done == 2:
            delete("default")

    with pytest.raises(CollectionError, match="collection 'default' was deleted while it was in use: index"):
        index([folder], progress=meanwhile)
    assert collections() == []
