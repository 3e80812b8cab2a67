"""FLARE's figures against the paper and its official code (arXiv:2305.06983), value by value."""

import math

import pytest

from groundgraph.grading.confidence import (
    QUERY_TOKENS,
    Measure,
    Token,
    Variant,
    agreement,
    effective_probability,
    is_uncertain,
    is_weak,
    masked,
    sentence_confidence,
    token_confidences,
    weak_spans,
)
from groundgraph.models import TokenLogprob

Parts = list[tuple[str, float]]


def tokens_of(parts: Parts) -> tuple[str, list[Token]]:
    """Return the text that the parts make, and each part as a token with its confidence."""
    text = ""
    tokens: list[Token] = []
    for part, confidence in parts:
        tokens.append({"start": len(text), "end": len(text) + len(part), "confidence": confidence})
        text += part
    return text, tokens


@pytest.mark.parametrize(
    ("confidence", "theta", "variant", "uncertain"),
    [
        (0.19, 0.2, "paper", True),
        (0.2, 0.2, "paper", False),
        (0.21, 0.2, "paper", False),
        (0.0, 0.0, "paper", False),  # θ=0: never
        (0.99, 1.0, "paper", True),
        (1.0, 1.0, "paper", False),
        (0.79, 0.8, "paper", True),
        (0.2, 0.2, "official_code", True),
        (0.21, 0.2, "official_code", False),
        (1.0, 0.0, "official_code", True),  # θ=0: always
        (1.0, 1.0, "official_code", True),
    ],
)
def test_when_a_sentence_is_uncertain(confidence: float, theta: float, variant: Variant, uncertain: bool) -> None:
    assert is_uncertain(confidence, theta, variant) == uncertain


@pytest.mark.parametrize(
    ("confidence", "beta", "variant", "weak"),
    [
        (0.39, 0.4, "paper", True),
        (0.4, 0.4, "paper", False),
        (0.0, 0.0, "paper", False),  # β=0: nothing is dropped
        (0.4, 0.4, "official_code", True),
        (0.41, 0.4, "official_code", False),
        (0.0, 0.0, "official_code", False),
    ],
)
def test_when_a_token_is_dropped(confidence: float, beta: float, variant: Variant, weak: bool) -> None:
    assert is_weak(confidence, beta, variant) == weak


BIDEN: Parts = [("Joe Biden", 0.9), (" attended", 0.8), (" the", 0.9), (" University", 0.3), (" of", 0.8),
                (" Pennsylvania", 0.2), (",", 0.9), (" where", 0.4), (" he", 0.7)]  # fmt: skip
"""The paper's own example, with probabilities made up."""


@pytest.mark.parametrize(
    ("parts", "beta", "variant", "query"),
    [
        (BIDEN, 0.4, "paper", "Joe Biden attended the of , where he"),
        (BIDEN, 0.4, "official_code", "Joe Biden attended the of , he"),
        (BIDEN, 0.0, "paper", "Joe Biden attended the University of Pennsylvania, where he"),
        (BIDEN, 1.0, "paper", ""),  # everything masked
        ([("Yes", 0.1), (".", 0.9)], 0.4, "paper", ""),  # a mark alone is no query
        ([(" Ei", 0.3), ("ff", 0.3), ("el tower", 0.9)], 0.4, "paper", "el tower"),
        ([("The", 0.9), (" Ei", 0.3), ("el", 0.9)], 0.4, "paper", "The el"),  # no word is made of two halves
        ([("铁塔", 0.9), ("位于", 0.9), ("伦敦", 0.1), ("。", 0.9)], 0.4, "paper", "铁塔位于 。"),
        ([], 0.4, "paper", ""),
    ],
)
def test_the_masked_query(parts: Parts, beta: float, variant: Variant, query: str) -> None:
    assert masked(*tokens_of(parts), beta, variant) == query


def test_a_query_has_the_last_64_tokens_that_are_kept() -> None:
    parts = [(f" w{n}", 0.1 if n == 99 else 0.9) for n in range(100)]
    words = masked(*tokens_of(parts), 0.4).split()
    assert len(words) == QUERY_TOKENS == 64
    assert (words[0], words[-1]) == ("w35", "w98")


def test_a_character_of_several_tokens_is_kept_once_or_dropped_with_any_of_them() -> None:
    """The four bytes of 😊 are four tokens that stand on one character."""
    smile: list[Token] = [{"start": 0, "end": 1, "confidence": 0.9} for _ in range(4)]
    good: list[Token] = [{"start": 1, "end": 2, "confidence": 0.9}]
    assert masked("😊好", [*smile, *good], 0.4) == "😊好"
    smile[2]["confidence"] = 0.1
    assert masked("😊好", [*smile, *good], 0.4) == "好"


