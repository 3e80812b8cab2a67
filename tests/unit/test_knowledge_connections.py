"""Read connections stay open from one search to the next, and never show what is no longer so."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from groundgraph.errors import CollectionError
from groundgraph.knowledge.connections import ReadConnections
from groundgraph.knowledge.database import connect
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.filter import Filter
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.search import search
from tests.embedder import use_bag_embedder


def notes(**texts: str) -> Collection:
    collection = Collection.open("notes", create=True)
    collection.add([LoadedDocument(source, text) for source, text in texts.items()])
    return collection


def found(question: str) -> list[str]:
    return [passage.page_content for passage in search(question, ["notes"], k=5).passages]


def numbers(file: Path, *values: int) -> Path:
    """Make a SQLite file of some numbers."""
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("CREATE TABLE numbers (number)")
        db.executemany("INSERT INTO numbers VALUES (?)", ((value,) for value in values))
    return file


def read(lender: ReadConnections, file: Path) -> list[int]:
    with lender.lend(file) as db:
        return [number for (number,) in db.execute("SELECT number FROM numbers")]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return what SQLite has been asked to open since."""
    files: list[object] = []
    opens = sqlite3.connect

    def noted(file: str, *args: object, **options: object) -> sqlite3.Connection:
        files.append(file)
        return opens(file, *args, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(sqlite3, "connect", noted)
    return files


def test_a_second_search_opens_no_file(monkeypatch: pytest.MonkeyPatch, opened: list[object]) -> None:
    use_bag_embedder(monkeypatch)
    notes(a="red apple", b="green pear")
    found("red apple")
    opened.clear()
    assert found("green pear")[0] == "green pear"
    assert opened == []


def test_a_search_sees_what_another_connection_wrote(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    collection = notes(a="red apple")
    assert found("apple") == ["red apple"]
    with closing(sqlite3.connect(collection.info().path / "collection.sqlite")) as db, db:
        db.execute("UPDATE chunks SET text = 'red apple, by another process'")
    assert found("apple") == ["red apple, by another process"]


def test_a_collection_made_anew_shows_nothing_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_bag_embedder(monkeypatch)
    collection = notes(a="red apple", b="green pear")
    collection.export(tmp_path / "notes.groundgraph")
    assert len(found("apple")) == 2
    collection.delete()
    with pytest.raises(CollectionError, match="no collection 'notes'"):
        found("apple")
    collection = notes(c="yellow plum")
    assert found("apple plum") == ["yellow plum"]
    collection.delete()
    Collection.from_file("notes", tmp_path / "notes.groundgraph")
    assert len(found("apple")) == 2


READINGS: dict[str, Callable[[Collection, list[str]], object]] = {
    "open": lambda collection, ids: Collection.open("notes"),
    "info": lambda collection, ids: collection.info(),
    "kept": lambda collection, ids: collection.store.kept(),
    "known_vectors": lambda collection, ids: collection.store.known_vectors(["unknown"]),
    "matching": lambda collection, ids: collection.store.matching("apple", 1, Filter(source="a")),
    "passages": lambda collection, ids: collection.store.passages(ids),
    "vectors": lambda collection, ids: collection.vectors_of(ids),
    "refresh": lambda collection, ids: collection.store.refresh(),
    "search": lambda collection, ids: search("apple", ["notes"], k=1),
}


@pytest.mark.parametrize("name", READINGS)
def test_no_reading_leaves_a_statement_open(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that did would keep others from emptying the journal, and show its next borrower old content."""
    use_bag_embedder(monkeypatch)
    collection = notes(a="red apple", b="green apple")
    ids = [passage.id or "" for passage in search("apple", ["notes"], k=2).passages]
    READINGS[name](collection, ids)
    with closing(sqlite3.connect(collection.info().path / "collection.sqlite", timeout=0)) as db:
        db.execute("INSERT INTO settings VALUES ('newer', 1)")
        db.commit()
        assert db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0


def test_threads_never_share_a_connection_at_one_time(tmp_path: Path) -> None:
    file, lender, together = numbers(tmp_path / "n.sqlite", 1), ReadConnections(), Barrier(8)

    def borrow(_: int) -> int:
        with lender.lend(file) as db:
            together.wait(10)
            return id(db)

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(borrow, range(8)))) == 8
    lender.close()


def test_only_so_many_stay_open(tmp_path: Path) -> None:
    lender, lent = ReadConnections(), []
    for number in range(20):
        with lender.lend(numbers(tmp_path / f"{number}.sqlite", number)) as db:
            lent.append(db)
    assert [is_open(db) for db in lent] == [False] * 4 + [True] * 16
    lender.close()
    assert not any(map(is_open, lent))


def test_a_file_that_was_exchanged_is_opened_anew(tmp_path: Path) -> None:
    lender, file = ReadConnections(), numbers(tmp_path / "n.sqlite", 1)
    with lender.lend(file) as db:
        pass
    numbers(tmp_path / "other.sqlite", 2).replace(file)
    assert read(lender, file) == [2]
    assert not is_open(db)
    file.unlink()
    with pytest.raises(sqlite3.OperationalError, match="unable to open"):
        read(lender, file)


def test_a_file_that_goes_while_it_is_read_is_closed_after(tmp_path: Path) -> None:
    lender, file = ReadConnections(), numbers(tmp_path / "n.sqlite", 1)
    with lender.lend(file) as db:
        file.unlink()
    assert not is_open(db)


def test_a_connection_is_closed_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    file = notes(a="red apple").info().path / "collection.sqlite"
    with pytest.raises(CollectionError, match="no such table"), connect(file) as db:
        db.execute("SELECT * FROM elsewhere")
    assert not is_open(db)


FORKING = """
import os, sys
from pathlib import Path
from groundgraph.knowledge.connections import read_connections

file = Path(sys.argv[1])
with read_connections.lend(file) as parents:
    pass
child = os.fork()
with read_connections.lend(file) as db:
    is_right = db is not parents and db.execute("SELECT number FROM numbers").fetchall() == [(7,)]
if child:
    is_right = is_right and os.waitpid(child, 0)[1] == 0
    sys.exit(not is_right)
os._exit(not is_right)
"""


def test_a_fork_takes_no_connection_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    script = [sys.executable, "-c", FORKING, str(numbers(tmp_path / "n.sqlite", 7))]
    assert subprocess.run(script, timeout=30).returncode == 0


def is_open(db: sqlite3.Connection) -> bool:
    try:
        return bool(db.execute("SELECT 1").fetchall())
    except sqlite3.ProgrammingError:
        return False
