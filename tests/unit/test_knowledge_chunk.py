import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundgraph.errors import InputError
from groundgraph.knowledge.chunk import Chunk, chunk
from groundgraph.knowledge.document import LoadedDocument

MARKDOWN = st.lists(
    st.sampled_from(
        ["# One", "## Two", "", "", "Some prose here. And more.", "- item", "  continued", "| a | b |", "| --- | --- |",
         "| 1 | 2 |", "```", "# note", "今天天气很好。明天也好。", "word " * 30, "字" * 90, "Title", "=====", "\t code"]
    ),
    max_size=25,
).map("\n".join)  # fmt: skip


def cut(text: str, size: int = 800, **fields: object) -> list[Chunk]:
    return chunk(LoadedDocument("a.md", text, format="markdown", **fields), size=size)


def test_paragraphs_of_a_section_share_a_chunk() -> None:
    assert [piece.text for piece in cut("One.\n\nTwo.\n\nThree.", size=12)] == ["One.\n\nTwo.", "Three."]


def test_a_chunk_never_spans_two_sections() -> None:
    chunks = cut("Intro.\n\n# A\n\nalpha\n\n## B\n\nbeta\n\n# C\n\ngamma", title="Guide")
    assert [(piece.heading, piece.text) for piece in chunks] == [
        ("Guide", "Intro."),
        ("A", "alpha"),
        ("A > B", "beta"),
        ("C", "gamma"),
    ]


def test_a_heading_with_nothing_below_is_text() -> None:
    assert [(piece.heading, piece.text) for piece in cut("# A\n\n## To do\n\n# B\n\nbeta")] == [
        ("A > To do", "## To do"),
        ("B", "beta"),
    ]


def test_an_underlined_heading_is_one() -> None:
    assert cut("Title\n=====\n\nText.")[0].heading == "Title"


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    assert [piece.text for piece in cut("First one. Second one. Third.", size=23)] == [
        "First one. Second one.",
        "Third.",
    ]
    assert [piece.text for piece in cut("今天天气很好。明天也好。", size=8)] == ["今天天气很好。", "明天也好。"]


def test_a_long_sentence_is_cut_at_a_space() -> None:
    assert [piece.text for piece in cut("alpha beta gamma delta", size=12)] == ["alpha beta", "gamma delta"]


def test_lists_and_code_stay_whole_where_they_fit() -> None:
    text = "Before this text.\n\n- one. Yes\n- two. No\n\n```\na. B\n\nc\n```"
    assert [piece.text for piece in cut(text, size=20)] == [
        "Before this text.",
        "- one. Yes\n- two. No",
        "```\na. B\n\nc\n```",
    ]


def test_plain_text_has_no_headings() -> None:
    assert [piece.heading for piece in chunk(LoadedDocument("a.py", "# a comment\nx = 1\n"))] == [""]


def test_a_chunk_knows_its_page() -> None:
    chunks = chunk(LoadedDocument("a.pdf", "first page\n\nsecond page", pages=(0, 12)), size=12)
    assert [(piece.text, piece.page) for piece in chunks] == [("first page", 1), ("second page", 2)]


@pytest.mark.parametrize("chunker", ["paragraph", "fixed"])
def test_an_empty_document_has_no_chunks(chunker: str) -> None:
    assert chunk(LoadedDocument("a.md", " \n\n "), chunker=chunker) == []


def test_an_unknown_chunker_is_refused() -> None:
    with pytest.raises(InputError, match="unknown chunker 'magic'; choose one of paragraph, fixed"):
        chunk(LoadedDocument("a.md", "x"), chunker="magic")


@given(MARKDOWN, st.integers(20, 200))
def test_chunks_fit_are_exact_and_lose_nothing(text: str, size: int) -> None:
    chunks = cut(text, size)
    assert all(0 < len(piece.text) <= size for piece in chunks)
    assert all(piece.text.endswith(text[piece.start : piece.end]) for piece in chunks)
    kept = {index for piece in chunks for index in range(piece.start, piece.end)}
    headings = " ".join(piece.heading for piece in chunks)
    for line_start, line in _lines(text):
        if not kept.issuperset(i for i in range(line_start, line_start + len(line)) if not text[i].isspace()):
            assert line.strip("# \t=") in headings


@given(st.text(alphabet="ab \n字", max_size=120), st.integers(1, 20), st.integers(0, 19))
def test_fixed_chunks_fit_are_exact_and_lose_nothing(text: str, size: int, overlap: int) -> None:
    if overlap >= size:
        overlap = size - 1
    chunks = chunk(LoadedDocument("a.txt", text), chunker="fixed", size=size, overlap=overlap)
    assert all(0 < len(piece.text) <= size and piece.text == text[piece.start : piece.end] for piece in chunks)
    kept = {index for piece in chunks for index in range(piece.start, piece.end)}
    assert kept.issuperset(index for index, character in enumerate(text) if not character.isspace())


def _lines(text: str) -> list[tuple[int, str]]:
    starts, position = [], 0
    for line in text.split("\n"):
        starts.append((position, line))
        position += len(line) + 1
    return starts
