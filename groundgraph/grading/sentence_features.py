"""Features of a sentence inside its passage: does it answer, or does it carry on one that does?"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from groundgraph.grading.answer_type import answer_type
from groundgraph.grading.terms import content_terms, is_cjk, key_terms

Floats = NDArray[np.float64]

SENTENCE_FEATURES = (
    "cosine",
    "cosine_to_best",
    "window",
    "window_to_best",
    "keys",
    "answer_type",
    "before",
    "after",
    "continues",
    "length",
    "cross",
)
"""See `sentence_features`."""

_CONTINUES = re.compile(
    r"(?:he|she|it|they|his|her|its|their|this|that|these|those|such|both|however|also|but|then|here|there|"
    r"for example|in addition|as a result)\b|[他她它]们?|[这那其此该]|但|而|因此|所以|同时|另外|此外|例如|然后|并",
    re.IGNORECASE,
)


def sentence_features(
    question: str,
    question_vector: NDArray[np.float32],
    sentences: Sequence[str],
    vectors: NDArray[np.float32],
    heading: str = "",
) -> Floats:
    """Return one row of `SENTENCE_FEATURES` a sentence of one passage.

    Similarity and term coverage are given by themselves and as the distance to the passage's best sentence, so that
    an easy and a hard passage look alike; `before` and `after` are the neighbours' distances, for answers that stand
    beside the sentence that names the subject. Terms of the heading count for every sentence.

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
    cosine_to_best, coverage_to_best = cosine - cosine.max(), coverage - coverage.max()
    rank = cosine_to_best * 10 + coverage_to_best
    far = rank.min()
    return np.column_stack(
        [
            cosine,
            cosine_to_best,
            coverage,
            coverage_to_best,
            [_coverage(keys, sentence) - 0.5 if keys else 0.0 for sentence in sentences],
            [answer_type(question, sentence) for sentence in sentences],
            np.concatenate([[far], rank[:-1]]),
            np.concatenate([rank[1:], [far]]),
            [float(place > 0 and bool(_CONTINUES.match(sentence))) for place, sentence in enumerate(sentences)],
            np.log1p([len(content_terms(sentence)) for sentence in sentences]),
            [float(is_cjk(question) != is_cjk(sentence)) for sentence in sentences],
        ]
    )


def _coverage(wanted: frozenset[str], sentence: str) -> float:
    return len(wanted.intersection(content_terms(sentence))) / len(wanted) if wanted else 0.0
