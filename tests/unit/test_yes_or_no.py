"""Questions of yes or no, which the small embedded models get wrong: a sentence of the passages settles them."""

from collections.abc import Callable
from typing import Any

import pytest

from graphs.catalogue import load
from groundgraph.models import PROVIDERS
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


def test_it_is_asked_where_no_passage_settles_the_question(
    evaluates: Callable[..., FixedEvaluator], monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluates({"Interns": 0.6})
    assert ask("Can interns work from home?", monkeypatch, ("Can interns", "NOT FOUND"))["refused"]
