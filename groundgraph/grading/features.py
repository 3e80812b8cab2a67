"""Features of question and passage: e5 similarity, and how much of the question one sentence holds."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from groundgraph.grading.terms import content_terms, is_cjk, key_terms
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.sentences import sentences

Floats = NDArray[np.float64]

PAIR_FEATURES = ("cosine", "sentence", "keys", "cross")
"""What one passage shows by itself."""

AMONG_FEATURES = (*PAIR_FEATURES, "cosine_margin", "sentence_margin", "cosine_rank")
"""The same, and how the passage stands among the other candidates: similarities of one question share an offset that
another question has not, so only the difference carries over from one kind of document to the next."""


def pair_features(
    question: str, question_vector: NDArray[np.float32], passages: Sequence[Passage], vectors: NDArray[np.float32]
) -> Floats:
    """Return one row of `PAIR_FEATURES` a passage.

    Args:
        question: The question as it was asked.
        question_vector: Its e5 query vector, (d,), normalised.
        passages: The n passages.
        vectors: The e5 vectors of their `context`, (n, d), normalised.
    """
    cosines = vectors @ question_vector
    return np.array([[float(c), *lexical_features(question, p)] for c, p in zip(cosines, passages, strict=True)])


def lexical_features(question: str, passage: Passage) -> tuple[float, float, float]:
    """Return how much of the question stands in a passage: in one sentence, of its keys, whether languages differ.

    The first is the largest share in [0, 1] of the question's content terms that one sentence holds, with the heading.
    Key coverage is the share of its names and numbers less a half, in [-0.5, 0.5], and 0 for a question without any.
    Across languages (Chinese on one side only) the first is 0: only names and numbers can meet.
    """
    text = passage.context
    keys = key_terms(question)
    covered = len(keys.intersection(content_terms(text))) / len(keys) - 0.5 if keys else 0.0
    if is_cjk(question) != is_cjk(text):
        return 0.0, covered, 1.0
    return sentence_coverage(frozenset(content_terms(question)), passage), covered, 0.0


def sentence_coverage(wanted: frozenset[str], passage: Passage) -> float:
    """Return the largest share in [0, 1] of the wanted terms that one sentence holds, together with the heading."""
    if not wanted:
        return 0.0
    missing = wanted - frozenset(content_terms(passage.heading))
    text = passage.page_content
    found = (len(missing.intersection(content_terms(text[start:end]))) for start, end in sentences(text))
    return 1 - (len(missing) - max(found, default=0)) / len(wanted)


def among_features(pairs: Floats, texts: Sequence[str]) -> Floats:
    """Return `AMONG_FEATURES` from the pair features of two or more candidates of one question.

    The margins are the distances to the best other candidate, the rank is the share in [0, 1] of the others that are
    less similar. A copy of a passage does not count as another one, so that it does not take the lead away.
    """
    distinct = dict(zip(texts, pairs[:, :2], strict=True))
    stands = np.zeros((len(texts), 3))
    for place, text in enumerate(texts):
        others = np.array([row for other, row in distinct.items() if other != text])
        if len(others):
            margins = pairs[place, :2] - others.max(axis=0)
            stands[place] = [*margins, (others[:, 0] < pairs[place, 0]).mean()]
    return np.column_stack([pairs, stands])
