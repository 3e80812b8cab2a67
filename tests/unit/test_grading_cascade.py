"""The chat model reads the best doubtful passages, and only those."""

import json
from pathlib import Path
from typing import Any

import pytest

from groundgraph.errors import ModelError, ModelUnavailable
from groundgraph.grading.cascade import CALIBRATION, Limits, best_sentences, cascade, load_calibration
from groundgraph.knowledge.passage import Passage
from tests.doubles import FixedEvaluator, passage
from tests.scripted import Line, scripted

QUESTION = "How high is the tower?"
TOWER, CATS, TOWN = passage("The tower is 330 metres high."), passage("Cats purr."), passage("The tower has a café.")
LIMITS = Limits(low=0.2, high=0.99, passages=2, seconds=5)


def drafts(word: str, **top: float) -> dict[str, Any]:
    entries = [{"token": name, "logprob": value} for name, value in top.items()]
    return {"content": [{"token": word, "logprob": top[word], "top_logprobs": entries}]}


def says(part: str, *, silent: bool, **options: Any) -> Line:
    """Draft an answer with 99 % of the probability, or "not stated" with as much."""
    top = {"not": -0.01, "330": -4.6} if silent else {"330": -0.01, "not": -4.6}
    word = next(iter(top))
    return Line(part, "not stated" if silent else "330 metres", logprobs=drafts(word, **top), **options)


async def grade(model: str, passages: list[Passage], scores: list[float], limits: Limits = LIMITS) -> Any:
    return await cascade(model, QUESTION, passages, scores, limits, lambda passage: passage)


async def test_reading_raises_what_answers_and_lowers_what_does_not() -> None:
    with scripted(says("330", silent=False), says("café", silent=True)) as (model, _):
        graded = await grade(model, [TOWN, TOWER, CATS], [0.6, 0.6, 0.1])
    assert graded.scores[1] > 0.6 > graded.scores[0]
    assert graded.scores[2] == 0.1, "a settled passage is not read"
    assert sorted(graded.read) == [0, 1] and len(graded.replies) == 2 and graded.warnings == []


async def test_a_passage_that_was_not_read_scores_no_more_than_the_best_that_was() -> None:
    with scripted(says("café", silent=True)) as (model, _):
        graded = await grade(model, [TOWN, CATS], [0.7, 0.65], Limits(0.2, 0.99, 1, 5))
    assert graded.read == [0]
    assert graded.scores[1] == graded.scores[0] < 0.65


@pytest.mark.parametrize("scores", [[0.995, 0.6], [0.2, 0.1], []])
async def test_clear_cases_cost_nothing(scores: list[float]) -> None:
    with scripted() as (model, _):
        graded = await grade(model, [TOWER, TOWN][: len(scores)], scores)
    assert graded.scores == scores and graded.read == []


async def test_an_embedded_model_reads_one_at_a_time_and_stops_at_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(says("330", silent=False)) as (_, chat):
        monkeypatch.setitem(__import__("groundgraph.models").models.PROVIDERS, "llamacpp", lambda name: chat)
        graded = await grade("llamacpp:tiny", [TOWER, TOWN], [0.9, 0.6])
    assert graded.read == [0] and graded.scores[0] >= 0.79


async def test_the_budget_of_seconds_is_kept() -> None:
    with scripted(Line(None, "330", latency=5, times=None)) as (model, _):
        graded = await grade(model, [TOWER], [0.6], Limits(0.2, 0.99, 2, 0.05))
    assert graded.scores == [0.6]
    assert graded.warnings == [
        "the chat model read 0 of 1 doubtful passages in 0.05 s; the others were graded by the embedded evaluator"
    ]


async def test_a_model_that_is_down_or_says_nothing_leaves_the_embedded_score() -> None:
    with scripted(ModelUnavailableLine) as (model, _):
        graded = await grade(model, [TOWER], [0.6])
    assert graded.scores == [0.6] and "down" in graded.warnings[0]
    with scripted(("330", " "), says("café", silent=True)) as (model, _):
        graded = await grade(model, [TOWER, TOWN], [0.6, 0.5])
    assert graded.read == [1] and "passage 1 graded by the embedded evaluator alone" in graded.warnings[0]


ModelUnavailableLine = Line(None, ModelUnavailable("the endpoint is down"))


async def test_without_log_probabilities_the_text_decides() -> None:
    with scripted(("330", "330 metres"), ("café", "Not stated.")) as (model, _):
        graded = await grade(model, [TOWER, TOWN], [0.6, 0.6])
    assert graded.scores[0] > graded.scores[1]


async def test_a_chinese_question_is_asked_in_chinese() -> None:
    text = passage("塔高三百三十米。")
    with scripted(Line("未提及", "三百三十米")) as (model, chat):
        await cascade(model, "塔有多高？", [text], [0.6], LIMITS, lambda passage: passage)
    assert chat.prompts[0].endswith("只回答：未提及。")


def test_the_best_sentences_are_read_in_their_order() -> None:
    text = passage("One is first. Two is second. Three is third. Four is fourth. Five is fifth. Six is sixth.")
    evaluator = FixedEvaluator({}, {"Two": 0.1, "Five": 0.2})
    cut = best_sentences(evaluator, QUESTION, text)
    assert cut.page_content == "One is first. Three is third. Four is fourth. Six is sixth."
    assert best_sentences(evaluator, QUESTION, TOWER) == TOWER


def test_the_calibration_weighs_both_scores() -> None:
    calibration = load_calibration()
    low, middle, high = calibration.predict([0.6, 0.6, 0.9], [0.1, 0.9, 0.9])
    assert 0 < low < middle < high < 1


def test_a_broken_calibration_is_one_line(tmp_path: Path) -> None:
    fields = json.loads(CALIBRATION.read_text(encoding="utf-8"))
    fields["head"]["features"] = ["a", "b"]
    path = tmp_path / "cascade.json"
    path.write_text(json.dumps(fields), encoding="utf-8")
    with pytest.raises(ModelError, match=r"cascade weights .* broken at 'head'.*evaluator calibrate"):
        load_calibration(path)
