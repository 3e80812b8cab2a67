"""Text "abc abc", size 3, overlap 0 → start offsets 0 and 4; the source's slice equals the chunk."""

from groundgraph.knowledge.chunk import chunk
from groundgraph.knowledge.document import LoadedDocument


def test_repeated_text_has_its_own_offsets() -> None:
    text = "abc abc"
    chunks = chunk(LoadedDocument("a.txt", text), chunker="fixed", size=3, overlap=0)
    assert [piece.start for piece in chunks] == [0, 4]
    assert [text[piece.start : piece.end] for piece in chunks] == [piece.text for piece in chunks] == ["abc", "abc"]
