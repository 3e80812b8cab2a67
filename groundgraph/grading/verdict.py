"""Read a verdict out of what a language model said about a passage: yes or no, or a fixed phrase."""

import json
import math
import re
from collections.abc import Iterator, Sequence

from groundgraph.models import TokenLogprob

YES = frozenset(("yes", "y", "true", "relevant", "是", "是的", "对", "相关", "有", "能", "可以"))
NO = frozenset(("no", "n", "false", "irrelevant", "否", "不", "不是", "不相关", "无关", "没有", "不能", "无"))

MIN_MASS = 0.5
"""Probability that yes and no must share at the first token for their ratio to mean anything."""

_FENCED = re.compile(r"```(?:\w+\n)?(.*?)```", re.DOTALL)
_OBJECT = re.compile(r"\{.*?\}", re.DOTALL)
_EDGES = " \t\r\n\"'`*_.,:;!()[]<>。，：；！“”‘’「」▁Ġ"
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

    A token counts if a phrase begins with it: all of three letters, or one Chinese character.
    """
    first = list(first_word(tokens))
    if not first:
        return None
    begins = [part for word, part in first if word.startswith(tuple(phrases)) or _begins(word, phrases)]
    return min(1.0, sum(begins))


def _begins(word: str, phrases: Sequence[str]) -> bool:
    return (len(word) > 2 or not word.isascii()) and any(phrase.startswith(word) for phrase in phrases)


def first_word(tokens: Sequence[TokenLogprob]) -> Iterator[tuple[str, float]]:
    """Yield the alternatives at the first token that is a word, bare and in small letters, with their probabilities."""
    first = next((token for token in tokens if token.token.strip(_EDGES)), None)
    if first is not None and (first.logprob is not None or first.top):
        alternatives = {first.token: first.probability} | {text: math.exp(value) for text, value in first.top.items()}
        yield from ((text.strip(_EDGES).lower(), probability) for text, probability in alternatives.items())


def parse_verdict(text: str) -> float | None:
    """Return 1.0 for yes, 0.0 for no, a score in [0, 1] as it stands, and None for what is none of these.

    Understands one word, a sentence that begins with it, and a JSON object with a `score`, `relevant` or `answer`,
    fenced or not.
    """
    fenced = _FENCED.search(text)
    body = fenced[1] if fenced else text
    for match in _OBJECT.finditer(body):
        try:
            fields = json.loads(match.group())
        except json.JSONDecodeError:
            continue
        for value in fields.values():
            if (score := _value(value)) is not None:
                return score
    return _value(body)


def _value(value: object) -> float | None:
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        return float(value) if 0 <= value <= 1 else None
    if not isinstance(value, str):
        return None
    word = _WORD.match(value.strip(_EDGES).lower())
    if word is None:
        return None
    return 1.0 if word.group() in YES else 0.0 if word.group() in NO else None
