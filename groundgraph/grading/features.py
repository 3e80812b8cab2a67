"""Features of question and passage: e5 similarity, and which of the question's terms stand close together."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from groundgraph.grading.terms import content_terms, is_cjk, key_terms

Floats = NDArray[np.float64]

PAIR_FEATURES = ("cosine", "window", "keys", "cross")
"""What one passage shows by itself."""

AMONG_FEATURES = (*PAIR_FEATURES, "cosine_margin", "window_margin")
"""The same, and how the passage stands among the other candidates: similarities of one question share an offset that
another question has not, so only the difference carries over from one kind of document to the next."""

WINDOW = 40
"""Content terms in a row within which the question's terms are looked for: about three sentences."""


def pair_features(
    question: str, question_vector: NDArray[np.float32], texts: Sequence[str], vectors: NDArray[np.float32]
) -> Floats:
    """Return one row of `PAIR_FEATURES` a text.

    Args:
        question: The question as it was asked.
        question_vector: Its e5 query vector, (d,), normalised.
        texts: The n passages, heading included.
        vectors: Their e5 passage vectors, (n, d), normalised.
    """
    cosines = vectors @ question_vector
    return np.array([[float(c), *lexical_features(question, text)] for c, text in zip(cosines, texts, strict=True)])


def lexical_features(question: str, text: str) -> tuple[float, float, float]:
    """Return how much of the question stands in a text: window coverage, key coverage, whether languages differ.

    Window coverage is the share in [0, 1] of the question's content terms found within `WINDOW` terms of each other.
    Key coverage is the share of its names and numbers less a half, in [-0.5, 0.5], and 0 for a question without any.
    Across languages (Chinese on one side only) the window is 0: only names and numbers can meet.
    """
    keys = key_terms(question)
    terms = content_terms(text)
    covered = len(keys & set(terms)) / len(keys) - 0.5 if keys else 0.0
    if is_cjk(question) != is_cjk(text):
        return 0.0, covered, 1.0
    return window_coverage(frozenset(content_terms(question)), terms), covered, 0.0


def window_coverage(wanted: frozenset[str], terms: Sequence[str], size: int = WINDOW) -> float:
    """Return the largest share in [0, 1] of the wanted terms that stand within `size` terms in a row."""
    hits = [(place, term) for place, term in enumerate(terms) if term in wanted]
    best = 0
    for first, (place, _) in enumerate(hits):
        best = max(best, len({term for other, term in hits[first : first + size] if other < place + size}))
    return best / len(wanted) if wanted else 0.0


def among_features(pairs: Floats, texts: Sequence[str]) -> Floats:
    """Return `AMONG_FEATURES` from the pair features of two or more candidates of one question.

    The margins are the distances to the best other candidate. A copy of the passage does not count as another one, so
    that it does not take the lead away.
    """
    margins = []
    for place, text in enumerate(texts):
        others = pairs[[other != text for other in texts]]
        margins.append(pairs[place, :2] - others[:, :2].max(axis=0) if len(others) else np.zeros(2))
    return np.column_stack([pairs, np.array(margins)])
