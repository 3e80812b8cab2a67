"""Two processes ingest 20 files each → vectors = chunks = keyword entries = 40 files' chunks.

A kill in the middle of saving → the old index loads.
"""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from groundgraph.knowledge.database import connect
from groundgraph.knowledge.index import Collection, index
from groundgraph.knowledge.search import search
from tests.embedder import use_bag_embedder

ROOT = Path(__file__).parents[2]
INGEST = """
import sys, time
from pathlib import Path
import pytest
from groundgraph.knowledge import ingest
from groundgraph.knowledge.index import index
from tests.embedder import use_bag_embedder

with pytest.MonkeyPatch.context() as monkeypatch:
    use_bag_embedder(monkeypatch)
    ingest._BATCH = 4  # many commits, so that the writers meet
    {before}
    index([sys.argv[1]])
"""
KILL_WHILE_SAVING = """
    import os, signal
    monkeypatch.setattr(os, "replace", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
"""


def start(folder: Path, before: str = "") -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-c", INGEST.format(before=before), str(folder)], env=environment)


def write_files(folder: Path, topic: str) -> Path:
    folder.mkdir()
    for number in range(20):
        text = "\n\n".join(f"Paragraph {part} on {topic} in file {number}. " + "word " * 100 for part in range(3))
        (folder / f"{number}.txt").write_text(text)
    return folder


def counts(collection: Collection) -> list[int]:
    with sqlite3.connect(collection.info().path / "collection.sqlite") as db:
        found = [
            db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("chunks", "vectors", "keywords")
        ]
    db.close()
    return found


def test_two_processes_ingest_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    writers = [start(write_files(tmp_path / topic, topic)) for topic in ("apples", "pears")]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    collection = Collection.open("default")
    assert collection.info().documents == 40
    assert counts(collection) == [collection.info().chunks] * 3 == [40 * 3] * 3
    assert "pears" in search("pears in file 7", ["default"], k=1).passages[0].source


def test_a_kill_while_the_index_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    index([write_files(tmp_path / "apples", "apples")])
    collection = Collection.open("default")
    saved = (collection.info().path / "vectors.faiss").read_bytes()
    assert start(write_files(tmp_path / "pears", "pears"), KILL_WHILE_SAVING).wait(60) == -signal.SIGKILL
    assert (collection.info().path / "vectors.faiss").read_bytes() == saved
    assert collection.info().documents == 40
    assert counts(collection) == [collection.info().chunks] * 3
    for topic in ("apples", "pears"):
        assert topic in search(f"{topic} in file 3", ["default"], k=1, mode="vector").passages[0].source


def test_two_processes_that_make_the_collection_at_once_wait_for_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Contended(sqlite3.Connection):
        locked = 2

        def execute(self, statement: str, *arguments: Any) -> sqlite3.Cursor:
            if "journal_mode" in statement and self.locked:
                self.locked -= 1
                raise sqlite3.OperationalError("database is locked")  # at once: SQLite fears a deadlock
            return super().execute(statement, *arguments)

    monkeypatch.setattr(
        "groundgraph.knowledge.database.open_file", lambda file, *_: sqlite3.connect(file, factory=Contended)
    )
    with connect(tmp_path / "collection.sqlite", write=True, create=True) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
