"""Features of a sentence inside its passage: does it answer, compared with the sentences around it?"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from groundgraph.grading.answer_type import answer_type
from groundgraph.grading.terms import content_terms, key_terms

Floats = NDArray[np.float64]

SENTENCE_FEATURES = ("cosine", "cosine_to_best", "terms_to_best", "keys", "answer_type", "before", "after")
"""See `sentence_features`. Pronouns and connectives at the start, length and language were tried and said nothing."""


def sentence_features(
    question: str,
    question_vector: NDArray[np.float32],
    sentences: Sequence[str],
    vectors: NDArray[np.float32],
    heading: str = "",
) -> Floats:
    """Return one row of `SENTENCE_FEATURES` a sentence of one passage.

    Similarity and term coverage are given as the distance to the passage's best sentence, so that an easy and a hard
    passage look alike; `before` and `after` are the distances of the neighbours. Terms of the heading are not looked
    for: they hold for every sentence.

    Args:
        question: The question as it was asked.
        question_vector: Its e5 query vector, (d,), normalised.
        sentences: The n sentences of the passage, in order.
        vectors: Their e5 passage vectors, (n, d), normalised.
        heading: Headings above the passage.
    """
    cosine = (vectors @ question_vector).astype(np.float64)
    wanted = frozenset(content_terms(question)) - frozenset(content_terms(heading))
    keys = key_terms(question) - frozenset(content_terms(heading))
    coverage = np.array([_coverage(wanted, sentence) for sentence in sentences])
    cosine_to_best, terms_to_best = cosine - cosine.max(), coverage - coverage.max()
    near = (
        10 * cosine_to_best + terms_to_best
    )  # similarities spread over a tenth of their range, coverage over all of it
    far = near.min()
    return np.column_stack(
        [
            cosine,
            cosine_to_best,
            terms_to_best,
            [_coverage(keys, sentence) - 0.5 if keys else 0.0 for sentence in sentences],
            [answer_type(question, sentence) for sentence in sentences],
            np.concatenate([[far], near[:-1]]),
            np.concatenate([near[1:], [far]]),
        ]
    )


def _coverage(wanted: frozenset[str], sentence: str) -> float:
    return len(wanted.intersection(content_terms(sentence))) / len(wanted) if wanted else 0.0
