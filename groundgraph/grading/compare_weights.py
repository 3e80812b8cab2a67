"""Tell whether newly learned weights grade worse than those in use, on questions that were held out."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

import numpy as np

from groundgraph.grading.features import Floats
from groundgraph.grading.fit_passages import Example
from groundgraph.grading.measure import LOW, Figures, measure_passages
from groundgraph.grading.metrics import auc
from groundgraph.grading.validate import Interval, bootstrap
from groundgraph.grading.weights import Weights

Columns = tuple[list[Floats], list[Floats]]
"""Values by the new weights and by those in use, (n, 2), and labels, of one group of questions: a part for each set."""


class Comparison(TypedDict):
    """What the weights in use are worth, and what the new ones gain on them."""

    figures: dict[str, Figures]
    """Of the weights in use, by source; see `measure_passages`."""
    gains: dict[str, Interval]
    """95 % intervals of the new weights' AUC and share of right decisions, less those of the weights in use."""


def compare_weights(new: Weights, used: Weights, examples: Sequence[Example]) -> Comparison:
    """Return the figures of the weights in use on held-out candidate sets, and the new ones' gain on them.

    A decision is right if some passage scores above 0.5 where a relevant one is among them, and none where none is.
    The gain is paired, since both grade the same sets, and its interval comes from drawing groups of questions.
    """
    scored = [
        (example, np.column_stack([weights.among.predict(example.among) for weights in (new, used)]))
        for example in examples
        if example.candidates.kind in {"retrieved", "withheld", "foreign"}
    ]
    ranked: dict[str, Columns] = {}
    decided: dict[str, Columns] = {}
    for example, scores in scored:
        found, group = example.candidates, example.candidates.question.group
        if found.kind == "retrieved" and found.is_known:
            _add(ranked, group, scores, np.array(found.labels, dtype=np.float64))
        has_answer = True in found.labels or not found.is_known
        _add(decided, group, (scores.max(axis=0, keepdims=True) > LOW) == has_answer, np.array([has_answer]))
    return {
        "figures": measure_passages(lambda example: used.among.predict(example.among), examples),
        "gains": {"auc": bootstrap(_joined(ranked), _auc_gain), "right_decisions": bootstrap(_joined(decided), _gain)},
    }


def losses(gains: Mapping[str, Interval]) -> list[str]:
    """Return the figures that are worse beyond chance: their whole interval is below zero."""
    return [name for name, (_, high) in gains.items() if high < 0]


def _add(groups: dict[str, Columns], group: str, values: Floats, labels: Floats) -> None:
    columns = groups.setdefault(group, ([], []))
    columns[0].append(values.astype(np.float64))
    columns[1].append(labels)


def _joined(groups: Mapping[str, Columns]) -> list[tuple[Floats, Floats]]:
    return [(np.concatenate(values), np.concatenate(labels)) for values, labels in groups.values()]


def _auc_gain(values: Floats, labels: Floats) -> float | None:
    new, used = auc(values[:, 0], labels), auc(values[:, 1], labels)
    return None if new is None or used is None else new - used


def _gain(values: Floats, _: Floats) -> float:
    return float((values[:, 0] - values[:, 1]).mean())
