"""A collection's documents, cut otherwise."""

from pathlib import Path

import pytest

from groundgraph.errors import InputError
from groundgraph.evaluation.rechunk import rechunked
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection, index
from tests.embedder import BagEmbedder, use_bag_embedder


def quiet(what: str, done: int, total: int) -> None:
    pass


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> BagEmbedder:
    return use_bag_embedder(monkeypatch)


def test_each_chunker_gets_a_collection_that_is_made_once(tmp_path: Path, embedder: BagEmbedder) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Towers\n\n" + "\n\n".join(f"Tower {n} is {n} metres high. " * 12 for n in range(6)))
    index([notes], "notes")
    assert rechunked("notes", ["fixed", "paragraph", "fixed"], quiet) == ["notes-fixed"]
    made = Collection.open("notes-fixed")
    assert made.info().chunker == "fixed" and made.sources() == Collection.open("notes").sources()
    count = len(embedder.embedded)
    assert rechunked("notes", ["fixed"], quiet) == ["notes-fixed"]
    assert len(embedder.embedded) == count


def test_rows_of_a_file_stay_documents_of_their_own(tmp_path: Path, embedder: BagEmbedder) -> None:
    rows = tmp_path / "corpus.jsonl"
    rows.write_text("\n".join(f'{{"pid": "p{n}", "title": "", "text": "Tower {n} is high."}}' for n in range(3)))
    index([rows], "rows", jsonl=True)
    rechunked("rows", ["fixed"], quiet)
    assert Collection.open("rows-fixed").sources() == ["p0", "p1", "p2"]


def test_documents_that_are_no_files_here_cannot_be_cut_again(embedder: BagEmbedder) -> None:
    Collection.open("memory", create=True).add([LoadedDocument("note", "Text of a note.")])
    with pytest.raises(InputError, match="the file of 'note' and of 0 others is not here: leave --chunker out"):
        rechunked("memory", ["fixed"], quiet)
    with pytest.raises(InputError, match="chunker='best': unknown; known are"):
        rechunked("memory", ["best"], quiet)
