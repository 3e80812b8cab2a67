import math
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from groundgraph.models import TokenLogprob, joined_tokens, token_logprobs, token_spans, tokens_between
from groundgraph.models.calls import reply_of
from groundgraph.models.logprobs import spells


def tokens(*words: str) -> list[TokenLogprob]:
    return [TokenLogprob(word, -0.1) for word in words]


def pieces(*parts: bytes, token: str = "�") -> list[TokenLogprob]:
    """Return tokens that hold these bytes, as OpenAI's schema gives them."""
    return [TokenLogprob(token, -0.1, raw=part) for part in parts]


def given(logprobs: Any, text: str = "Lima is big.") -> AIMessage:
    return AIMessage(text, response_metadata={"logprobs": logprobs})


def test_probability_is_the_exponential_and_0_where_unknown() -> None:
    assert TokenLogprob("a", math.log(0.25)).probability == 0.25
    assert TokenLogprob("a", None).probability == 0.0
    assert TokenLogprob("a", 1e-9).probability == 1.0
    assert TokenLogprob("a", 1000).probability == 1.0


def test_a_log_probability_above_0_is_certainty() -> None:
    entry = {"token": "a", "logprob": 1000, "top_logprobs": [{"token": "b", "logprob": 1000}]}
    (token,) = token_logprobs(AIMessage("a", response_metadata={"logprobs": {"content": [entry]}})) or ()
    assert (token.logprob, token.top) == (0.0, {"b": 0.0})


def test_a_reply_without_log_probabilities_says_so() -> None:
    assert token_logprobs(AIMessage("hi")) is None
    assert token_logprobs(AIMessage("hi", response_metadata={"logprobs": None})) is None
    assert token_logprobs(AIMessage("hi", response_metadata={"logprobs": {"content": []}})) is None


@pytest.mark.parametrize(
    "logprobs",
    [
        {"content": [{"token": "Lima", "logprob": None}, {"token": " is big."}]},
        {"content": [{"token": "Lima is big.", "logprob": math.nan}]},
        {"content": ["Lima", " is big."]},
        {"content": [{"token": "Lima is big.", "logprob": "-0.1"}]},
        {"content": [{"token": "Lima is big.", "logprob": -0.1, "bytes": "Lima"}]},
        {"content": [{"token": "Lima is big.", "logprob": -0.1, "bytes": [300, -1]}]},
        {"content": [{"token": "Lima is big.", "logprob": -0.1, "top_logprobs": [None]}]},
        {"content": [{"token": "Lima is big.", "logprob": -0.1, "top_logprobs": [{"logprob": -0.1}]}]},
        {"tokens": ["Lima is big."], "token_logprobs": [-0.1], "top_logprobs": ["Lima"]},
        {"tokens": ["Lima", " is big."]},
        {"tokens": ["Lima", " is big."], "token_logprobs": [None, None], "top_logprobs": [None, {}]},
    ],
)
def test_tokens_without_any_number_are_no_log_probabilities(logprobs: Any) -> None:
    assert token_logprobs(given(logprobs)) is None


def test_a_token_may_have_its_number_among_the_likeliest_only() -> None:
    entry = {"token": "Lima", "logprob": None, "top_logprobs": [{"token": "Lima", "logprob": -0.5}]}
    (modern,) = token_logprobs(given({"content": [entry]})) or ()
    (legacy,) = token_logprobs(given({"tokens": ["Lima"], "top_logprobs": [{"Lima": -0.5}]})) or ()
    assert modern == legacy == TokenLogprob("Lima", -0.5, {"Lima": -0.5})


@pytest.mark.parametrize(
    ("text", "words", "known"),
    [
        ("Lima is big.", ["Lima", " is", " big", "."], True),
        ("Lima is big.", ["\n", "Lima", " is", " big", ".", "<|end|>"], True),
        ("Lima  is\nbig.", ["Lima", " is", " big", "."], True),  # other white space
        ("Lima is big.", ["Hm", ".", "</think>", "Lima", " is", " big", "."], True),  # thinking that was taken out
        ("<think>Hm.</think>Lima is big.", ["<think>", "Hm", ".", "</think>", "Lima", " is", " big", "."], True),
        ("Lima is big.", ["[Relevant]", "Lima", " is", "[Continue]", " big", "."], True),  # marks that are not shown
        ("利马😊很大。", ["利", "马", "�", "�", "�", "�", "很", "大", "。"], True),
        ("", ["[Retrieval]"], True),
        ("Lima is big.", ["Lima", " is"], False),  # the first few
        ("Lima is big.", ["Lima", " is", " big"], False),
        ("Lima is big.", [" big", "."], False),
        ("<think>Hm.</think>Lima is big.", ["<think>", "Hm", ".", "</think>", "Lima"], False),
        ("Lima is big.", ["Quito", " is", " high", "."], False),
        ("利马很大。", ["利", "马"], False),
    ],
)
def test_tokens_that_do_not_make_the_whole_text_are_as_good_as_none(text: str, words: list[str], known: bool) -> None:
    content = [{"token": word, "logprob": -0.1} for word in words]
    assert (reply_of(given({"content": content}, text), []).logprobs is not None) == known


