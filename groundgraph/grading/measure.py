"""What an evaluator is worth, source by source: ranking, calibration, and how often it answers and refuses."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from groundgraph.grading.features import Floats
from groundgraph.grading.fit_passages import Example
from groundgraph.grading.head import Head
from groundgraph.grading.metrics import auc, expected_calibration_error
from groundgraph.knowledge.passage import Tier

LOW = 0.50
HIGH = 0.79
"""CRAG's thresholds: every passage at or below LOW means refusal, one at HIGH or above means Correct."""

Figures = dict[str, float | int | None]
ScoresOf = Callable[[Example], Floats]
"""Returns one score in [0, 1] for each passage of a candidate set."""


def measure_passages(scores_of: ScoresOf, examples: Sequence[Example]) -> dict[str, Figures]:
    """Return the figures of an evaluator for each source, and over the pairs of all of them as `all`.

    `auc`, `accuracy` (at 0.5) and `ece` are over the pairs of retrieved sets; shares are over questions. `answered`:
    of those with a relevant passage among five (or, in NoMIRACL, with one in ten by the whole set's label), some
    passage scores above 0.5. `relevant_above_low`: a relevant one does. `correct`: some passage scores 0.79 or more.
    The others are refusals, all passages at or below 0.5: `refused_unanswerable` (questions labelled so),
    `refused_withheld` (every relevant passage taken out), `refused_foreign` (asked of another source's passages, or of
    random ones where there is one source).
    """
    sources = sorted({example.candidates.question.source for example in examples})
    figures = {
        source: _figures(scores_of, [e for e in examples if e.candidates.question.source == source])
        for source in sources
    }
    return figures | {"all": _figures(scores_of, examples)}


def by_head(head: Head, rows_of: Callable[[Example], Floats]) -> ScoresOf:
    """Return the scores by a head."""
    return lambda example: head.predict(rows_of(example))


def tier_table(scores_of: ScoresOf, examples: Sequence[Example]) -> dict[str, dict[str, int]]:
    """Return how many relevant and irrelevant pairs of retrieved sets fall into each of CRAG's tiers."""
    table = {name: {"correct": 0, "ambiguous": 0, "incorrect": 0} for name in ("relevant", "not relevant")}
    for example in examples:
        found = example.candidates
        if found.kind == "retrieved" and found.is_known:
            for label, score in zip(found.labels, scores_of(example), strict=True):
                table["relevant" if label else "not relevant"][tier_at(score)] += 1
    return table


def tier_at(score: float) -> Tier:
    """Return CRAG's tier of a score at its default thresholds."""
    return "correct" if score >= HIGH else "incorrect" if score <= LOW else "ambiguous"


def _figures(scores_of: ScoresOf, examples: Sequence[Example]) -> Figures:
    scored = [(example.candidates, scores_of(example)) for example in examples]
    retrieved = [(found, scores) for found, scores in scored if found.kind == "retrieved"]
    known = [(np.array(found.labels, dtype=bool), scores) for found, scores in retrieved if found.is_known]
    labels = np.concatenate([part for part, _ in known]) if known else np.array([], dtype=bool)
    values = np.concatenate([part for _, part in known]) if known else np.array([])
    held = [scores for found, scores in retrieved if True in found.labels or not found.is_known]
    return {
        "pairs": len(labels),
        "relevant_pairs": int(labels.sum()),
        "auc": _rounded(auc(values, labels)),
        "accuracy": _share((values > LOW) == labels),
        "ece": _rounded(expected_calibration_error(values, labels)) if len(labels) else None,
        "answerable": len(held),
        "answered": _share(scores.max() > LOW for scores in held),
        "relevant_above_low": _share(scores[part].max() > LOW for part, scores in known if part.any()),
        "correct": _share(scores.max() >= HIGH for scores in held),
        "unanswerable": sum(not found.question.answerable for found, _ in retrieved),
        "refused_unanswerable": _share(
            scores.max() <= LOW for found, scores in retrieved if not found.question.answerable
        ),
        "refused_withheld": _share(scores.max() <= LOW for found, scores in scored if found.kind == "withheld"),
        "refused_foreign": _share(scores.max() <= LOW for found, scores in scored if found.kind == "foreign"),
        "answered_crossed": _share(
            scores.max() > LOW for found, scores in scored if found.kind == "crossed" and True in found.labels
        ),
    }


def _share(hits: Iterable[bool]) -> float | None:
    values = list(hits)
    return round(float(np.mean(values)), 4) if values else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
