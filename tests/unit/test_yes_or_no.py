"""Questions of yes or no, which the small embedded models get wrong: a sentence of the passages settles them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphs.catalogue import load
from groundgraph.grading.answer_type import asks_yes_or_no
from groundgraph.grading.evaluator import embedded_evaluator
from groundgraph.grading.extract import extractive_answer
from groundgraph.models import PROVIDERS
from nodes.settle import QUOTABLE, Grounded, settle
from state.context import Context
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.scripted import scripted

SMALL = "llamacpp:qwen2.5-coder-1.5b-instruct"


@pytest.fixture(autouse=True)
def office(finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator]) -> None:
    finds([passage("Interns must work in the office. They get a desk."), passage("实习生必须在办公室工作。")])
    evaluates({"Interns": 0.9, "实习生": 0.6}, {"desk": 0.5})


def ask(
    question: str,
    monkeypatch: pytest.MonkeyPatch,
    *script: tuple[str, str],
    model: str = SMALL,
    pattern: str = "naive",
    **given: Any,
) -> dict[str, Any]:
    with scripted(*script) as (_, chat):
        for provider in ("llamacpp", "openai"):
            monkeypatch.setitem(PROVIDERS, provider, lambda name: chat)
        result: dict[str, Any] = load(pattern).invoke({"question": question, **given}, context={"chat_model": model})
    return result


@pytest.mark.parametrize("pattern", ["naive", "flare"])
@pytest.mark.parametrize("question", ["Can interns work from home?", "实习生可以在家办公吗？"])
def test_a_small_model_is_not_asked(question: str, pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = ask(question, monkeypatch, pattern=pattern)
    assert result["answer"] == "Interns must work in the office. [1]"
    assert result["usage"]["model_calls"] == 0 and result["steps"][-1]["decision"] == "quoted"


@pytest.mark.parametrize(
    ("question", "model", "given"),
    [
        ("Where do interns work?", SMALL, {}),
        ("Can interns work from home?", "openai:gpt-4o", {}),
        ("Can interns work from home?", "llamacpp:/models/larger.gguf", {}),
        ("Are interns or clerks paid better?", SMALL, {"route": {"intent": "comparative"}}),
    ],
)
def test_it_is_asked_all_else_and_larger_models_everything(
    question: str, model: str, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask(question, monkeypatch, (question, "In the office [1]."), model=model, **given)["answer"]


@pytest.mark.parametrize("evaluator", ["embedded", "cascade", "llm"])
async def test_what_grading_kept_is_quoted_whatever_graded_it(evaluator: str) -> None:
    graded = [passage("Interns must work in the office. They get a desk.", score=0.2, tier="ambiguous")]
    asked = "Can interns work from home?"
    state: Grounded = {"question": asked, "query": asked, "intent": "", "passages": graded}
    update = await settle(state, Context(evaluator=evaluator))
    assert update is not None and update["answer"] == "Interns must work in the office. [1]"


@pytest.mark.parametrize("pattern", ["naive", "flare"])
def test_it_is_not_asked_either_where_no_passage_settles_the_question(
    pattern: str, evaluates: Callable[..., FixedEvaluator], monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluates({"Interns": 0.2})
    result = ask("Can interns work from home?", monkeypatch, pattern=pattern)
    assert result["refused"] and result["refusal_reason"] == "no sentence of the passages answers the question"


def test_self_rag_quotes_each_passage_too(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = ("Rate your last reply", '{"support": 5, "utility": 5}')
    result = ask("Can interns work from home?", monkeypatch, ratings, ratings, pattern="self_rag")
    assert result["answer"] == "Interns must work in the office. [1]"


def test_a_comparison_is_quoted_from_both_sides(
    evaluates: Callable[..., FixedEvaluator], monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluates({"Interns": 0.9, "实习生": 0.9}, {"desk": 0.5})
    question = "Do interns and 实习生 work in the office?"
    result = ask(question, monkeypatch, route={"intent": "comparative"})
    assert [citation["number"] for citation in result["citations"]] == [1, 2]


@pytest.mark.parametrize(
    "question",
    [
        "Isn't the web searched?",
        "And can’t it be turned off?",
        "By default, is the web searched?",
        "The web is off by default, right?",
        "Tell me whether the web is searched.",
        "Is it clear who pays?",
        "网络搜索是不是默认关闭？",
        "默认会不会搜索网络？",
        "是否需要签证",
        "他知道谁付款吗？",
    ],
)
def test_questions_of_yes_or_no_are_known_however_they_are_put(question: str) -> None:
    assert asks_yes_or_no(question)


@pytest.mark.parametrize(
    "question",
    [
        "How do I know whether it is on?",
        "What can interns do?",
        "Opening hours on Monday?",
        "Canberra population",
        "Who is the mayor?",
        "如何判断是否需要签证？",
        "不锈钢是哪一年发明的？",
        "谁有没有交费的名单？",
    ],
)
def test_other_questions_are_not(question: str) -> None:
    assert not asks_yes_or_no(question)


@pytest.mark.local
def test_the_sentence_that_settles_is_quoted() -> None:
    evaluator, found, cases = embedded_evaluator(), 0, read_cases()
    for case in cases:
        assert asks_yes_or_no(case["question"]), case["question"]
        passages = [passage(case["passage"]), *(passage(other["passage"]) for other in cases[:4] if other != case)]
        quotes = extractive_answer(case["question"], passages, evaluator, relevant=QUOTABLE)
        found += any(case["settles"] in quote.text and quote.number == 1 for quote in quotes)
    assert len(cases) == 32 and found >= 29


def read_cases() -> list[dict[str, str]]:
    lines = Path(__file__).parents[1].joinpath("data", "yes_or_no.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]
