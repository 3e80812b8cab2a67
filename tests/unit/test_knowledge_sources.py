"""One document for each source: odd file names, ids that meet, files behind links, and what an interrupt leaves."""

import json
import os
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundgraph.errors import InputError
from groundgraph.knowledge import ingest
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection, collections, index
from groundgraph.knowledge.ingest import gone
from groundgraph.knowledge.search import search
from groundgraph.knowledge.sources import CONTROL, file_of, source_of
from groundgraph.knowledge.store import Kept
from tests.embedder import BagEmbedder, use_bag_embedder

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such file names")


@pytest.fixture(autouse=True)
def embedder(monkeypatch: pytest.MonkeyPatch) -> BagEmbedder:
    return use_bag_embedder(monkeypatch)


def write_rows(file: Path, **texts: str) -> Path:
    file.write_text("\n".join(json.dumps({"pid": pid, "text": text}) for pid, text in texts.items()))
    return file


def texts() -> dict[str, str]:
    found = search("text", ["default"], k=99, mode="keyword").passages
    return {passage.source: passage.page_content for passage in found}


@on_posix
@given(st.binary(min_size=1, max_size=20).filter(lambda name: not {0, 47} & set(name)))
def test_every_file_name_has_a_source_of_its_own(name: bytes) -> None:
    path = os.fsdecode(name)
    assert file_of(source_of(path)) == path
    assert not CONTROL.search(source_of(path)) and source_of(path).encode()


@on_posix
def test_files_with_odd_names_are_all_indexed(tmp_path: Path) -> None:
    names = [b"caf\xe8.txt", b"caf\xe9.txt", b"a\tb.txt", b"a b.txt", b"a\nb.txt", rb"a\x09b.txt"]
    for name in names:
        (tmp_path / os.fsdecode(name)).write_text(f"text {name!r}")
    (tmp_path / "rows.jsonl").write_text('{"text": "text of a row"}')
    report = index([tmp_path])
    assert (report.added, report.unreadable) == (7, [])
    assert index([tmp_path], jsonl=True).removed == 0  # they are found again under their names
    os.remove(os.path.join(os.fsencode(tmp_path), names[0]))
    assert index([tmp_path]).removed == 1


def test_the_second_document_of_an_id_is_listed_and_the_rest_indexed(tmp_path: Path) -> None:
    first = write_rows(tmp_path / "1.jsonl", a="text one", b="text of b")
    second = write_rows(tmp_path / "2.jsonl", a="text two", c="text of c")
    report = index([first, second])
    (clash,) = report.unreadable
    assert clash.source == "a" and f"'{second}' has the same id as '{first}'" in clash.reason
    assert texts() == {"a": "text one", "b": "text of b", "c": "text of c"}


def test_an_id_that_another_file_holds_is_not_taken_over(tmp_path: Path) -> None:
    first, second = write_rows(tmp_path / "1.jsonl", a="text one"), write_rows(tmp_path / "2.jsonl", a="text two")
    index([second])
    assert [one.source for one in index([first]).unreadable] == ["a"]
    assert [one.source for one in index([first, second]).unreadable] == ["a"]
    assert texts() == {"a": "text two"}
    write_rows(second, b="text of b")
    assert index([first, second]).unreadable == []  # it moved from the one to the other
    assert texts() == {"a": "text one", "b": "text of b"}
    first.rename(tmp_path / "3.jsonl")
    assert index([tmp_path / "3.jsonl"]).unreadable == []
    assert texts() == {"a": "text one", "b": "text of b"}


def test_a_document_given_twice_is_an_error() -> None:
    with pytest.raises(InputError, match="two documents have the source 'a'"):
        Collection.open("notes", create=True).add([LoadedDocument("a", "x"), LoadedDocument("a", "y")])


@pytest.mark.parametrize("source", ["", " ", "x" * 9000])
def test_a_document_without_a_usable_id_is_listed(source: str) -> None:
    report = Collection.open("notes", create=True).add([LoadedDocument(source, "text"), LoadedDocument("b", "text")])
    assert report.added == 1
    assert report.unreadable[0].reason == f"an id or path of {len(source):,} characters; give one of 1 to 8,192"


@pytest.mark.parametrize("path", ["", " "])
def test_an_empty_path_removes_nothing(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_rows(tmp_path / "rows.jsonl", a="text")
    monkeypatch.chdir(tmp_path)
    index(["."])
    with pytest.raises(InputError, match="a path is empty"):
        index([path], prune=True)
    assert texts() == {"a": "text"}


def test_a_row_that_became_unreadable_keeps_its_text(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "text one"}\n{"text": "text two"}')
    index([rows])
    rows.write_text('{"text": "text one"}\n{"text": "text tw')
    report = index([rows])
    assert (report.removed, [one.source for one in report.unreadable]) == (0, [f"{rows}#2"])


@on_posix
@pytest.mark.parametrize("given", ["notes", "."])
def test_a_folder_that_became_a_link_leaves_no_old_text(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes").mkdir()
    Path("other.txt").write_text("text of another")
    Path("notes/a.txt").write_text("text one")
    index([given])
    moved = tmp_path.with_name(f"{tmp_path.name}-moved")
    Path("notes").rename(moved)
    Path("notes").symlink_to(moved)
    (moved / "a.txt").write_text("text two")
    report = index([given])
    assert report.removed == 1
    assert "text one" not in texts().values()


def test_what_is_gone_is_found_in_a_time_that_many_paths_do_not_multiply() -> None:
    kept = {f"/archive/old/{number}.md": Kept("", f"/archive/old/{number}.md") for number in range(5_000)}
    paths = [Path(f"/archive/new/{number}.md") for number in range(1_000)]
    begun = time.process_time()
    assert gone(kept, {}, [], paths) == []
    assert len(gone(kept, {}, [f"/archive/{number}.png" for number in range(1_000)], [Path("/archive")])) == 5_000
    assert time.process_time() - begun < 5  # one by one it was minutes


def interrupt_after(count: int) -> "ingest.Progress":
    def interrupt(stage: str, done: int, _total: int) -> None:
        if stage == "embed" and done >= count:
            raise KeyboardInterrupt

    return interrupt


def test_an_interrupt_keeps_what_is_embedded_of_a_large_file(tmp_path: Path, embedder: BagEmbedder) -> None:
    file = tmp_path / "large.md"
    file.write_text("\n\n".join(f"# Part {number}\n\ntext {number}" for number in range(200)))
    with pytest.raises(KeyboardInterrupt):
        index([file], progress=interrupt_after(128))
    assert [info.name for info in collections()] == ["default"]
    assert texts() == {}  # no half document is seen
    before = len(embedder.embedded)
    report = index([file])
    assert (before, report.embedded, report.chunks) == (128, 72, 200)
    assert len(set(embedder.embedded)) == len(embedder.embedded) == 200
    assert not (Collection.open("default").info().path / "unfinished.sqlite").exists()
    Collection.open("default").delete()


def test_an_interrupt_before_anything_is_embedded_leaves_no_collection(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", a="text")
    with pytest.raises(KeyboardInterrupt):
        index([tmp_path], progress=interrupt_after(0))
    assert collections() == []
