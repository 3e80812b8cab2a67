"""Every evaluator by name, as a node reaches it."""

import math
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from groundgraph.errors import InputError, ModelError, ModelUnavailable
from groundgraph.grading.cross_encoder import cross_encoder
from groundgraph.grading.t5 import t5_evaluator
from groundgraph.models.catalog import DEFAULT_WEIGHTS
from nodes.score import EVALUATORS, by_language, score
from state.context import Context
from tests.doubles import FixedEvaluator, passage
from tests.scripted import Line, scripted

QUESTION = "How high is the tower?"
TOWER, CATS = passage("The tower is 330 metres high."), passage("Cats purr.")


def digits(**top: float) -> dict[str, Any]:
    entries = [{"token": name[1:], "logprob": value} for name, value in top.items()]
    return {"content": [{**entries[0], "top_logprobs": entries}]}


def test_every_name_in_the_table_is_a_setting_and_the_other_way_round() -> None:
    for kind in EVALUATORS:
        name = f"{kind}:some/model" if kind in {"cross-encoder", "t5"} else kind
        assert Context.parse({"evaluator": name}).evaluator == name
    for name in ("bert", "t5", "cross-encoder:", "embedded:x"):
        with pytest.raises(InputError, match=r"Context\.evaluator="):
            Context.parse({"evaluator": name})


async def test_reflection_is_the_mean_grade_of_relevance() -> None:
    even = digits(_5=-0.6931, _3=-0.6931)
    with scripted(Line("330", "5", logprobs=even), ("purr", "**1**")) as (model, _):
        scored = await score(QUESTION, [TOWER, CATS], Context(evaluator="reflection", chat_model=model))
    assert [p.score for p in scored.passages] == [pytest.approx(0.75, abs=1e-3), 0.0]
    assert scored.usage["model_calls"] == 2


@pytest.mark.parametrize(
    ("text", "relevance"),
    [("4", 0.75), ("4/5", 0.75), ('{"score": 2}', 0.25), ("评分：3", 0.5), ("10", None), ("2.5", 0.375), ("", None)],
)
async def test_reflection_reads_grades_as_people_write_them(text: str, relevance: float | None) -> None:
    with scripted(text) as (model, _):
        scored = await score(QUESTION, [TOWER], Context(evaluator="reflection", chat_model=model))
    assert scored.passages[0].score == relevance
    assert bool(scored.warnings) == (relevance is None)


@pytest.mark.parametrize(
    ("text", "relevance"),
    [("[Relevant]", 1.0), ("[Irrelevant]", 0.0), (" [Relevant]It has 3 floors.", 1.0)],
)
async def test_reflection_reads_the_tokens_of_self_rag(text: str, relevance: float) -> None:
    with scripted(text) as (model, _):
        scored = await score(QUESTION, [TOWER], Context(evaluator="reflection", chat_model=model))
    assert scored.passages[0].score == relevance


async def test_reflection_is_the_share_of_relevant_where_its_probability_is_known() -> None:
    top = [{"token": "[Irrelevant]", "logprob": math.log(0.6)}, {"token": "[Relevant]", "logprob": math.log(0.2)}]
    spoken = {"content": [{**top[0], "top_logprobs": top}]}
    with scripted(Line(None, "[Irrelevant]", logprobs=spoken)) as (model, _):
        scored = await score(QUESTION, [TOWER], Context(evaluator="reflection", chat_model=model))
    assert scored.passages[0].score == pytest.approx(0.25)


@pytest.mark.parametrize("evaluator", ["llm", "reflection"])
async def test_a_model_that_is_down_leaves_the_embedded_evaluator(
    evaluator: str, evaluates: Callable[..., FixedEvaluator]
) -> None:
    evaluates({"330": 0.9})
    down = Line(None, ModelUnavailable("the endpoint is down"), times=None)
    with scripted(down) as (model, _):
        scored = await score(QUESTION, [TOWER, CATS], Context(evaluator=evaluator, chat_model=model))
        assert [p.score for p in scored.passages] == [0.9, 0.0] and "down" in scored.warnings[0]
        with pytest.raises(ModelUnavailable):
            context = Context(evaluator=evaluator, chat_model=model, on_model_failure="error")
            await score(QUESTION, [TOWER], context)


