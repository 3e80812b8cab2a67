"""The chat model reads the best sentences of doubtful passages, and only those."""

import json
import math
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
from groundgraph.grading.reader import NOT_STATED, best_sentences
from groundgraph.grading.verdict import probability_of_phrase
from groundgraph.grading.weights_file import in_use, own
from groundgraph.knowledge.passage import Passage
from groundgraph.models import TokenLogprob
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
    for draft in ("330 metres", "Not stated.", "**Not mentioned**", "“未提及”"):
        with scripted(("330", draft)) as (model, _):
            scores += (await grade(model, [TOWER], [0.6])).scores
    assert scores[0] > 0.6 > scores[1] == scores[2] == scores[3]


def drafted(*places: dict[str, float]) -> list[TokenLogprob]:
    """Return a draft of the first token at each place, with the probabilities of all that could stand there."""
    logprobs = [{token: math.log(probability) for token, probability in place.items()} for place in places]
    return [TokenLogprob(next(iter(top)), next(iter(top.values())), top) for top in logprobs]


@pytest.mark.parametrize(
    ("draft", "silent"),
    [
        ([{"not": 0.9, "330": 0.1}, {" stated": 0.99, " the": 0.01}], 0.9 * 0.99),
        ([{"Not": 0.6, "not": 0.3}, {" stated": 1.0}, {".": 0.9}], 0.9),  # capitals and marks aside they are one
        ([{'"': 1.0}, {"Not": 0.9}, {" mentioned": 0.5, " stated": 0.4}], 0.9 * 0.9),  # says the same
        ([{"Not": 0.9, "No": 0.1}, {" allowed": 0.95, " stated": 0.05}], 0.9 * 0.05),
        ([{"Not": 0.9, "未": 0.1}, {"re": 0.9}, {" Dame": 1.0}], 0.1),
        ([{"No": 0.9, "Not": 0.1}, {" parking": 1.0}], 0.1),
        ([{"330": 0.7, "not": 0.2, "n": 0.1}, {" metres": 1.0}], 0.2),  # how "not" would go on is not known
        ([{"未": 0.9, "满": 0.1}, {"满": 0.8, "提及": 0.2}, {"十八": 1.0}], 0.9 * 0.2),
        ([{"未": 0.9, "十八": 0.1}, {"提": 1.0}, {"及": 1.0}], 0.9),
        ([{"Not": 0.9}], 0.9),  # no more was said
    ],
)
def test_a_phrase_is_followed_over_the_tokens_of_the_draft(draft: list[dict[str, float]], silent: float) -> None:
    assert probability_of_phrase(drafted(*draft), NOT_STATED) == pytest.approx(silent)


def test_parts_of_a_character_are_joined_and_a_token_of_unknown_probability_was_said() -> None:
    parts = [TokenLogprob("\ufffd", math.log(0.5), {}, raw) for raw in ("未".encode()[:1], "未".encode()[1:])]
    assert probability_of_phrase([*parts, TokenLogprob("提及", None)], NOT_STATED) == pytest.approx(0.25)
    assert probability_of_phrase([TokenLogprob("未", None), *parts], NOT_STATED) is None


@pytest.mark.parametrize("draft", [("Not", " allowed"), ("未", "满", "十八", "岁")])
async def test_an_answer_that_begins_like_the_phrase_is_one(draft: tuple[str, ...]) -> None:
    content = [{"token": token, "logprob": -0.01, "top_logprobs": []} for token in draft]
    with scripted(Line("330", "".join(draft), logprobs={"content": content})) as (model, _):
        assert (await grade(model, [TOWER], [0.6])).scores[0] > 0.6


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
