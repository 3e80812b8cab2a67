"""The chat model reads the best sentences of doubtful passages, and only those."""

import json
from pathlib import Path
from typing import Any

import pytest

from groundgraph.errors import ModelError, ModelUnavailable
from groundgraph.grading.cascade import (
    CALIBRATION,
    Limits,
    cascade,
    load_calibration,
)
from groundgraph.grading.reader import best_sentences
from groundgraph.grading.weights_file import in_use, own
from groundgraph.knowledge.passage import Passage
from tests.doubles import FixedEvaluator, passage
from tests.scripted import Line, scripted

QUESTION = "How high is the tower?"
TOWER, CATS, TOWN = passage("The tower is 330 metres high."), passage("Cats purr."), passage("The tower has a café.")
LIMITS = Limits(low=0.2, high=0.99, passages=2, seconds=5)


def likely(**top: float) -> dict[str, Any]:
    """Return log probabilities of a first token, the likeliest first."""
    entries = [{"token": name, "logprob": value} for name, value in top.items()]
    return {"content": [{**entries[0], "top_logprobs": entries}]}


def reads(*, finds: bool) -> Line:
    """Draft an answer with 99 % of the probability, or say that there is none with as much."""
    if finds:
        return Line("330", "330 metres", logprobs=likely(**{"330": -0.01, "not": -4.6}))
    return Line("café", "not stated", logprobs=likely(**{"not": -0.01, "330": -4.6}))


async def grade(model: str, passages: list[Passage], scores: list[float], limits: Limits = LIMITS) -> Any:
    return await cascade(model, QUESTION, passages, scores, limits, lambda found: found)


async def test_reading_raises_what_answers() -> None:
    with scripted(reads(finds=True)) as (model, chat):
        graded = await grade(model, [TOWN, TOWER, CATS], [0.5, 0.6, 0.1])
    assert graded.scores[1] > 0.6 and 0.5 < graded.scores[0] < graded.scores[1]
    assert graded.scores[2] == 0.1, "a settled passage is not read, and does not rise"
    assert graded.read == [1, 0] and len(graded.replies) == 1 and graded.warnings == []
    assert all("330" in prompt and "café" in prompt and "purr" not in prompt for prompt in chat.prompts)


async def test_reading_lowers_what_does_not_answer_and_all_below_it() -> None:
    with scripted(reads(finds=False)) as (model, _):
        graded = await grade(model, [TOWN, CATS], [0.6, 0.55], Limits(0.2, 0.99, 1, 5))
    assert graded.read == [0]
    assert graded.scores[1] < graded.scores[0] < 0.5


@pytest.mark.parametrize("scores", [[0.995, 0.6], [0.2, 0.1], []])
async def test_clear_cases_cost_nothing(scores: list[float]) -> None:
    with scripted() as (model, _):
        graded = await grade(model, [TOWER, TOWN][: len(scores)], scores)
    assert graded.scores == scores and graded.read == []


async def test_the_budget_of_seconds_is_kept() -> None:
    with scripted(Line(None, "330", latency=5, times=None)) as (model, _):
        graded = await grade(model, [TOWER], [0.6], Limits(0.2, 0.99, 2, 0.05))
    assert graded.scores == [0.6]
    assert graded.warnings == ["graded by the embedded evaluator alone: no reading within 0.05 s"]


async def test_a_model_that_is_down_or_says_nothing_leaves_the_embedded_score() -> None:
    with scripted(Line(None, ModelUnavailable("the endpoint is down"), times=None)) as (model, _):
        graded = await grade(model, [TOWER], [0.6])
    assert graded.scores == [0.6] and "down" in graded.warnings[0]
    with scripted(("330", " ")) as (model, _):
        graded = await grade(model, [TOWER], [0.6])
    assert graded.scores == [0.6] and graded.read == [] and len(graded.replies) == 1
    assert graded.warnings == ["graded by the embedded evaluator alone: the chat model's draft is ' '"]


async def test_without_log_probabilities_the_text_decides() -> None:
    scores = []
    for draft in ("330 metres", "Not stated."):
        with scripted(("330", draft)) as (model, _):
            scores += (await grade(model, [TOWER], [0.6])).scores
    assert scores[0] > 0.6 > scores[1]


async def test_a_chinese_question_is_asked_in_chinese() -> None:
    text = passage("塔高三百三十米。")
    with scripted(("只回答：未提及。", "三百三十米")) as (model, _):
        assert (await cascade(model, "塔有多高？", [text], [0.6], LIMITS, lambda found: found)).read == [0]


def test_the_best_sentences_of_all_passages_are_read_in_their_order() -> None:
    first = passage("One is first. Two is second. Three is third.", score=0.8)
    second = passage("Four is fourth. Five is fifth.", score=0.6)
    last = passage("Six is sixth.", score=0.3)
    evaluator = FixedEvaluator({}, {"Two": 0.1, "Five": 0.9})
    cut = best_sentences(evaluator, QUESTION, [first, second, last])
    assert [part.page_content for part in cut] == ["One is first. Three is third.", second.page_content]


def test_the_calibration_weighs_what_it_is_given() -> None:
    calibration = load_calibration()
    assert 0 < calibration.predict(0.6, 0.1) < calibration.predict(0.6, 0.9) < calibration.predict(0.85, 0.95) < 1


def test_a_calibration_of_ones_own_is_used_in_place_of_the_shipped_one() -> None:
    assert in_use(CALIBRATION) == CALIBRATION
    own(CALIBRATION).parent.mkdir(parents=True)
    own(CALIBRATION).write_bytes(CALIBRATION.read_bytes())
    assert in_use(CALIBRATION) == own(CALIBRATION)


def test_a_broken_calibration_is_one_line(tmp_path: Path) -> None:
    fields = json.loads(CALIBRATION.read_text(encoding="utf-8"))
    fields["head"]["features"] = ["a", "b"]
    path = tmp_path / "cascade.json"
    path.write_text(json.dumps(fields), encoding="utf-8")
    with pytest.raises(ModelError, match=r"cascade weights .* broken at 'head'.*evaluator calibrate"):
        load_calibration(path)