@pytest.mark.parametrize(
    ("parts", "spans"),
    [
        (BIDEN, ["University of Pennsylvania"]),  # " of" has 3 characters
        ([("a1", 0.1), (" 34", 0.9), ("b2", 0.1)], ["a1 34b2"]),
        ([("a1", 0.1), ("1234", 0.9), ("b2", 0.1)], ["a11234b2"]),  # 4 between them: one
        ([("a1", 0.1), ("12345", 0.9), ("b2", 0.1)], ["a1", "b2"]),  # 5: two
        ([("sure", 0.9), (" word", 0.8)], []),
        ([("so", 0.9), (",", 0.1), (" certainly", 0.9), (" no", 0.1)], ["no"]),  # a comma asks nothing
        ([("在", 0.9), ("伦", 0.1), ("敦", 0.2), ("。", 0.9)], ["伦敦"]),
    ],
)
def test_what_is_asked_about(parts: Parts, spans: list[str]) -> None:
    assert weak_spans(*tokens_of(parts), 0.4) == spans


@pytest.mark.parametrize(
    ("measure", "confidence"), [("min_prob", 0.2), ("mean_prob", 0.6), ("entropy", 0.2), ("agreement", 0.6)]
)
def test_the_confidence_of_a_sentence(measure: Measure, confidence: float) -> None:
    text, tokens = tokens_of([("It", 0.9), (" was", 0.7), (" so", 0.2)])
    assert sentence_confidence(text, tokens, measure) == pytest.approx(confidence)


def test_of_an_agreement_the_weakest_name_or_number_counts() -> None:
    text, tokens = tokens_of([("He moved", 0.1), (" to", 0.9), (" Paris", 0.6), (" in", 0.9), (" 1990", 0.4)])
    assert sentence_confidence(text, tokens, "agreement") == 0.4


def test_nothing_known_is_no_confidence() -> None:
    assert sentence_confidence("So.", [], "min_prob") == sentence_confidence("So.", [], "mean_prob") == 0.0
    assert sentence_confidence("So.", [], "agreement") == 1.0, "it says no more than the question"


def logprob(token: str, p: float | None, **top: float) -> TokenLogprob:
    return TokenLogprob(token, None if p is None else math.log(p), {name: math.log(p) for name, p in top.items()})


@pytest.mark.parametrize(
    ("token", "effective"),
    [
        (logprob("a", 1.0, a=1.0), 1.0),
        (logprob("a", 0.5, a=0.5, b=0.5), 0.5),  # two alike
        (logprob("a", 0.25, a=0.25, b=0.25, c=0.25, d=0.25), 0.25),  # four alike
        (logprob("a", 0.25, a=0.25, b=0.25), 0.25),  # the rest is as unlikely as what is known
        (logprob("a", 0.5), 0.5),
        (logprob("a", 0.9, a=0.9, b=0.1), math.exp(0.9 * math.log(0.9) + 0.1 * math.log(0.1))),
        (logprob("a", None), 0.0),
    ],
)
def test_the_effective_probability_of_a_place(token: TokenLogprob, effective: float) -> None:
    assert effective_probability(token) == pytest.approx(effective)


def test_probabilities_stand_where_their_tokens_do() -> None:
    given = [TokenLogprob("�", -1.0)] * 4 + [TokenLogprob("好", None), TokenLogprob(" lost", -9.0)]
    tokens = token_confidences("😊好", given, "min_prob")
    assert [(token["start"], token["end"]) for token in tokens] == [(0, 1)] * 4 + [(1, 2)]
    assert [round(token["confidence"], 2) for token in tokens] == [0.37] * 4 + [0.0]


@pytest.mark.parametrize(
    ("text", "samples", "shares"),
    [
        ("Ada was born in London.", ["Ada is from London.", "Ada came from Paris.", "London."], {"London": 2 / 3}),
        ("It has 1,000 rooms.", ["1000 rooms", "200 rooms"], {"1,000": 0.5, "rooms": 1.0}),
        ("塔在伦敦。", ["塔位于伦敦", "塔在巴黎"], {"伦": 0.5, "敦": 0.5}),
        ("Ada was born in London.", [], {"London": 0.0}),
    ],
)
def test_agreement_is_the_share_of_samples_that_say_so_too(
    text: str, samples: list[str], shares: dict[str, float]
) -> None:
    """Words of the question (Ada, born, 塔) say nothing and are left out."""
    tokens = agreement(text, samples, "Where was Ada born? 塔在哪里？")
    found = {text[token["start"] : token["end"]]: token["confidence"] for token in tokens}
    assert found == pytest.approx(shares)
