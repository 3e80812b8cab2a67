from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from groundgraph.errors import InputError
from groundgraph.knowledge.chunk import CHUNKERS, Chunk, chunk
from groundgraph.knowledge.document import LoadedDocument
from tests.embedder import BagEmbedder


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


def test_two_equal_headings_are_two_sections() -> None:
    document = LoadedDocument("a.md", "# Note\n\nOne.\n\n# Note\n\nTwo.", format="markdown")
    assert [(piece.heading, piece.text) for piece in chunk(document)] == [("Note", "One."), ("Note", "Two.")]


def test_plain_text_has_no_headings() -> None:
    assert [piece.heading for piece in chunk(LoadedDocument("a.py", "# a comment\nx = 1\n"))] == [""]


def test_a_chunk_knows_its_page() -> None:
    chunks = chunk(LoadedDocument("a.pdf", "first page\n\nsecond page", pages=(0, 12)), size=12)
    assert [(piece.text, piece.page) for piece in chunks] == [("first page", 1), ("second page", 2)]


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_an_empty_document_has_no_chunks(chunker: str) -> None:
    assert chunk(LoadedDocument("a.md", " \n\n "), chunker=chunker, embed=by_subject) == []


def test_an_unknown_chunker_is_refused() -> None:
    with pytest.raises(InputError, match="unknown chunker 'magic'; choose one of paragraph, fixed, semantic"):
        chunk(LoadedDocument("a.md", "x"), chunker="magic")


def test_a_list_is_cut_between_items() -> None:
    text = "- the first item\n  goes on\n- the second one\n- the third"
    assert [piece.text for piece in cut(text, size=30)] == [
        "- the first item\n  goes on",
        "- the second one\n- the third",
    ]


def by_subject(texts: Sequence[str]) -> NDArray[np.float32]:
    """Give every text about the sea one vector, and any other text another."""
    return np.array([[1, 0] if "sea" in text else [0, 1] for text in texts], np.float32)


def test_semantic_chunks_part_where_the_subject_changes() -> None:
    sea = " ".join(f"The sea is deep here, number {number}." for number in range(12))
    sky = " ".join(f"The sky is blue here, number {number}." for number in range(8))
    document = LoadedDocument("a.md", f"# All\n\n{sea} {sky}", format="markdown")
    chunks = chunk(document, chunker="semantic", embed=by_subject)
    assert [(piece.heading, piece.text) for piece in chunks] == [("All", sea), ("All", sky)]


def test_semantic_chunks_too_long_are_cut_at_their_widest_gap() -> None:
    text = "The sea is deep. The sea is wide. The sea is salt. The sky is blue. The sky is high. The sky is near."
    chunks = chunk(LoadedDocument("a.txt", text), chunker="semantic", size=60, embed=by_subject)
    assert [piece.text for piece in chunks] == [text[:50], text[51:]]


def test_short_sections_are_not_embedded_for_semantic_chunks() -> None:
    embedder = BagEmbedder(8)
    document = LoadedDocument("a.md", "# A\n\nOne. Two.\n\n# B\n\nThree. Four.", format="markdown")
    assert len(chunk(document, chunker="semantic", embed=embedder.embed_passages)) == 2
    assert embedder.embedded == []


def test_semantic_chunks_need_an_embedding_model() -> None:
    with pytest.raises(InputError, match="chunker='semantic' compares sentences"):
        chunk(LoadedDocument("a.md", "x"), chunker="semantic")


def test_children_name_the_span_of_their_parent() -> None:
    paragraphs = [f"Paragraph {number} " + "with words " * 20 for number in range(12)]
    text = "# A\n\n" + "\n\n".join(paragraphs)
    children = chunk(LoadedDocument("a.md", text, format="markdown"), chunker="hierarchical")
    parents = {child.parent for child in children}
    assert [child.heading for child in children] == ["A"] * 12
    assert len(parents) == 2
    assert {text[start:end].count("Paragraph") for start, end in filter(None, parents)} == {8, 4}


def test_parents_and_children_of_a_long_table_have_its_header() -> None:
    header = "| name | price |\n| --- | --- |\n"
    text = header + "\n".join(f"| thing number {number} | {number} euros |" for number in range(100))
    children = chunk(LoadedDocument("a.md", text, format="markdown"), chunker="hierarchical")
    assert all(child.text.startswith(header) for child in children)
    parents = {child.parent: child.parent_header for child in children}
    assert [header + text[slice(*span)] if above else text[slice(*span)] for span, above in parents.items() if span]
    assert list(parents.values()) == ["", *[header] * (len(parents) - 1)]


def test_code_is_cut_at_definitions_which_are_its_headings() -> None:
    program = "import os\n\nLIMIT = 3\n\n\n@cached\ndef one(x: int) -> int:\n    y = x\n\n    return y\n\n\n"
    program += "class Two:\n    a = 1\n"
    chunks = chunk(LoadedDocument("a.py", program, title="a.py", format="code"))
    assert [(piece.heading, piece.text) for piece in chunks] == [
        ("a.py", "import os\n\nLIMIT = 3"),
        ("def one(x: int) -> int", "@cached\ndef one(x: int) -> int:\n    y = x\n\n    return y"),
        ("class Two", "class Two:\n    a = 1"),
    ]


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("export async function load(url) {", "export async function load(url)"),
        ("func (s *Store) Put(entry Entry) error {", "func (s *Store) Put(entry Entry) error"),
        ("pub(crate) fn cut(text: &str) -> Vec<Span> {", "pub(crate) fn cut(text: &str) -> Vec<Span>"),
        ("public final class Index extends Base {", "public final class Index extends Base"),
        ("type = 3", "title"),
        ("define(1)", "title"),
    ],
)
def test_definitions_of_many_languages(line: str, heading: str) -> None:
    assert chunk(LoadedDocument("a", line, title="title", format="code"))[0].heading == heading
