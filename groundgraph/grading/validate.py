"""Cross-validation of the head among candidates, by groups of questions and by sources, with intervals."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from groundgraph.grading.dataset import Question
from groundgraph.grading.features import Floats
from groundgraph.grading.fit_passages import Example, among_rows, fit_among, set_prior
from groundgraph.grading.metrics import auc, expected_calibration_error

FOLDS = 5
RESAMPLES = 200

Interval = tuple[float, float]
"""Lower and upper end of a 95 % interval."""

Columns = tuple[list[Floats], list[Floats], list[Floats]]
"""Scores, similarities and labels of the pairs of one group of questions, a part for each question."""

SourceFigures = dict[str, float | Interval | int | None]


def cross_validate(examples: Sequence[Example]) -> dict[str, SourceFigures]:
    """Return AUC and calibration error of each source by heads that never saw the question's group, with intervals.

    Questions that share a labelled passage, or are translations of each other, are one group. The raw similarity's
    AUC stands beside the head's.
    """
    groups = question_groups([example.candidates.question for example in examples])
    fold_of = {group: place % FOLDS for place, group in enumerate(sorted(set(groups.values())))}
    return _held_out(examples, groups, lambda question: fold_of[groups[question.id]])


def leave_one_out(examples: Sequence[Example], unseen: Sequence[Example] = ()) -> dict[str, SourceFigures]:
    """Return the same figures of each source by a head that learned from the other sources' examples alone.

    From the `unseen` examples no head learns; those of a source are measured with its others.
    """
    groups = question_groups([example.candidates.question for example in (*examples, *unseen)])
    return _held_out(examples, groups, lambda question: question.source, unseen)


def _held_out(
    examples: Sequence[Example],
    groups: Mapping[str, int],
    part_of: Callable[[Question], int | str],
    unseen: Sequence[Example] = (),
) -> dict[str, SourceFigures]:
    """Measure the questions of each part by a head fitted on the examples of all other parts."""
    everything = (*examples, *unseen)
    scored: dict[str, dict[int, Columns]] = {}
    for part in dict.fromkeys(part_of(example.candidates.question) for example in everything):
        rest = [example for example in examples if part_of(example.candidates.question) != part]
        if not rest:
            continue
        head = set_prior(fit_among(rest), among_rows, rest)
        for example in _measured(e for e in everything if part_of(e.candidates.question) == part):
            question = example.candidates.question
            columns = scored.setdefault(question.source, {}).setdefault(groups[question.id], ([], [], []))
            columns[0].append(head.predict(example.among))
            columns[1].append(example.pairs[:, 0])
            columns[2].append(np.array(example.candidates.labels, dtype=np.float64))
    return {source: _source_figures(scored[source]) for source in sorted(scored)}


def question_groups(questions: Sequence[Question]) -> dict[str, int]:
    """Return the group of each question by its id: those that share a labelled passage or a group's name are one."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        while leader.setdefault(name, name) != name:
            name = leader[name]
        return name

    for question in questions:
        for shared in (f"group {question.group}", *(f"passage {name}" for name in question.grades)):
            leader[find(shared)] = find(f"question {question.id}")
    numbers: dict[str, int] = {}
    return {q.id: numbers.setdefault(find(f"question {q.id}"), len(numbers)) for q in questions}


def bootstrap(groups: Sequence[tuple[Floats, Floats]], measure: Callable[[Floats, Floats], float | None]) -> Interval:
    """Return the 95 % interval of `measure(scores, labels)` over groups drawn with replacement."""
    random = np.random.default_rng(0)
    found: list[float] = []
    for _ in range(RESAMPLES):
        drawn = [groups[place] for place in random.integers(0, len(groups), len(groups))]
        value = measure(np.concatenate([part[0] for part in drawn]), np.concatenate([part[1] for part in drawn]))
        if value is not None:
            found.append(value)
    low, high = np.quantile(found, [0.025, 0.975]) if found else (0.0, 1.0)
    return round(float(low), 4), round(float(high), 4)


def _measured(examples: Iterable[Example]) -> Iterator[Example]:
    return (e for e in examples if e.candidates.kind == "retrieved" and e.candidates.is_known)


def _source_figures(parts: Mapping[int, Columns]) -> SourceFigures:
    groups = [tuple(np.concatenate(column) for column in part) for part in parts.values()]
    scores, cosines, labels = (np.concatenate([group[place] for group in groups]) for place in range(3))
    by_head = [(group[0], group[2]) for group in groups]
    by_cosine = auc(cosines, labels)
    by_score = auc(scores, labels)
    return {
        "pairs": len(labels),
        "groups": len(groups),
        "auc": None if by_score is None else round(by_score, 4),
        "auc_interval": bootstrap(by_head, auc),
        "auc_similarity": None if by_cosine is None else round(by_cosine, 4),
        "ece": round(expected_calibration_error(scores, labels), 4),
        "ece_interval": bootstrap(by_head, expected_calibration_error),
    }
