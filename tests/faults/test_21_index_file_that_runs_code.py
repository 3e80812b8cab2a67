"""A tampered index file that would run code when loaded (a pickle that writes a marker file) → refused, no marker."""

import os
import pickle
import re
from pathlib import Path

import pytest

from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.search import search
from groundgraph.knowledge.sqlite_store import vector_index
from tests.embedder import use_bag_embedder


class Bomb:
    def __reduce__(self) -> object:
        return os.mkdir, ("marker",)


def test_a_tampered_file_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch)
    collection = Collection.open("notes", create=True)
    collection.add([LoadedDocument("a.txt", "red apple"), LoadedDocument("b.txt", "green pear")])
    file = collection.info().path / "vectors.faiss"
    good = file.read_bytes()
    for bad in (pickle.dumps(Bomb()), b"", good[:-8], good[:-1] + bytes([good[-1] ^ 1])):
        file.write_bytes(bad)
        vector_index.cache_clear()  # as a new process starts
        assert search("pear", ["notes"], k=1, mode="vector").passages[0].source == "b.txt"
        assert not (tmp_path / "marker").exists()
        assert file.read_bytes() == good


def test_damage_that_keeps_size_and_time_is_made_good(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checksum is not computed for a file that looks untouched; one that FAISS cannot read is made anew."""
    use_bag_embedder(monkeypatch)
    collection = Collection.open("notes", create=True)
    collection.add([LoadedDocument("a.txt", "red apple"), LoadedDocument("b.txt", "green pear")])
    file = collection.info().path / "vectors.faiss"
    good, status = file.read_bytes(), file.stat()
    file.write_bytes(b"\0" * 20 + good[20:])
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    vector_index.cache_clear()
    assert search("pear", ["notes"], k=1, mode="vector").passages[0].source == "b.txt"
    assert file.read_bytes() == good


def test_nothing_in_the_package_unpickles() -> None:
    package = Path(search.__code__.co_filename).parents[1]
    loads = re.compile(r"import (pickle|dill|shelve|joblib|marshal)|allow_pickle=True|torch\.load|dangerous_deserial")
    assert not [file for file in package.rglob("*.py") if loads.search(file.read_text())]
