"""Calibrate the cascade: what the chat model's reading is worth, learned from questions with known passages."""

import json
import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from rich.console import Console
from rich.progress import track

from groundgraph.errors import InputError
from groundgraph.grading.cascade import FEATURES, Calibration, log_odds
from groundgraph.grading.dataset import Corpus, Dataset
from groundgraph.grading.evaluator import Evaluator
from groundgraph.grading.fit_passages import ANSWERED, Example
from groundgraph.grading.head import Head, fit_head
from groundgraph.grading.metrics import auc, expected_calibration_error
from groundgraph.grading.reader import best_sentences, read
from groundgraph.grading.weights import load_weights, weights_path
from groundgraph.knowledge.passage import Passage

Figures = dict[str, dict[str, float | int | None]]
"""Named figures of each source."""

LEAST, MOST = 0.2, 0.9
"""Only questions whose best passage the embedded evaluator scores between these are read."""
RIDGE = 0.05
FOLDS = 5


@dataclass(frozen=True)
class Case:
    """What both evaluators said about the passages found for one question."""

    question: str
    """Id of the question."""
    source: str
    answerable: bool
    embedded: float
    """The best passage's score."""
    stated: float | None
    """Probability that the chat model names an answer (see `read`); None for a clear case, which was not read."""


async def read_cases(
    dataset: Dataset, examples: Sequence[Example], model: str, evaluator: Evaluator, kept: Path, seconds: float
) -> list[Case]:
    """Return the cases of questions in turn of source, up to the last that was read when `seconds` are over.

    What the chat model said is kept in the file `kept` and not asked again, so that a second call goes on.

    Raises:
        ModelError: The chat model cannot be had, or does not answer.
    """
    known = dict(_stored(kept))
    left = set(known)
    kept.parent.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + seconds
    head = load_weights(weights_path()).among
    found: list[Case] = []
    with kept.open("a", encoding="utf-8") as file:
        for example in track(_in_turn(examples), "Reading", transient=True, console=Console(stderr=True)):
            question = example.candidates.question
            left.discard(question.id)
            scores = head.predict(example.among).tolist()
            stated = known.get(question.id)
            doubtful = LEAST < max(scores) < MOST
            if doubtful and stated is None:
                if time.monotonic() >= end and not left:
                    break
                if time.monotonic() < end:
                    evidence = _evidence(dataset, example, scores, evaluator)
                    stated, _ = await read(model, question.text, evidence)
                if stated is None:
                    continue
                file.write(json.dumps([question.id, stated]) + "\n")
                file.flush()
            best, read_now = max(scores), stated if doubtful else None
            found.append(Case(question.id, question.source, question.answerable, best, read_now))
    return found


def calibrate(cases: Sequence[Case], model: str) -> tuple[Calibration, Figures]:
    """Return the calibration, and by source what it is worth for questions and for sources it was not fitted on.

    Raises:
        InputError: Of no source both an answerable and an unanswerable question were read.
    """
    if not _can_fit(cases):
        raise InputError(
            f"{len(cases)} cases hold no source with answerable and unanswerable ones read; raise --seconds"
        )
    mixed = list(cases)
    Random(0).shuffle(mixed)
    folds = {case.question: place % FOLDS for place, case in enumerate(mixed)}
    by_question = _held_out(cases, folds)
    by_source = _held_out(cases, {case.question: case.source for case in cases})
    return Calibration(chat_model=model, head=fit_cases(cases)), _figures(cases, by_question, by_source)


def fit_cases(cases: Sequence[Case]) -> Head:
    """Return a head for P(the passages answer), set so that `ANSWERED` of the answerable questions pass 0.5.

    Only sources with questions of both kinds are learned from: what sets answerable questions of one source apart from
    unanswerable ones of another is the source.
    """
    both = [case for case in cases if len({other.answerable for other in cases if other.source == case.source}) == 2]
    known = [(case, case.stated) for case in both if case.stated is not None]
    sizes = Counter(case.source for case, _ in known)
    weights = np.array([sizes[case.source] ** -0.5 for case, _ in known])
    rows = log_odds([case.embedded for case, _ in known], [stated for _, stated in known])
    head = fit_head(FEATURES, rows, np.array([float(case.answerable) for case, _ in known]), weights, ridge=RIDGE)
    answerable = [case for case in both if case.answerable]
    lost = sum(case.stated is None and case.embedded <= LEAST for case in answerable)
    spare = max(0, math.floor((1 - ANSWERED) * len(answerable)) - lost)
    passing = sorted(score_of(head, case) for case in answerable if case.stated is not None)
    hardest = passing[min(spare, len(passing) - 1)]
    return head.shifted(math.log((1 - hardest) / hardest) + 1e-6)


