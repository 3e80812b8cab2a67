"""Read a verdict out of what a language model said about a passage: yes or no, or a fixed phrase."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence

from groundgraph.models import TokenLogprob, joined_tokens

YES = frozenset(("yes", "y", "true", "relevant", "是", "是的", "对", "相关", "有", "能", "可以"))
NO = frozenset(("no", "n", "false", "irrelevant", "否", "不", "不是", "不相关", "无关", "没有", "不能", "无"))

MIN_MASS = 0.5
"""Probability that yes and no must share at the first token for their ratio to mean anything."""

FIELDS = ("score", "分数", "relevant", "relevance", "相关", "verdict", "supported", "answer", "答案")
"""Fields of a JSON object that hold the verdict; of several the first of these."""

_FENCED = re.compile(r"```(?:\w+\n)?(.*?)```", re.DOTALL)
_OBJECT = re.compile(r"\{.*?\}", re.DOTALL)
_EDGES = " \t\r\n\"'`*_.,:;!()[]<>。，：；！“”‘’「」"
_SPACES = str.maketrans("▁Ġ", "  ")
"""What some tokenizers write for a space before a word."""
_WORD = re.compile(r"[a-z]+|不相关|不是|不能|没有|无关|是的|相关|可以|[是否对不有无能]")


def probability_of_yes(tokens: Sequence[TokenLogprob]) -> float | None:
    """Return P(yes) / (P(yes) + P(no)) at the first token that is a word; None where the two are unlikely there."""
    mass = {True: 0.0, False: 0.0}
    for word, probability in first_word(tokens):
        if word in YES or word in NO:
            mass[word in YES] += probability
    total = mass[True] + mass[False]
    return mass[True] / total if total >= MIN_MASS else None


def probability_of_phrase(tokens: Sequence[TokenLogprob], phrases: Sequence[str]) -> float | None:
    """Return the probability in [0, 1] that a reply begins with one of the phrases; None without log probabilities.

    That is the product along the reply, as far as it spells a phrase, and at each place on the way the other tokens
    that a phrase could go on with. How the reply would have gone on after one of these is not known: it counts in full
    if the text up to it is a phrase's beginning of three letters or one Chinese character.

    Args:
        tokens: The tokens of the whole reply.
        phrases: In small letters.
    """
    first = _first_word(tokens)
    if first is None:
        return None
    found, followed, before = 0.0, 1.0, ""
    for place in range(first, len(tokens)):
        said = joined_tokens(tokens[first : place + 1])
        masses = _masses(before, said, tokens[place])
        own = masses.pop(bare(said)) or 1.0  # where its probability is not known: it was said
        found += followed * sum(mass for text, mass in masses.items() if _begins(text, phrases))
        followed *= own
        if begins_with(said, phrases) or not any(phrase.startswith(bare(said)) for phrase in phrases):
            break
        before = said
    return min(1.0, found + followed * _begins(bare(said), phrases))


def begins_with(text: str, phrases: Sequence[str]) -> bool:
    """Return whether a text begins with one of the phrases, which are in small letters."""
    return bare(text).startswith(tuple(phrases))


def bare(text: str) -> str:
    """Return a text in small letters, without the white space and marks around it."""
    return text.translate(_SPACES).strip(_EDGES).lower()


def _masses(before: str, said: str, token: TokenLogprob) -> dict[str, float]:
    """Return the probabilities of the reply's beginnings, bare, that go on from `before`: the one said, and others.

    Those that differ in marks and capitals only are one.
    """
    alternatives = {said: token.probability} | {before + text: math.exp(value) for text, value in token.top.items()}
    masses: dict[str, float] = {}
    for text, probability in alternatives.items():
        masses[bare(text)] = masses.get(bare(text), 0.0) + probability
    return masses


def _begins(text: str, phrases: Sequence[str]) -> bool:
    """Return whether a text begins with a phrase, or is itself enough of a phrase's beginning."""
    enough = len(text) > 2 or not text.isascii()
    return begins_with(text, phrases) or (enough and any(phrase.startswith(text) for phrase in phrases))


def first_word(tokens: Sequence[TokenLogprob]) -> Iterator[tuple[str, float]]:
    """Yield the alternatives at the first token that is a word, bare and in small letters, with their probabilities."""
    first = _first_word(tokens)
    if first is not None:
        yield from _masses("", tokens[first].token, tokens[first]).items()


def _first_word(tokens: Sequence[TokenLogprob]) -> int | None:
    """Return the place of the first token that is a word; None if there is none, or nothing is known of it."""
    first = next((place for place, token in enumerate(tokens) if bare(token.token)), None)
    known = first is not None and (tokens[first].logprob is not None or tokens[first].top)
    return first if known else None


def parse_verdict(text: str) -> float | None:
    """Return 1.0 for yes, 0.0 for no, a score in [0, 1] as it stands, and None for what is none of these.

    Understands one word, a sentence that begins with it, and a JSON object, fenced or not: the first of `FIELDS` in it
    that can be read, or its only field, whatever its name, if that is true, false or one word.
    """
    fenced = _FENCED.search(text)
    body = fenced[1] if fenced else text
    for match in _OBJECT.finditer(body):
        try:
            fields = json.loads(match.group())
        except json.JSONDecodeError:
            continue
        if (score := _verdict_of(fields)) is not None:
            return score
    return _value(body)


def _verdict_of(fields: Mapping[str, object]) -> float | None:
    """Return the verdict in a JSON object."""
    by_name = {name.strip().lower(): value for name, value in fields.items()}
    values = (_value(by_name.get(name)) for name in FIELDS)
    named = next((value for value in values if value is not None), None)
    if named is not None or len(fields) != 1:
        return named
    (value,) = fields.values()
    is_one_word = isinstance(value, str) and bare(value) in YES | NO
    return _value(value) if is_one_word or isinstance(value, bool) else None


def _value(value: object) -> float | None:
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        return float(value) if 0 <= value <= 1 else None
    if not isinstance(value, str):
        return None
    word = _WORD.match(bare(value))
    if word is None:
        return None
    return 1.0 if word.group() in YES else 0.0 if word.group() in NO else None
