"""Reflection tokens of Self-RAG, and the scores that their probabilities make (arXiv:2310.11511, section 3.3).

Probabilities come from the likeliest tokens that an endpoint reports at a place; a token that is not among them has
probability 0. The official code gives it the log probability -100.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from groundgraph.knowledge.passage import Passage
from groundgraph.models import TokenLogprob
from groundgraph.models.escape import escape

RETRIEVAL, NO_RETRIEVAL, CONTINUE = "[Retrieval]", "[No Retrieval]", "[Continue to Use Evidence]"
RELEVANT, IRRELEVANT = "[Relevant]", "[Irrelevant]"
FULL, PARTIAL, NO_SUPPORT = "[Fully supported]", "[Partially supported]", "[No support / Contradictory]"
UTILITIES = tuple(f"[Utility:{grade}]" for grade in range(1, 6))

NEEDS = (RETRIEVAL, NO_RETRIEVAL, CONTINUE)
RELEVANCE = (RELEVANT, IRRELEVANT)
SUPPORT = (FULL, PARTIAL, NO_SUPPORT)
KINDS: Mapping[str, tuple[str, ...]] = {
    "need": NEEDS,
    "relevance": RELEVANCE,
    "support": SUPPORT,
    "utility": UTILITIES,
}
UTILITY_WEIGHTS = (-1.0, -0.5, 0.0, 0.5, 1.0)

INSTRUCTION = "### Instruction:\n{question}\n\n### Response:\n"

Variant = Literal["paper", "official_code"]
Probabilities = Mapping[str, float]

_UNSEEN = -100.0
_TOKEN = re.compile("|".join(map(re.escape, (*NEEDS, *RELEVANCE, *SUPPORT, *UTILITIES))))
_LEFT_OVER = re.compile(r"<paragraph>.*?</paragraph>|</?paragraph>|</?s>|<\|[^|>]*\|>", re.DOTALL)


@dataclass(frozen=True)
class Reflections:
    """What a model said in reflection tokens about one segment."""

    relevance: float
    """In [0, 1]."""
    support: float
    """In [0, 1]; 0 if it said none."""
    utility: float
    """In [-1, 1]; 0 if it said none."""
    sequence: float
    """Exponential of the mean log probability of the segment's tokens, in [0, 1]."""
    absent: tuple[str, ...] = ()
    """What no reflection token was reported for: `relevance`, `support`, `utility`."""

    def score(self, relevance: float = 1.0, support: float = 1.0, utility: float = 0.5, sequence: float = 0.0) -> float:
        """Return the weighted sum by these weights."""
        return relevance * self.relevance + support * self.support + utility * self.utility + sequence * self.sequence


def probabilities(token: TokenLogprob | None, names: Sequence[str]) -> dict[str, float]:
    """Return the probability of each of the names at the place of `token`; 0 where it is not reported."""
    if token is None:
        return dict.fromkeys(names, 0.0)
    reported = {token.token.strip(): token.probability}
    reported |= {word.strip(): math.exp(value) for word, value in token.top.items()}
    return {name: reported.get(name, 0.0) for name in names}


def retrieval_share(found: Probabilities) -> float:
    """Return P(Retrieval) / (P(Retrieval) + P(No Retrieval)); 0 if neither is reported."""
    total = found[RETRIEVAL] + found[NO_RETRIEVAL]
    return found[RETRIEVAL] / total if total else 0.0


def wants_retrieval(found: Probabilities, threshold: float, variant: Variant = "paper") -> bool:
    """Return whether to retrieve at first: where the share of retrieval exceeds the threshold.

    The official short-form code takes the share of the log probabilities, which inverts it: at a threshold of 0.2 it
    retrieves where P(Retrieval) is below 0.72.
    """
    if variant == "paper":
        return retrieval_share(found) > threshold
    wanted, unwanted = (math.log(found[name]) if found[name] else _UNSEEN for name in (RETRIEVAL, NO_RETRIEVAL))
    return wanted / (wanted + unwanted) > threshold if wanted + unwanted else False


