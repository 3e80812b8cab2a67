"""Processes that are killed while they ingest, and processes that ingest at once.

`pytest tests/unit/test_knowledge_kills.py --kills 50` kills fifty times.
"""

import multiprocessing
import random
import sqlite3
import time
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np
import pytest

from groundgraph.knowledge import ingest, vectors
from groundgraph.knowledge.index import Collection, index
from groundgraph.knowledge.search import search
from tests.embedder import BagEmbedder, use_bag_embedder

ROOT = Path(__file__).parents[2]
# Children are forked from a clean server that has imported all they need, so that each starts in a few milliseconds.
processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(["tests.unit.test_knowledge_kills", "faiss"])


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def bring_up_to_date(folder: Path, home: Path, begun: Connection | None = None) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        use_bag_embedder(monkeypatch)
        monkeypatch.setattr(ingest, "_BATCH", 4)  # many commits, so that kills and writers meet them
        monkeypatch.setattr(vectors, "_OUTDATED", 0)  # and the vector index is saved after each ingest
        if begun:
            begun.send(True)
        index([folder], home=home)


def start(folder: Path, home: Path) -> BaseProcess:
    """Return a process that has just begun to ingest."""
    ours, theirs = processes.Pipe(duplex=False)
    process = processes.Process(target=bring_up_to_date, args=(folder, home, theirs))
    process.start()
    theirs.close()
    ours.recv()
    ours.close()
    return process


def write_files(folder: Path, count: int, version: int = 0) -> Path:
    """Write small files; of each version, a third of the texts is new and one file of the version before is gone."""
    folder.mkdir(exist_ok=True)
    for number in range(count):
        edition = version if number % 3 == version % 3 else 0
        (folder / f"{number}.txt").write_text(
            f"File {number} of {folder.name}, edition {edition}.\n\nIt has two parts."
        )
    for number in range(count):
        if version and number == version % count:
            (folder / f"{number}.txt").unlink()
    return folder


def content(collection: Collection) -> list[tuple[object, ...]]:
    """Return all that a collection holds, in an order of its own, after a look at its soundness."""
    query = """SELECT source, chunks.text, "start", "end", chunks.digest, vector, tokens FROM chunks
        JOIN documents ON documents.id = document JOIN vectors ON chunk = chunks.id
        JOIN keywords ON keywords.rowid = chunks.id ORDER BY source, "start" """
    db = sqlite3.connect(collection.info().path / "collection.sqlite", isolation_level=None)
    try:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        db.execute("INSERT INTO keywords (keywords) VALUES ('integrity-check')")
        counts = [
            db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("chunks", "vectors", "keywords")
        ]
        rows = db.execute(query).fetchall()
    finally:
        db.close()
    assert counts == [len(rows)] * 3 == [collection.info().chunks] * 3
    assert len({row[0] for row in rows}) == collection.info().documents
    return rows


def test_an_index_killed_again_and_again_is_that_built_in_peace(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_bag_embedder(monkeypatch)
    kills, version, rng = request.config.getoption("--kills"), 0, random.Random(20)
    home, folder = tmp_path / "home", write_files(tmp_path / "docs", 60)
    first = start(folder, tmp_path / "first")
    begun = time.monotonic()
    first.join()
    needed = time.monotonic() - begun
    for _ in range(kills):
        process = start(folder, home)
        time.sleep(rng.uniform(0, 0.6 * needed))  # of most ingests, only a part is left to do
        process.kill()
        process.join()
        if process.exitcode == 0 or rng.random() < 0.3:  # it was ready before the kill: something new to do
            version += 1
            write_files(folder, 60, version)
        if (home / "default" / "collection.sqlite").exists() and rng.random() < 0.5:
            content(Collection.open("default", home, create=True))  # sound at any moment
    for place in (home, tmp_path / "peace"):
        bring_up_to_date(folder, place)
    killed, peace = (Collection.open("default", place) for place in (home, tmp_path / "peace"))
    assert content(killed) == content(peace)
    assert scores(killed, version) == pytest.approx(scores(peace, version))


def scores(collection: Collection, version: int) -> list[float]:
    """Return what both legs give for some questions; which of equally good chunks comes first is left open."""
    embedder, questions = BagEmbedder(64), [f"file {number} edition {version}" for number in range(0, 60, 7)]
    legs = [
        hits
        for question in questions
        for hits in (
            collection.store.nearest(embedder.embed_query(question), 5),
            collection.store.matching(question, 5),
        )
    ]
    return [hit.score for hits in legs for hit in hits]


def test_two_processes_ingest_200_files_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    folders = [write_files(tmp_path / name, 200) for name in ("left", "right")]
    writers = [start(folder, tmp_path / "home") for folder in folders]
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0, 0]
    collection = Collection.open("default", tmp_path / "home")
    assert collection.info().documents == 400
    assert len(content(collection)) == 400
    for name in ("left", "right"):
        assert name in search(f"file 77 of {name}", ["default"], k=1).passages[0].source
    assert np.isfinite(collection.vectors_of([f"default:{n}" for n in (1, 400)])).all()