@pytest.mark.parametrize(("begun", "known"), [("Lima is", True), ("", False)])
def test_what_a_continued_reply_repeats_needs_no_tokens(begun: str, known: bool) -> None:
    content = [{"token": word, "logprob": -0.1} for word in (" big", ".")]
    assert (reply_of(given({"content": content}), [AIMessage(begun)]).logprobs is not None) == known


def test_the_end_of_turn_token_has_no_text_and_is_left_out() -> None:
    content = [{"token": "hi", "logprob": -0.5}, {"token": "", "logprob": -0.1, "bytes": []}]
    assert token_logprobs(AIMessage("hi", response_metadata={"logprobs": {"content": content}})) == (
        TokenLogprob("hi", -0.5),
    )


def test_of_alternatives_written_alike_the_likeliest_counts() -> None:
    entry = {
        "token": "�",
        "logprob": -1.0,
        "top_logprobs": [{"token": "�", "logprob": -1.0}, {"token": "�", "logprob": -4.0}],
    }
    (token,) = token_logprobs(AIMessage("x", response_metadata={"logprobs": {"content": [entry]}})) or ()
    assert token.top == {"�": -1.0}


def test_bytes_join_to_whole_characters() -> None:
    emoji = [TokenLogprob("�", -0.1, raw=bytes([byte])) for byte in "😊".encode()]
    assert joined_tokens([*emoji, *tokens("好")]) == "😊好"
    assert joined_tokens(emoji[:3]) == ""


def test_spans_follow_the_text() -> None:
    assert token_spans("Lima is big.", tokens("Lima", " is", " big", ".")) == [(0, 4), (4, 7), (7, 11), (11, 12)]


def test_spans_survive_white_space_that_the_endpoint_dropped() -> None:
    assert token_spans("Lima is", tokens("\n", " Lima", " is")) == [(0, 0), (0, 4), (4, 7)]


def test_a_token_of_partial_bytes_with_a_space_before_it() -> None:
    assert token_spans("a 😊b", tokens("a", " �", "�", "b")) == [(0, 1), (1, 3), (1, 3), (3, 4)]


def test_partial_tokens_at_the_end_stand_on_what_is_left() -> None:
    assert token_spans("好😊", tokens("好", "�", "�")) == [(0, 1), (1, 2), (1, 2)]
    assert token_spans("好", tokens("好", "�", "�")) == [(0, 1), (1, 1), (1, 1)]


@pytest.mark.parametrize(
    ("text", "parts", "spans"),
    [
        ("好😊", [*"好".encode(), *"😊".encode()], [(0, 1)] * 3 + [(1, 2)] * 4),
        ("史密斯", [*"史密斯".encode()], [(0, 1)] * 3 + [(1, 2)] * 3 + [(2, 3)] * 3),
        ("史密", ["史".encode() + "密".encode()[:1], "密".encode()[1:]], [(0, 2), (1, 2)]),
        ("a 😊.", [b"a", b" \xf0\x9f", b"\x98", b"\x8a", b"."], [(0, 1), (1, 3), (2, 3), (2, 3), (3, 4)]),
        ("👩‍🚀", [*"👩‍🚀".encode()], [(0, 1)] * 4 + [(1, 2)] * 3 + [(2, 3)] * 4),
    ],
)  # fmt: skip
@pytest.mark.parametrize("token", ["�", "", "bytes:\\xe5"])  # vLLM, llama.cpp, OpenAI
def test_parts_of_characters_stand_where_their_bytes_do(
    text: str, parts: list[int | bytes], spans: list[tuple[int, int]], token: str
) -> None:
    raw = [bytes([part]) if isinstance(part, int) else part for part in parts]
    assert token_spans(text, pieces(*raw, token=token)) == spans
    assert spells(text, pieces(*raw, token=token)) and not spells(text + "!", pieces(*raw, token=token))


def test_parts_of_characters_are_found_where_white_space_differs() -> None:
    smile = pieces(*(bytes([byte]) for byte in "😊".encode()))
    assert token_spans("a\n😊b", [*tokens("a", " "), *smile, *tokens("b")]) == [(0, 1), (1, 1)] + [(1, 3)] * 4 + [
        (3, 4)
    ]


def test_bytes_come_from_the_endpoint_but_for_those_of_the_mark_itself() -> None:
    content = [
        {"token": "", "logprob": -0.1, "bytes": [0xE5]},
        {"token": "�", "logprob": -0.1, "bytes": [*"�".encode()]},
    ]
    assert token_logprobs(given({"content": content})) == (TokenLogprob("", -0.1, raw=b"\xe5"), *tokens("�"))


def test_tokens_that_are_not_in_the_text_stand_nowhere() -> None:
    assert tokens_between("Lima", tokens("<think>", "hm", "</think>", "Lima"), 0, 4) == tuple(tokens("Lima"))