async def test_the_cascade_reads_what_the_embedded_evaluator_doubts(evaluates: Callable[..., FixedEvaluator]) -> None:
    evaluates({"330": 0.6, "purr": 0.1})
    with scripted(("in a few words", "330 metres")) as (model, _):
        scored = await score(QUESTION, [TOWER, CATS], Context(evaluator="cascade", chat_model=model))
    assert scored.passages[0].score is not None and scored.passages[0].score > 0.6
    assert scored.passages[1].score == 0.1
    assert scored.usage["model_calls"] == 1


async def test_an_embedded_chat_model_reads_nothing_where_yes_or_no_is_asked(
    evaluates: Callable[..., FixedEvaluator],
) -> None:
    evaluates({"not permitted": 0.7})
    context = Context(evaluator="cascade", chat_model=f"llamacpp:{DEFAULT_WEIGHTS}")
    scored = await score("Are dogs allowed in the shop?", [passage("Dogs are not permitted in the shop.")], context)
    assert (scored.passages[0].score, scored.warnings, scored.usage) == (0.7, [], {})


async def test_the_cascade_without_a_chat_model_says_so(evaluates: Callable[..., FixedEvaluator]) -> None:
    evaluates({"330": 0.6})
    scored = await score(QUESTION, [TOWER], Context(evaluator="cascade", answerer="extractive"))
    assert scored.passages[0].score == 0.6
    assert scored.warnings == ["graded by the embedded evaluator alone: answerer='extractive' asks no chat model"]


async def test_a_cross_encoder_scores_between_0_and_1(monkeypatch: pytest.MonkeyPatch) -> None:
    class Model:
        def __init__(self, name: str, num_labels: int) -> None: ...

        def predict(self, pairs: list[Any], activation_fn: Callable[[Any], Any], show_progress_bar: bool) -> Any:
            return activation_fn([4.0 if "330" in text else -4.0 for _, text in pairs])

    module = ModuleType("sentence_transformers")
    module.CrossEncoder = Model  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    cross_encoder.cache_clear()
    scored = await score(QUESTION, [TOWER, CATS], Context(evaluator="cross-encoder:some/model"))
    cross_encoder.cache_clear()
    assert [p.score for p in scored.passages] == [pytest.approx(0.982, abs=1e-3), pytest.approx(0.018, abs=1e-3)]


async def test_t5_names_the_package_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    t5_evaluator.cache_clear()
    with pytest.raises(ModelError, match=r"evaluator='t5:some/model' needs transformers.*cross-encoder"):
        await score(QUESTION, [TOWER], Context(evaluator="t5:some/model"))


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("What is the deposit? 押金是多少？", ["What is the deposit?", "押金是多少？"]),
        ("Hi! 押金是多少？", ["Hi! 押金是多少？"]),  # no question: it would match anything
        ("What is the deposit? How is it paid?", ["What is the deposit? How is it paid?"]),
        ("GDP是什么？", ["GDP是什么？"]),
    ],
)
def test_a_question_asked_in_two_languages_is_two(query: str, asked: list[str]) -> None:
    assert by_language(query) == asked


async def test_a_passage_need_fit_the_question_in_one_language_only(monkeypatch: pytest.MonkeyPatch) -> None:
    class OneLanguage(FixedEvaluator):
        def score(self, question: str, passages: Any, vectors: Any = None) -> list[float]:
            return [0.9 if question == "What is the deposit?" else 0.1 for _ in passages]

    monkeypatch.setattr("nodes.score.embedded_evaluator", lambda: OneLanguage({}))
    scored = await score("What is the deposit? 押金是多少？", [passage("The deposit is 50 euros.")], Context())
    assert [found.score for found in scored.passages] == [0.9]
