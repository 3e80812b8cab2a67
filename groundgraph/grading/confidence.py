"""How sure a model was of what it wrote, and what to search for where it was not (FLARE, arXiv:2305.06983)."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from typing_extensions import TypedDict

from groundgraph.grading.terms import content_terms, key_terms
from groundgraph.knowledge.keywords import CJK
from groundgraph.models.logprobs import TokenLogprob, token_spans

Measure = Literal["min_prob", "mean_prob", "entropy", "agreement", "verbalised"]
Variant = Literal["paper", "official_code"]

QUERY_TOKENS = 64
"""Longest query of a masked sentence, in tokens: its last ones."""
NEAR = 5
"""Uncertain spans with fewer characters than this between them are one."""

_WORD = re.compile(rf"[{CJK}]|(?:(?![{CJK}])\w)+(?:[.,]\d+)*")


class Token(TypedDict):
    """A token as it stands in a text."""

    start: int
    end: int
    confidence: float
    """In [0, 1]: its probability, or what the measure has in its place."""


def token_confidences(text: str, tokens: Sequence[TokenLogprob], measure: Measure) -> list[Token]:
    """Return the tokens that stand in `text`, in order; one without a probability has confidence 0."""
    confidence = effective_probability if measure == "entropy" else _probability
    spans = token_spans(text, tokens)
    return [
        {"start": start, "end": end, "confidence": confidence(token)}
        for token, (start, end) in zip(tokens, spans, strict=True)
        if start < end
    ]


def effective_probability(token: TokenLogprob) -> float:
    """Return exp(-H) of a token's place, in (0, 1]: 1/n where n tokens were equally likely; 0 if unknown.

    The entropy H is over the likeliest tokens that the endpoint reports; the rest of the probability is taken to be
    spread over tokens as likely as the least likely of these, so a lone token gives its own probability or more.
    """
    if token.logprob is None:
        return 0.0
    likeliest = [min(logprob, 0.0) for logprob in {**token.top, token.token: token.logprob}.values()]
    entropy = -sum(math.exp(logprob) * logprob for logprob in likeliest)
    rest = max(0.0, 1.0 - math.fsum(map(math.exp, likeliest)))
    return math.exp(-entropy + rest * min(likeliest))


def _probability(token: TokenLogprob) -> float:
    return token.probability


def agreement(text: str, samples: Sequence[str], question: str) -> list[Token]:
    """Return the words of `text` that say something, each with the share of the samples that say it too.

    Words of the question are left out: every sample repeats them. Of Chinese, each character counts with the likelier
    of the two pairs it stands in.

    Args:
        text: A sentence.
        samples: Other sentences that the model wrote in its place; none give 0 everywhere.
        question: What is answered.
    """
    held = [set(content_terms(sample)) for sample in samples]
    return [
        {
            "start": start,
            "end": end,
            "confidence": max(sum(term in one for one in held) / max(1, len(held)) for term in terms),
        }
        for (start, end), terms in content_words(text, question)
    ]


def content_words(text: str, question: str) -> Iterator[tuple[tuple[int, int], set[str]]]:
    """Yield where each word of `text` stands that says more than the question, and its content terms.

    Of Chinese, a word is one character, with the pairs it stands in.
    """
    known = set(content_terms(question))
    for match in _WORD.finditer(text):
        if terms := _terms_at(text, match) - known:
            yield match.span(), terms


def _terms_at(text: str, match: re.Match[str]) -> set[str]:
    """Return the content terms of a word; of a Chinese character, the pairs it stands in that are some."""
    start, end = match.span()
    if not re.match(f"[{CJK}]", match[0]):
        return set(content_terms(match[0]))
    pairs = (text[max(0, start - 1) : end], text[start : end + 1])
    return {pair for pair in pairs if re.fullmatch(f"[{CJK}]{{2}}", pair) and pair in content_terms(pair)}


def sentence_confidence(text: str, tokens: Sequence[Token], measure: Measure) -> float:
    """Return the confidence in [0, 1] of a sentence: its weakest token's, or the mean with `mean_prob`.

    With `agreement` the weakest name or number counts and, where there is none, the mean: a word may have synonyms.
    Nothing known is 0, but with `agreement` 1: then the sentence says no more than the question.
    """
    if not tokens:
        return 1.0 if measure == "agreement" else 0.0
    values = [token["confidence"] for token in tokens]
    if measure == "agreement":
        keys = key_terms(text)
        named = [t["confidence"] for t in tokens if keys.intersection(content_terms(text[t["start"] : t["end"]]))]
        return min(named) if named else math.fsum(values) / len(values)
    return math.fsum(values) / len(values) if measure == "mean_prob" else min(values)


def is_uncertain(confidence: float, theta: float, variant: Variant = "paper") -> bool:
    """Tell whether to retrieve for a sentence: p < θ in the paper, so 0 means never; in its code p ≤ θ, 0 always."""
    if variant == "official_code":
        return theta == 0 or confidence <= theta
    return confidence < theta


def is_weak(confidence: float, beta: float, variant: Variant = "paper") -> bool:
    """Tell whether a token is dropped from a query: p < β in the paper, so 0 means never; p ≤ β in its code."""
    return confidence <= beta if variant == "official_code" and beta else confidence < beta


def masked(text: str, tokens: Sequence[Token], beta: float, variant: Variant = "paper") -> str:
    """Return the last 64 tokens that are not weak, as text; empty if no word is left.

    A character that several tokens share is dropped with any of them. Where something was dropped stands a space.
    """
    weak = {
        place
        for token in tokens
        if is_weak(token["confidence"], beta, variant)
        for place in range(token["start"], token["end"])
    }
    kept = [token for token in tokens if weak.isdisjoint(range(token["start"], token["end"]))][-QUERY_TOKENS:]
    query, last = "", 0
    for token in kept:
        start = max(token["start"], last)
        query += f" {text[start : token['end']]}" if start > last else text[start : token["end"]]
        last = max(last, token["end"])
    query = " ".join(query.split())
    return query if re.search(r"\w", query) else ""


def weak_spans(text: str, tokens: Sequence[Token], beta: float, variant: Variant = "paper") -> list[str]:
    """Return the runs of weak tokens as they stand in `text`, those closer than 5 characters as one, words only."""
    spans: list[tuple[int, int]] = []
    for token in tokens:
        if not is_weak(token["confidence"], beta, variant):
            continue
        if spans and token["start"] - spans[-1][1] < NEAR:
            spans[-1] = (spans[-1][0], max(spans[-1][1], token["end"]))
        else:
            spans.append((token["start"], token["end"]))
    found = (text[start:end].strip() for start, end in spans)
    return [span for span in dict.fromkeys(found) if re.search(r"\w", span)]