def score_of(head: Head, case: Case) -> float:
    """Return the score of a case: by the head where it was read, else the embedded evaluator's."""
    if case.stated is None:
        return case.embedded
    return float(head.predict(log_odds([case.embedded], [case.stated]))[0])


def _can_fit(cases: Sequence[Case]) -> bool:
    was_read = {(case.source, case.answerable) for case in cases if case.stated is not None}
    return any((source, not answerable) in was_read for source, answerable in was_read)


def _evidence(dataset: Dataset, example: Example, scores: Sequence[float], evaluator: Evaluator) -> list[Passage]:
    """Return what the cascade would let the chat model read."""
    graded = zip(example.candidates.ids, scores, strict=True)
    passages = [dataset.passages[name].model_copy(update={"score": score}) for name, score in graded if score > LEAST]
    return best_sentences(evaluator, example.candidates.question.text, passages)


def _held_out(cases: Sequence[Case], folds: Mapping[str, int | str]) -> dict[str, float]:
    """Return the score of each question by a head fitted without the questions of its fold."""
    scores: dict[str, float] = {}
    for fold in set(folds.values()):
        rest = [case for case in cases if folds[case.question] != fold]
        if _can_fit(rest):
            head = fit_cases(rest)
            scores |= {case.question: score_of(head, case) for case in cases if folds[case.question] == fold}
    return scores


def _figures(cases: Sequence[Case], by_question: Mapping[str, float], by_source: Mapping[str, float]) -> Figures:
    """Return the figures of each source and of all, by heads that had not seen the question.

    `answered` is the share of the answerable questions that score above 0.5, `refused` of the unanswerable ones that do
    not. Beside them stand those of the embedded evaluator alone, and of heads that had not seen the source either.
    """
    figures: Figures = {}
    for source in (*sorted({case.source for case in cases}), "all"):
        own = [case for case in cases if source in (case.source, "all")]
        truth = [case.answerable for case in own]
        scores = [by_question.get(case.question, 0.5) for case in own]
        unseen = [by_source.get(case.question, 0.5) for case in own]
        figures[source] = {
            "questions": len(own),
            "unanswerable": truth.count(False),
            "read": sum(case.stated is not None for case in own),
            **_quality(scores, truth),
            "ece": round(expected_calibration_error(scores, truth), 4),
            **{f"{name}_embedded": value for name, value in _quality([c.embedded for c in own], truth).items()},
            **{f"{name}_unseen": value for name, value in _quality(unseen, truth).items()},
        }
    return figures


def _quality(scores: Sequence[float], truth: Sequence[bool]) -> dict[str, float | None]:
    values, answerable = np.array(scores), np.array(truth)
    ranking = auc(values, answerable)
    return {
        "auc": None if ranking is None else round(ranking, 4),
        "answered": round(float(np.mean(values[answerable] > 0.5)), 4) if answerable.any() else None,
        "refused": round(float(np.mean(values[~answerable] <= 0.5)), 4) if not answerable.all() else None,
    }


def _in_turn(examples: Sequence[Example]) -> list[Example]:
    """Return examples so that every beginning holds those that tell most in equal parts.

    In turn come answerable and unanswerable questions of each source that has both, and two sources of the others.
    """
    kinds: dict[tuple[Corpus, bool], list[Example]] = defaultdict(list)
    for example in examples:
        question = example.candidates.question
        kinds[question.corpus, question.answerable].append(example)
    for found in kinds.values():
        Random(0).shuffle(found)
    both = [(corpus, answerable) for corpus, answerable in kinds if (corpus, not answerable) in kinds]
    others = [name for name in kinds if name not in both]
    order: list[Example] = []
    while any(kinds.values()):
        for name in (*both, *others[:2]):
            order += [kinds[name].pop()] if kinds[name] else []
        others = [*others[2:], *others[:2]]
    return order


def _stored(kept: Path) -> Iterator[tuple[str, float]]:
    """Yield each question in the file with what the chat model said."""
    if kept.exists():
        with kept.open(encoding="utf-8") as lines:
            yield from ((question, stated) for question, stated in map(json.loads, lines))
