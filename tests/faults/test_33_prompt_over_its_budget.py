"""Fault 33: more is retrieved than the prompt may hold, and the prompt overflows or the question is cut.

Budget 200 tokens, 1,000 tokens retrieved with repeats: the prompt has at most 200, the best-ranked passages are kept,
the question is intact.
"""

from collections.abc import Callable

import pytest

from graphs.catalogue import PATTERNS, load
from groundgraph.models.tokens import estimate_tokens
from state.context import Context
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.scripted import Line, scripted

QUESTION = "How tall is the tower, {by} the way, in metres?"


@pytest.mark.parametrize("pattern", [name for name in PATTERNS if name != "router"])
def test_the_best_passages_fit_and_the_question_is_whole(
    pattern: str, finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator]
) -> None:
    evaluates({"Fact": 0.9})
    facts = [passage(f"Fact {n}: the tower is {n} metres tall.") for n in range(100)]
    finds([facts[0], facts[0], *facts[1:]])
    with scripted(Line(None, "It is 0 metres tall [1].", times=None)) as (model, chat):
        load(pattern).invoke({"question": QUESTION}, context=Context(chat_model=model, prompt_tokens=250, top_k=100))
    prompt = chat.prompts[-1]
    assert estimate_tokens(prompt) <= 250 + estimate_tokens("system: \nhuman: ")
    assert QUESTION in prompt
    assert "Fact 1:" in prompt and "Fact 99:" not in prompt
    assert prompt.count("Fact 0:") == 1, "a repeated passage is shown once"
