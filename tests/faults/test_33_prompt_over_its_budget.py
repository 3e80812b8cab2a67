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


@pytest.mark.parametrize("pattern", [name for name in PATTERNS if name not in ("router", "self_rag")])
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


def test_each_prompt_of_self_rag_keeps_to_the_budget(finds: Callable[..., FixedSearch]) -> None:
    """One passage a prompt, cut to the room it has; a rating that has none for its passage is not asked for."""
    facts = [passage(f"Fact {n}: the tower is {n} metres tall." + " It is old." * 400) for n in range(100)]
    finds([facts[0], facts[0], *facts[1:]])
    with scripted(Line(None, "It is 0 metres tall [1].", times=None)) as (model, chat):
        context = Context(chat_model=model, prompt_tokens=400, top_k=100, self_rag={"max_segments": 1})
        load("self_rag").invoke({"question": QUESTION}, context=context)
    writing = [prompt for prompt in chat.prompts if "<passage" in prompt and "Rate your" not in prompt]
    assert [prompt.count(f"Fact {n}:") for n, prompt in enumerate(writing)] == [1] * 5, "the best five, repeats once"
    assert all(QUESTION in prompt for prompt in chat.prompts)
    names = estimate_tokens("system: human: ai: human: ")
    assert all(estimate_tokens(prompt) <= 400 + names for prompt in chat.prompts)


def test_without_room_for_a_passage_self_rag_asks_nothing(finds: Callable[..., FixedSearch]) -> None:
    finds([passage("The tower is 330 metres tall.")])
    with scripted(("needs the user's documents", "yes"), Line(None, "x", times=None)) as (model, chat):
        result = load("self_rag").invoke({"question": QUESTION}, context=Context(chat_model=model, prompt_tokens=100))
    assert result["refused"] and not any("<passage" in prompt for prompt in chat.prompts)
    assert result["warnings"] == ["no passage fits beside the question into prompt_tokens=100; raise it"]
