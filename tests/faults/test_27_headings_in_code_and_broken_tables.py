"""A text "# A" and a code fence holding "# note" → one section A.

A 40-row table → every chunk repeats the header, no broken row.
"""

from pathlib import Path

from groundgraph.knowledge.chunk import Chunk, chunk
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.load import load

HEADER = "| name | price |\n| --- | --- |"
ROWS = [f"| thing number {number} | {number} euros |" for number in range(40)]


def hold_all_rows_below_the_header(chunks: list[Chunk]) -> bool:
    assert len(chunks) > 1
    assert all(piece.text.startswith(HEADER) for piece in chunks)
    return [row for piece in chunks for row in piece.text.split("\n")[2:]] == ROWS


def test_a_comment_in_a_fence_is_no_heading() -> None:
    text = "# A\n\nBefore.\n\n```sh\n# note\nmake\n```\n\nAfter."
    (piece,) = chunk(LoadedDocument("a.md", text, format="markdown"))
    assert piece.heading == "A"
    assert "# note" in piece.text


def test_a_long_table_repeats_its_header() -> None:
    text = "\n".join([HEADER, *ROWS])
    chunks = chunk(LoadedDocument("a.md", text, format="markdown"), size=300)
    assert hold_all_rows_below_the_header(chunks)
    assert all(piece.text.endswith(text[piece.start : piece.end]) and len(piece.text) <= 300 for piece in chunks)


def test_a_csv_file_repeats_its_header(tmp_path: Path) -> None:
    lines = ["name,price", *(f"thing number {number},{number} euros" for number in range(40))]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    (document,) = load([tmp_path / "a.csv"])
    assert isinstance(document, LoadedDocument)
    assert hold_all_rows_below_the_header(chunk(document, size=300))
