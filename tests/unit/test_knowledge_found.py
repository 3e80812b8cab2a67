"""What people's files were found to hold."""

from pathlib import Path

import pytest

from groundgraph.errors import InputError
from groundgraph.knowledge.chunk import CHUNKERS, chunk
from groundgraph.knowledge.decode import decode
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.load import files, read
from tests.embedder import BagEmbedder


def test_text_between_two_rules_is_no_front_matter() -> None:
    text = "---\n\nMeeting notes: the safe code is 9917.\nIt changes in May.\n\n---\n\nSecond part.\n"
    document = read(text.encode(), "notes.md")
    assert "9917" in document.text and document.metadata == {}
    front = read(b"---\ntitle: Leave\ntags:\n  - hr\n# a remark\n---\nThirty days.\n", "leave.md")
    assert front.title == "Leave" and front.text.strip() == "Thirty days."


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"Good text \xff" + " with naïve words 中文".encode(), "Good text \ufffd with naïve words 中文"),
        ("log: 日志 started 中".encode()[:-1], "log: 日志 started \ufffd"),
    ],
)  # fmt: skip
def test_a_few_bad_bytes_leave_the_rest_of_a_utf8_file(data: bytes, text: str) -> None:
    assert decode(data) == text


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_a_chunk_stands_on_the_page_it_names(chunker: str) -> None:
    pages = ["The manual begins here. It is short.\n\n", "The emergency number is 5555. Call it.\n\n", "The end.\n"]
    text = "".join(pages)
    document = LoadedDocument("m.pdf", text, pages=(0, len(pages[0]), len(pages[0] + pages[1])), format="text")
    found = chunk(document, chunker=chunker, embed=BagEmbedder(16).embed_passages)
    assert [piece.page for piece in found] == sorted(piece.page or 0 for piece in found)
    for piece in found:
        assert text[piece.start : piece.end] == piece.text and piece.text in pages[(piece.page or 0) - 1]
    assert {piece.page for piece in found} == {1, 2, 3}


def test_an_empty_path_is_not_this_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a path is empty"):
        files([""])
