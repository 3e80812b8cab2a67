"""Size 10 overlap 10 → ValueError naming both.

"A"x2000, size 100, overlap 10 → ends within 1 s, chunks ≤ 100, nothing lost.
"""

import time
from itertools import pairwise

import pytest

from groundgraph.knowledge.chunk import CHUNKERS, chunk
from groundgraph.knowledge.document import LoadedDocument


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_it_is_refused(chunker: str) -> None:
    with pytest.raises(ValueError, match="size=10 and overlap=10"):
        chunk(LoadedDocument("a.txt", "text"), chunker=chunker, size=10, overlap=10)


def test_a_text_without_any_break() -> None:
    started = time.monotonic()
    chunks = chunk(LoadedDocument("a.txt", "A" * 2000), chunker="fixed", size=100, overlap=10)
    assert time.monotonic() - started < 1
    assert max(len(piece.text) for piece in chunks) <= 100
    assert {index for piece in chunks for index in range(piece.start, piece.end)} == set(range(2000))
    assert all(first.end - second.start == 10 for first, second in pairwise(chunks))