def need_after(found: Probabilities, threshold: float) -> str:
    """Return which of `NEEDS` comes after a segment: the likeliest, but no retrieval only if it is likely enough.

    It becomes retrieval where (P(Retrieval) + P(Continue)) / (P(Retrieval) + P(No Retrieval)) exceeds the threshold.
    """
    likeliest = max(NEEDS, key=lambda name: found[name])
    total = found[RETRIEVAL] + found[NO_RETRIEVAL]
    if likeliest == NO_RETRIEVAL and (found[RETRIEVAL] + found[CONTINUE]) / total > threshold:
        return RETRIEVAL
    return likeliest


def relevance(found: Probabilities) -> float:
    """Return P(Relevant) / (P(Relevant) + P(Irrelevant)); 0 if neither is reported."""
    total = sum(found[name] for name in RELEVANCE)
    return found[RELEVANT] / total if total else 0.0


def support(found: Probabilities) -> float:
    """Return (P(Fully) + 0.5 · P(Partially)) over the sum of the three; 0 if none is reported."""
    total = sum(found[name] for name in SUPPORT)
    return (found[FULL] + 0.5 * found[PARTIAL]) / total if total else 0.0


def utility(found: Probabilities) -> float:
    """Return the mean of -1, -0.5, 0, 0.5 and 1 weighted by the probabilities of utility 1 to 5; 0 if none is."""
    total = sum(found[name] for name in UTILITIES)
    weighted = sum(weight * found[name] for weight, name in zip(UTILITY_WEIGHTS, UTILITIES, strict=True))
    return weighted / total if total else 0.0


def reflections(tokens: Sequence[TokenLogprob]) -> Reflections:
    """Return what the tokens of one segment say: relevance at the first, the others where their tokens stand."""
    kinds = ("relevance", "support", "utility")
    places = {kind: _place(tokens, KINDS[kind]) for kind in kinds}
    places["relevance"] = tokens[0] if tokens else None
    found = {kind: probabilities(places[kind], KINDS[kind]) for kind in kinds}
    logprobs = [token.logprob for token in tokens if token.logprob is not None]
    return Reflections(
        relevance(found["relevance"]),
        support(found["support"]),
        utility(found["utility"]),
        math.exp(sum(logprobs) / len(logprobs)) if logprobs else 0.0,
        tuple(name for name, values in found.items() if not any(values.values())),
    )


def answer_score(scores: Sequence[float]) -> float:
    """Return the product of the scores of an answer's segments; if any is negative, the sum of the negative ones.

    The official code multiplies always, so that two bad segments make a good answer.
    """
    negative = [score for score in scores if score < 0]
    return sum(negative) if negative else math.prod(scores)


def first_segment(tokens: Sequence[TokenLogprob]) -> tuple[Sequence[TokenLogprob], TokenLogprob | None]:
    """Return the tokens up to the one that decides about retrieval for the next segment, and that; None if none."""
    for place, token in enumerate(tokens):
        if place and token.token.strip() in NEEDS:
            return tokens[:place], token
    return tokens, None


def plain_text(text: str) -> str:
    """Return the text without reflection tokens, passages and end marks."""
    return re.sub(r"[^\S\n]+", " ", _TOKEN.sub(" ", _LEFT_OVER.sub(" ", text))).strip()


def harmless(text: str) -> str:
    """Return a text with what has a meaning in this prompt made harmless; everything else stays verbatim."""
    text = re.sub(r"<(?=/?paragraph>)", "&lt;", escape(text), flags=re.IGNORECASE)
    text = re.sub(r"###(?=\s*(?:Instruction|Input|Response)\s*:)", "##", text, flags=re.IGNORECASE)
    return _TOKEN.sub(lambda token: f"({token[0][1:-1]})", text)


def instruction(question: str) -> str:
    """Return the prompt that such a model is fine-tuned on, up to its response."""
    return INSTRUCTION.replace("{question}", harmless(question))


def paragraph(passage: Passage) -> str:
    """Return a passage as it stands in the response, after the token that asks for it."""
    text = harmless(f"{passage.heading or passage.source}\n{passage.page_content}")
    return f"<paragraph>{text}</paragraph>"


def _place(tokens: Sequence[TokenLogprob], names: Sequence[str]) -> TokenLogprob | None:
    return next((token for token in tokens if token.token.strip() in names), None)
