import math

from langchain_core.messages import AIMessage

from groundgraph.models import TokenLogprob, joined_tokens, token_logprobs, token_spans, tokens_between


def tokens(*words: str) -> list[TokenLogprob]:
    return [TokenLogprob(word, -0.1) for word in words]


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


def test_tokens_that_are_not_in_the_text_stand_nowhere() -> None:
    assert tokens_between("Lima", tokens("<think>", "hm", "</think>", "Lima"), 0, 4) == tuple(tokens("Lima"))
