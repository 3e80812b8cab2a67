"""What the chat model said is kept, fitted, and measured on questions and sources that were left out."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from groundgraph.errors import InputError
from groundgraph.grading.candidates import Candidates
from groundgraph.grading.cascade import load_calibration
from groundgraph.grading.dataset import Corpus, Dataset, Question
from groundgraph.grading.features import AMONG_FEATURES
from groundgraph.grading.fit_cascade import Case, calibrate, fit_cases, read_cases, score_of
from groundgraph.grading.fit_passages import ANSWERED, Example
from tests.doubles import FixedEvaluator, passage
from tests.scripted import scripted

STRONG, MIDDLING = (0.9, 1.0, 0.5, 0.0, 0.05, 0.5, 1.0), (0.84, 0.5, 0.0, 0.0, 0.0, 0.0, 0.5)


def cases(count: int = 60) -> list[Case]:
    """Return questions of which every other one is answerable: the embedded evaluator hardly tells, reading does."""
    random = np.random.default_rng(0)
    found = []
    for n in range(count):
        answers = n % 2 == 0
        stated = random.uniform(0.5, 0.95) - 0.4 * (not answers)
        source = "towns" if n % 3 else "rivers"
        found.append(Case(str(n), source, answers, random.uniform(0.4, 0.9), stated))
    return found


def test_reading_counts_for_more_than_a_score_that_does_not_tell() -> None:
    calibration, figures = calibrate(cases(), "scripted:test")
    assert calibration.predict(0.6, 0.2) < 0.5 < calibration.predict(0.6, 0.9)
    assert figures["all"]["questions"] == figures["all"]["read"] == 60
    towns = figures["towns"]
    assert float(towns["auc"] or 0) > 0.9 > float(towns["auc_embedded"] or 0)
    assert float(towns["auc_unseen"] or 0) > 0.9
    assert float(figures["all"]["answered"] or 0) > 0.8


def test_most_answerable_questions_pass_those_that_were_not_read_counted_in() -> None:
    clear = [Case(f"clear{n}", "towns", True, 0.95, None) for n in range(40)]
    head = fit_cases([*cases(), *clear])
    answerable = [case for case in [*cases(), *clear] if case.answerable]
    refused = [case for case in answerable if score_of(head, case) <= 0.5]
    assert 0.05 < len(refused) / len(answerable) <= 1 - ANSWERED
    hopeless = [replace(case, embedded=0.1) for case in clear[:10]]
    assert sum(score_of(fit_cases([*cases(), *hopeless]), case) <= 0.5 for case in cases() if case.answerable) == 0


def test_cases_of_one_kind_cannot_be_fitted() -> None:
    with pytest.raises(InputError, match="1 cases hold no source with answerable and unanswerable ones read"):
        calibrate(cases(1), "scripted:test")


TOWNS = Corpus("towns", "en")


def example(name: str, kind: tuple[float, ...], corpus: Corpus = TOWNS, *, answerable: bool = True) -> Example:
    question = Question(name, corpus, "train", f"How high is {name}?", (), answerable, {"a": 2})
    among = np.array([[*kind], [0.5] + [0.0] * (len(AMONG_FEATURES) - 1)])
    return Example(Candidates(question, "retrieved", ("a", "b"), (True, False)), among[:, :4], among)


async def test_what_was_read_is_kept_and_not_asked_again(tmp_path: Path) -> None:
    passages = {name: passage(text) for name, text in {"a": "330 metres.", "b": "Cats."}.items()}
    examples = [example("it", MIDDLING), example("that", STRONG)]
    questions = tuple(example.candidates.question for example in examples)
    dataset = Dataset((tmp_path,), passages, {Corpus("towns", "en"): ("a", "b")}, questions)
    kept = tmp_path / "kept.jsonl"
    with scripted(("Answer in a few words", "330 metres")) as (model, _):
        found = await read_cases(dataset, examples, model, FixedEvaluator({}), kept, 60)
    assert {case.question: case.stated for case in found} == {"it": 1.0, "that": None}
    assert len(kept.read_text(encoding="utf-8").splitlines()) == 1
    with scripted() as (model, _):
        assert await read_cases(dataset, examples, model, FixedEvaluator({}), kept, 0) == found
        kept.unlink()
        assert len(await read_cases(dataset, examples, model, FixedEvaluator({}), kept, 0)) < 2, "time is over"


async def test_sources_with_both_kinds_of_questions_come_first(tmp_path: Path) -> None:
    passages = {name: passage(text) for name, text in {"a": "330 metres.", "b": "Cats."}.items()}
    towns = [example(f"town {n}", STRONG) for n in range(5)]
    hills = [example(f"hill {n}", STRONG, Corpus("hills", "en"), answerable=n > 0) for n in range(2)]
    dataset = Dataset((tmp_path,), passages, {}, ())
    with scripted() as (model, _):
        found = await read_cases(dataset, [*towns, *hills], model, FixedEvaluator({}), tmp_path / "kept", 60)
    assert {case.source for case in found[:2]} == {"hills"} and len(found) == 7


def test_the_shipped_calibration_names_its_model() -> None:
    assert load_calibration().chat_model.startswith("llamacpp:")
    record = Path(load_calibration.__wrapped__.__code__.co_filename).with_name("cascade_record.json")
    assert json.loads(record.read_text(encoding="utf-8"))["chat_model"] == load_calibration().chat_model
