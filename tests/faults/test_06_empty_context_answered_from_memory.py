"""Fault 6: the context is empty, and the model answers from memory.

Empty index, "Who runs Acme?", a model that would say "Bob": a refusal, no citations, no "Bob", and no call.
"""

from collections.abc import Callable

import pytest

from graphs.catalogue import load
from state.context import Context
from tests.doubles import FixedSearch
from tests.scripted import scripted


@pytest.mark.parametrize("pattern", ["naive", "crag"])
@pytest.mark.parametrize("question", ["Who runs Acme?", "谁管理 Acme 公司？"])
def test_an_empty_index_is_a_refusal(finds: Callable[..., FixedSearch], pattern: str, question: str) -> None:
    finds([])
    with scripted() as (model, chat):
        result = load(pattern).invoke({"question": question}, context=Context(chat_model=model))
    assert result["refused"] and result["citations"] == []
    assert result["answer"] in (
        "I could not find an answer to this in your documents.",
        "在您的文档中没有找到这个问题的答案。",
    )
    assert chat.prompts == []
