"""Fit the heads that grade passages, on candidate sets of several sources."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from groundgraph.grading.candidates import Candidates, Kind
from groundgraph.grading.dataset import Dataset
from groundgraph.grading.features import AMONG_FEATURES, PAIR_FEATURES, Floats, among_features, pair_features
from groundgraph.grading.head import Head, fit_head
from groundgraph.grading.vector_cache import Vector

KIND_WEIGHTS = {"retrieved": 1.0, "crossed": 0.6, "withheld": 0.6, "graded": 0.5, "foreign": 0.5}
"""Weight of one set of each kind: mostly what a search brings up."""

IN_VAIN = 2.0
"""Further weight of a set that a search brought up without a relevant passage: such sets teach to refuse."""

RIDGE = 0.01

ANSWERED = 0.90
"""Share of the questions with a relevant candidate that must not be refused: one false refusal in ten at most."""

ANSWERED_CROSSED = 0.7
"""The same share where question and passages differ in language."""

BEST_WEIGHT = 0.5
"""Weight of the passage taken for the relevant one where people only said that there is one."""


@dataclass(frozen=True)
class Example:
    """A candidate set with its features."""

    candidates: Candidates
    pairs: Floats
    among: Floats


def make_examples(
    candidates: Sequence[Candidates],
    dataset: Dataset,
    passages: Mapping[str, Vector],
    questions: Mapping[str, Vector],
) -> list[Example]:
    """Compute the features of candidate sets, from vectors by text; sets of fewer than two passages are left out."""
    examples = []
    for found in candidates:
        if len(found.ids) > 1:
            question = found.question.text
            among = [dataset.passages[name] for name in found.ids]
            texts = [passage.context for passage in among]
            pairs = pair_features(question, questions[question], among, np.stack([passages[text] for text in texts]))
            examples.append(Example(found, pairs, among_features(pairs, texts)))
    return examples


def fit_alone(examples: Sequence[Example], rounds: int = 3) -> Head:
    """Return the head for a passage that comes alone; see `fit_among`."""
    return _fit(PAIR_FEATURES, examples, pair_rows, rounds)


def fit_among(examples: Sequence[Example], rounds: int = 3) -> Head:
    """Return the head for a passage among others.

    Where only a whole set was judged to hold an answer, the passage that scores best is taken as the relevant one and
    the head is fitted again, a few rounds.
    """
    return _fit(AMONG_FEATURES, examples, among_rows, rounds)


def pair_rows(example: Example) -> Floats:
    """Return what `fit_alone` learns from."""
    return example.pairs


def among_rows(example: Example) -> Floats:
    """Return what `fit_among` learns from."""
    return example.among


def set_prior(head: Head, rows_of: Callable[[Example], Floats], examples: Sequence[Example]) -> Head:
    """Raise a head's scores just so far that `ANSWERED` of the answerable questions have a passage above 0.5.

    Where question and passages differ in language, the scores are raised further, until `ANSWERED_CROSSED` have.

    Training sets hold more passages in vain than a search in documents that have the answer: a false refusal costs
    more than a passage too many, which the generator can still decline.
    """
    head = head.shifted(_missing_log_odds(head, rows_of, examples, "retrieved", ANSWERED))
    return head.raised("cross", _missing_log_odds(head, rows_of, examples, "crossed", ANSWERED_CROSSED))


def _missing_log_odds(
    head: Head, rows_of: Callable[[Example], Floats], examples: Sequence[Example], kind: Kind, share: float
) -> float:
    """Return how far the log odds must rise for `share` of the answerable sets of a kind to have a score above 0.5."""
    sets = [example for example in examples if example.candidates.kind == kind]
    answerable = [e for e in sets if True in e.candidates.labels or not e.candidates.is_known]
    best = np.array([head.predict(rows_of(example)).max() for example in answerable])
    hardest = float(np.quantile(best, 1 - share, method="lower")) if len(best) else 0.5
    return max(0.0, math.log((1 - hardest) / hardest) + 1e-6)


def _fit(
    features: tuple[str, ...], examples: Sequence[Example], rows_of: Callable[[Example], Floats], rounds: int
) -> Head:
    known = [example for example in examples if example.candidates.is_known]
    judged = [example for example in examples if not example.candidates.is_known]
    rows = [rows_of(example) for example in known]
    labels = [np.array(example.candidates.labels, dtype=np.float64) for example in known]
    weights = [
        np.full(len(part), _weight(example.candidates) / len(part)) for example, part in zip(known, rows, strict=True)
    ]
    sources = [example.candidates.question.source for example in known]
    head = fit_head(features, np.concatenate(rows), np.concatenate(labels), _balanced(weights, sources), RIDGE)
    for _ in range(rounds if judged else 0):
        best = [part[[head.predict(part).argmax()]] for part in map(rows_of, judged)]
        head = fit_head(
            features,
            np.concatenate([*rows, *best]),
            np.concatenate([*labels, np.ones(len(best))]),
            _balanced(
                [*weights, *([np.array([BEST_WEIGHT])] * len(best))],
                [*sources, *(example.candidates.question.source for example in judged)],
            ),
            RIDGE,
        )
    return head


def _weight(found: Candidates) -> float:
    is_in_vain = found.kind == "retrieved" and True not in found.labels
    return KIND_WEIGHTS[found.kind] * (IN_VAIN if is_in_vain else 1.0)


def _balanced(weights: Sequence[Floats], sources: Sequence[str]) -> Floats:
    """Return one weight an example, so that a source counts with the square root of its size."""
    totals: dict[str, float] = {}
    for part, source in zip(weights, sources, strict=True):
        totals[source] = totals.get(source, 0.0) + float(part.sum())
    return np.concatenate([part / totals[source] ** 0.5 for part, source in zip(weights, sources, strict=True)])
