"""Calibrate the cascade: what the chat model's reading is worth, learned from questions with known passages."""

import json
import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from random import Random

import numpy as np
from rich.console import Console
from rich.progress import track

from groundgraph.errors import InputError
from groundgraph.grading.cascade import FEATURES, Calibration, best_sentences, log_odds
from groundgraph.grading.dataset import Corpus, Dataset
from groundgraph.grading.evaluator import Evaluator
from groundgraph.grading.fit_passages import ANSWERED, Example
from groundgraph.grading.head import Head, fit_head
from groundgraph.grading.judge import judge
from groundgraph.grading.metrics import auc, expected_calibration_error
from groundgraph.grading.rubrics import STATES
from groundgraph.grading.weights import load_weights, weights_path

Figures = dict[str, dict[str, float | int | None]]
"""Named figures of each source."""

READ = 2
"""Passages of a question that are read."""
LEAST = 0.2
"""A passage that the embedded evaluator scores at or below is not read."""
FOLDS = 5


@dataclass(frozen=True)
class Reading:
    """What both evaluators said about one passage of one question."""

    question: str
    """Id of the question."""
    source: str
    answerable: bool
    """Whether some passage of the question answers it."""
    label: bool | None
    """Whether this one does; None where nobody knows."""
    embedded: float
    states: float


async def read(
    dataset: Dataset, examples: Sequence[Example], model: str, evaluator: Evaluator, kept: Path, seconds: float
) -> list[Reading]:
    """Return readings of the best passages of questions in turn of source, until `seconds` are over.

    What the chat model said is kept in the file `kept` and not asked again, so that a second call goes on.

    Raises:
        ModelError: The chat model cannot be had, or does not answer.
    """
    known = dict(_stored(kept))
    kept.parent.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + seconds
    head = load_weights(weights_path()).among
    found: list[Reading] = []
    with kept.open("a", encoding="utf-8") as file:
        for example in track(_in_turn(examples), "Reading", transient=True, console=Console(stderr=True)):
            sets = example.candidates
            scores = head.predict(example.among).tolist()
            for place in sorted(range(len(scores)), key=lambda place: -scores[place])[:READ]:
                key = (sets.question.id, sets.ids[place])
                if key not in known and scores[place] > LEAST and time.monotonic() < end:
                    cut = best_sentences(evaluator, sets.question.text, dataset.passages[sets.ids[place]])
                    (verdict,) = await judge(model, sets.question.text, [cut], rubric=STATES)
                    if verdict.score is not None:
                        known[key] = verdict.score
                        file.write(json.dumps([*key, verdict.score]) + "\n")
                        file.flush()
                if key in known:
                    question, label = sets.question, sets.labels[place]
                    said = (scores[place], known[key])
                    found.append(Reading(question.id, question.source, question.answerable, label, *said))
    return found


def calibrate(readings: Sequence[Reading], model: str) -> tuple[Calibration, Figures]:
    """Return the calibration, and by source what it is worth for questions it was not fitted on.

    Raises:
        InputError: The readings hold no passage that answers, or none that does not.
    """
    if len({reading.answerable for reading in readings}) < 2:
        raise InputError(f"{len(readings)} readings hold no answerable or no unanswerable question; raise --seconds")
    questions = sorted({reading.question for reading in readings})
    Random(0).shuffle(questions)
    held_out: dict[str, float] = {}
    for fold in range(FOLDS):
        own = set(questions[fold::FOLDS])
        head = fit_readings([reading for reading in readings if reading.question not in own])
        held_out |= question_scores(head, [reading for reading in readings if reading.question in own])
    return Calibration(chat_model=model, head=fit_readings(readings)), _figures(readings, held_out)


def fit_readings(readings: Sequence[Reading]) -> Head:
    """Return a head for P(the passage answers), set so that `ANSWERED` of the answerable questions pass 0.5.

    Where only the question is known to be answerable, its passage that scores best is taken to answer.
    """
    known = [reading for reading in readings if reading.label is not None or not reading.answerable]
    head = _fit(known, [float(bool(reading.label)) for reading in known])
    best: dict[str, Reading] = {}
    for reading in readings:
        if reading.label is None and reading.answerable:
            score = reading.embedded * reading.states
            if reading.question not in best or score > best[reading.question].embedded * best[reading.question].states:
                best[reading.question] = reading
    if best:
        labels = [*(float(bool(reading.label)) for reading in known), *[1.0] * len(best)]
        head = _fit([*known, *best.values()], labels)
    return _passing(head, readings)


def question_scores(head: Head, readings: Iterable[Reading]) -> dict[str, float]:
    """Return the best score of each question's passages."""
    best: dict[str, float] = {}
    for reading in readings:
        score = float(head.predict(log_odds([reading.embedded], [reading.states]))[0])
        best[reading.question] = max(score, best.get(reading.question, 0.0))
    return best


def _fit(readings: Sequence[Reading], labels: Sequence[float]) -> Head:
    sizes = Counter(reading.source for reading in readings)
    weights = np.array([sizes[reading.source] ** -0.5 for reading in readings])
    rows = log_odds([r.embedded for r in readings], [r.states for r in readings])
    return fit_head(FEATURES, rows, np.array(labels), weights, ridge=0.05)


def _passing(head: Head, readings: Sequence[Reading]) -> Head:
    answerable = {reading.question for reading in readings if reading.answerable}
    best = [score for name, score in question_scores(head, readings).items() if name in answerable]
    hardest = float(np.quantile(best, 1 - ANSWERED, method="lower"))
    return head.shifted(math.log((1 - hardest) / hardest) + 1e-6)


def _figures(readings: Sequence[Reading], scores: Mapping[str, float]) -> Figures:
    answerable = {reading.question: reading.answerable for reading in readings}
    embedded: dict[str, float] = defaultdict(float)
    for reading in readings:
        embedded[reading.question] = max(embedded[reading.question], reading.embedded)
    sources = {reading.question: reading.source for reading in readings}
    figures: Figures = {}
    for source in (*sorted(set(sources.values())), "all"):
        names = [name for name in scores if source in (sources[name], "all")]
        yes, no = ([scores[name] for name in names if answerable[name] == wanted] for wanted in (True, False))
        truth = [answerable[name] for name in names]
        by_cascade, by_embedded = (
            auc([scores[name] for name in names], truth),
            auc([embedded[name] for name in names], truth),
        )
        figures[source] = {
            "questions": len(names),
            "auc": None if by_cascade is None else round(by_cascade, 4),
            "auc_embedded": None if by_embedded is None else round(by_embedded, 4),
            "answered": round(float(np.mean(np.array(yes) > 0.5)), 4) if yes else None,
            "refused_unanswerable": round(float(np.mean(np.array(no) <= 0.5)), 4) if no else None,
            "ece": round(expected_calibration_error([scores[name] for name in names], truth), 4),
        }
    return figures


def _in_turn(examples: Sequence[Example]) -> list[Example]:
    """Return examples so that every beginning holds the sources, answerable or not, in equal parts."""
    kinds: dict[tuple[Corpus, bool], list[Example]] = defaultdict(list)
    for example in examples:
        question = example.candidates.question
        kinds[question.corpus, question.answerable].append(example)
    for name in kinds:
        Random(0).shuffle(kinds[name])
    return [example for row in zip_longest(*kinds.values()) for example in row if example is not None]


def _stored(kept: Path) -> Iterator[tuple[tuple[str, str], float]]:
    """Yield question, passage and the chat model's score of each reading in the file."""
    if kept.exists():
        for line in kept.read_text(encoding="utf-8").splitlines():
            question, passage, states = json.loads(line)
            yield (question, passage), states
