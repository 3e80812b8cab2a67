from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from groundgraph.models.thinking import ThinkingFilter, without_thinking


def in_pieces(text: str, cuts: list[int]) -> str:
    thinking = ThinkingFilter()
    edges = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    pieces = [text[left:right] for left, right in pairwise(edges)]
    return "".join(thinking.feed(piece) for piece in pieces) + thinking.end()


def test_thinking_is_removed_with_the_white_space_after_it() -> None:
    assert without_thinking("<think>no…</think>\n\nPeru capital") == "Peru capital"


def test_text_between_two_thoughts_stays() -> None:
    assert without_thinking("a <think>x</think>b <think>y</think>c") == "a b c"


def test_unclosed_thinking_swallows_the_rest() -> None:
    assert without_thinking("<think>no") == ""


def test_a_lone_closing_tag_ends_thinking_that_the_template_opened() -> None:
    assert without_thinking("hmm, Lima?</think> Lima") == "Lima"


def test_what_only_looks_like_a_tag_stays() -> None:
    assert without_thinking("1 <th 2 and <b>bold</b> <") == "1 <th 2 and <b>bold</b> <"


def test_a_piece_is_shown_as_soon_as_it_is_known_to_be_text() -> None:
    thinking = ThinkingFilter()
    assert [thinking.feed(piece) for piece in ("Li", "ma <", "thin", "k>oh", "</thi", "nk>  !")] == [
        "Li",
        "ma ",
        "",
        "",
        "",
        "!",
    ]


parts = st.lists(st.sampled_from(["<think>", "</think>", "<", "th", "好", " ", "ok", ">", "\n"]), max_size=12).map(
    "".join
)


@given(parts, st.lists(st.integers(0, 60), max_size=8))
def test_the_cuts_of_a_stream_make_no_difference(text: str, cuts: list[int]) -> None:
    assert in_pieces(text, cuts) == in_pieces(text, [])
