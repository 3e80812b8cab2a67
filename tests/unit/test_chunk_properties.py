"""What holds for every chunker and every text: limits are kept, spans are exact, nothing is lost."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from groundgraph.knowledge.blocks import blocks
from groundgraph.knowledge.chunk import CHUNKERS, PARENT_SIZE, Chunk, chunk
from groundgraph.knowledge.decode import clean
from groundgraph.knowledge.document import Format, LoadedDocument
from tests.embedder import BagEmbedder

LINES = st.sampled_from(
    ["# One", "## Two", "#", "", "", "Some prose here. And more.", "- item", "  continued", "10. ten", "> quoted",
     "| a | b |", "| --- | --- |", "| 1 | 2 |", "|" + "wide cell " * 20 + "|", "```", "~~~~", "# note", "    code. Yes",
     "def f(x):", "class A {", "}", "今天天气很好。明天也好。", "「行く。」と言った。", "word " * 70, "字" * 290,
     "Title", "=====", "---", "\t", "\x0b", "\u3000", "e\u0301" * 200, "👩‍👩‍👧" * 60, "\u2003x\u2003", "مرحبا. " * 20]
)  # fmt: skip
TEXTS = st.one_of(
    st.lists(st.one_of(LINES, st.text(max_size=40)), max_size=30).map("\n".join), st.text(max_size=300)
).map(clean)
FORMATS: list[Format] = ["markdown", "text", "code"]
PAGES = st.sampled_from([(), (0,), (0, 5, 9)])

every_chunker = pytest.mark.parametrize("chunker", CHUNKERS)


def cut(text: str, form: Format, chunker: str, size: int | None, pages: tuple[int, ...] = ()) -> list[Chunk]:
    document = LoadedDocument("a", text, format=form, pages=pages)
    return chunk(document, chunker=chunker, size=size, embed=BagEmbedder(16).embed_passages)


def lost(text: str, form: Format, chunks: list[Chunk], pages: tuple[int, ...] = ()) -> str:
    """Return the characters of `text` that are not space and stand in no chunk and no heading of a page."""
    kept = {place for piece in chunks for place in range(piece.start, piece.end)}
    for start, end in pairwise([*(pages or (0,)), len(text)]):
        headings = [block for block in blocks(text[start:end], form) if block.kind == "heading"]
        kept |= {start + place for block in headings for place in range(block.start, block.end)}
    return "".join(character for place, character in enumerate(text) if place not in kept and not character.isspace())


@every_chunker
@given(TEXTS, st.sampled_from(FORMATS), st.integers(1, 300) | st.none(), PAGES)
@example("# One\n# One\n=====\n## Two", "markdown", None, (0, 5, 9))  # a page ends amid a heading
def test_limits_are_kept_spans_exact_and_nothing_lost(
    chunker: str, text: str, form: Format, size: int | None, pages: tuple[int, ...]
) -> None:
    chunks = cut(text, form, chunker, size, pages)
    for piece in chunks:
        own = text[piece.start : piece.end]
        header = piece.text.removesuffix(own)
        assert own == own.strip() != "" and len(piece.text) <= (size or CHUNKERS[chunker])
        assert header + own == piece.text and header in text and (not header or form == "markdown")
        assert bool(piece.page) == bool(pages)
    assert all(first.end <= second.start for first, second in pairwise(chunks))
    assert lost(text, form, chunks, pages) == ""


@given(TEXTS, st.sampled_from(FORMATS), st.integers(1, 300))
def test_children_lie_in_parents_that_hold_everything(text: str, form: Format, size: int) -> None:
    children = cut(text, form, "hierarchical", size)
    parents = list(dict.fromkeys(child.parent for child in children))
    assert all(parent and parent[1] - parent[0] <= PARENT_SIZE for parent in parents)
    assert all(first[1] <= second[0] for first, second in pairwise(parent for parent in parents if parent))
    for child in children:
        assert child.parent and child.parent[0] <= child.start < child.end <= child.parent[1]


@every_chunker
@given(TEXTS, st.sampled_from(FORMATS))
def test_the_same_document_gives_the_same_chunks(chunker: str, text: str, form: Format) -> None:
    assert cut(text, form, chunker, None) == cut(text, form, chunker, None)


@given(st.text(alphabet="ab \n字", max_size=120), st.integers(1, 20), st.integers(0, 19))
def test_overlapping_chunks_lose_nothing(text: str, size: int, overlap: int) -> None:
    document = LoadedDocument("a.txt", text)
    chunks = chunk(document, chunker="fixed", size=size, overlap=min(overlap, size - 1))
    assert all(0 < len(piece.text) <= size and piece.text == text[piece.start : piece.end] for piece in chunks)
    assert lost(text, "text", chunks) == ""
