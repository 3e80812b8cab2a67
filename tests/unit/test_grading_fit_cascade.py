"""What the chat model said is kept, fitted, and measured on questions that were left out."""

import json
from pathlib import Path

import numpy as np
import pytest

from groundgraph.errors import InputError
from groundgraph.grading.candidates import Candidates
from groundgraph.grading.cascade import load_calibration
from groundgraph.grading.dataset import Corpus, Dataset, Question
from groundgraph.grading.features import AMONG_FEATURES, PAIR_FEATURES
from groundgraph.grading.fit_cascade import Reading, calibrate, read
from groundgraph.grading.fit_passages import Example
from groundgraph.grading.weights import load_weights
from tests.doubles import FixedEvaluator, passage
from tests.scripted import scripted


def readings(count: int = 40) -> list[Reading]:
    """Return questions of which every other one is answerable: the embedded evaluator hardly tells, reading does."""
    random = np.random.default_rng(0)
    found = []
    for n in range(count):
        answers = n % 2 == 0
        embedded, states = random.uniform(0.4, 0.9), random.uniform(0.5, 0.95) - 0.4 * (not answers)
        found.append(Reading(str(n), "towns", answers, answers if n % 4 < 2 else None, embedded, states))
    return found


def test_reading_counts_for_more_than_a_score_that_does_not_tell() -> None:
    calibration, figures = calibrate(readings(), "scripted:test")
    low, high = calibration.predict([0.6, 0.6], [0.2, 0.9])
    assert low < 0.5 < high
    assert figures["all"]["questions"] == 40
    assert float(figures["towns"]["auc"] or 0) > 0.9 > float(figures["towns"]["auc_embedded"] or 0)
    assert float(figures["all"]["answered"] or 0) > 0.8


def test_readings_of_one_kind_cannot_be_fitted() -> None:
    with pytest.raises(InputError, match="1 readings hold no answerable or no unanswerable question"):
        calibrate(readings(1), "scripted:test")


async def test_what_was_read_is_kept_and_not_asked_again(tmp_path: Path) -> None:
    passages = {name: passage(text) for name, text in {"a": "330 metres.", "b": "A café.", "c": "Cats."}.items()}
    question = Question("q", Corpus("towns", "en"), "train", "How high?", (), True, {"a": 2})
    dataset = Dataset((tmp_path,), passages, {Corpus("towns", "en"): ("a", "b", "c")}, (question,))
    strong = dict(zip(AMONG_FEATURES, (0.9, 1.0, 0.5, 0.0, 0.05, 0.5, 1.0), strict=True))
    among = np.array([[*strong.values()]] * 2 + [[0.5] + [0.0] * (len(AMONG_FEATURES) - 1)])
    assert (load_weights().among.predict(among) > 0.2).tolist() == [True, True, False]
    example = Example(Candidates(question, "retrieved", ("a", "b", "c"), (True, False, False)), among[:, :4], among)
    assert among[:, :4].shape[1] == len(PAIR_FEATURES)
    kept = tmp_path / "kept.jsonl"
    with scripted(("330", "330 metres"), ("café", "not stated")) as (model, _):
        found = await read(dataset, [example], model, FixedEvaluator({}), kept, 60)
    assert [(r.label, r.states) for r in found] == [(True, 1.0), (False, 0.0)]
    assert len(kept.read_text(encoding="utf-8").splitlines()) == 2
    with scripted() as (model, _):
        assert await read(dataset, [example], model, FixedEvaluator({}), kept, 0) == found


def test_the_shipped_calibration_names_its_model() -> None:
    assert load_calibration().chat_model.startswith("llamacpp:")
    record = Path(load_calibration.__wrapped__.__code__.co_filename).with_name("cascade_record.json")
    assert json.loads(record.read_text(encoding="utf-8"))["chat_model"] == load_calibration().chat_model
