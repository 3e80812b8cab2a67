"""Fault 6: the context is empty, and the model answers from memory.

Empty index, "Who runs Acme?", a model that would say "Bob": a refusal, no citations, no "Bob", and no call.
"""

from collections.abc import Callable

import pytest

from graphs.catalogue import PATTERNS, load
from state.context import Context
from tests.doubles import FixedEvaluator, FixedSearch
from tests.scripted import Line, scripted


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("question", ["Who runs Acme?", "谁管理 Acme 公司？"])
def test_an_empty_index_is_a_refusal(
    pattern: str,
    question: str,
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    finds([])
    evaluates({})
    monkeypatch.setattr("nodes.classify_intent.embedded_intent", lambda text: {"vague": 0.9})
    with scripted(Line(None, "Bob", times=None, optional=True)) as (model, chat):
        result = load(pattern).invoke({"question": question}, context=Context(chat_model=model))
    assert result["refused"] and result["citations"] == []
    assert result["answer"] in (
        "I could not find an answer to this in your documents.",
        "在您的文档中没有找到这个问题的答案。",
    )
    assert not [prompt for prompt in chat.prompts if "NOT FOUND" in prompt or "未找到" in prompt], (
        "no answer is asked for"
    )
