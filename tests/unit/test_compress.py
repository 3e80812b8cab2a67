"""Compression: relevant sentences, in their order, within a budget of tokens."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.runtime import Runtime

from groundgraph.models.tokens import count_tokens, estimate_tokens
from nodes.compress import Sentence, compress, within
from state.context import Context
from tests.doubles import FixedEvaluator, passage

TOWER = passage("The tower is brown. The tower is 330 metres tall. It stands in Paris.", page=4)
CATS = passage("Cats purr. Cats sleep.")


async def squeeze(budget: int) -> dict[str, Any]:
    state = {"query": "How tall is the tower?", "subquestions": [], "passages": [CATS, TOWER]}
    context = Context(compress_tokens=budget, answerer="extractive")
    update: dict[str, Any] = await compress(state, Runtime(context=context))
    return update


@pytest.fixture(autouse=True)
def evaluator(evaluates: Callable[..., FixedEvaluator]) -> None:
    evaluates({}, sentences={"330": 0.9, "Paris": 0.7, "brown": 0.6, "Cats": 0.1})


async def test_relevant_sentences_stay_in_their_order() -> None:
    (kept,) = (await squeeze(1000))["passages"]
    assert kept.page_content == "The tower is brown. The tower is 330 metres tall. It stands in Paris."
    assert (kept.source, kept.page, kept.id) == (TOWER.source, 4, TOWER.id), "citations stay right"


async def test_what_scores_lowest_goes_first() -> None:
    update = await squeeze(20)
    assert update["passages"][0].page_content == "The tower is 330 metres tall. It stands in Paris."
    assert update["steps"][0]["figures"]["tokens"] <= 20


async def test_nothing_relevant_leaves_nothing(evaluates: Callable[..., FixedEvaluator]) -> None:
    evaluates({}, sentences={"": 0.1})
    update = await squeeze(1000)
    assert update["passages"] == [] and update["refusal_reason"] == "no sentence of the passages is relevant"


def test_the_best_sentence_is_kept_whatever_its_length() -> None:
    long, short = Sentence(0, (0, 10), 0.9), Sentence(0, (11, 12), 0.8)
    assert within([short, long], {(0, (0, 10)): 50, (0, (11, 12)): 3}, budget=20) == ([long], 50)
    assert within([], {}, budget=20) == ([], 0)


def test_a_tables_header_is_counted_once() -> None:
    rows = [Sentence(0, (start, start + 5), 0.9 - start / 100, needs=((0, 10),)) for start in (10, 15, 20)]
    counts = {(0, (0, 10)): 10, (0, (10, 15)): 4, (0, (15, 20)): 4, (0, (20, 25)): 4}
    assert within(rows, counts, budget=18) == (rows[:2], 18)


async def test_a_row_keeps_the_header_of_its_table(evaluates: Callable[..., FixedEvaluator]) -> None:
    evaluates({}, sentences={"330": 0.9, "": 0.1})
    header, row = "| tower | metres |\n| --- | --- |", "| Eiffel | 330 |"
    table = passage(f"Towers.\n\n{header}\n| Pisa | 56 |\n{row}\n\nThe end.", page=4)
    context = Context(compress_tokens=1000, answerer="extractive")
    update = await compress({"query": "How tall?", "subquestions": [], "passages": [table]}, Runtime(context=context))
    assert [kept.page_content for kept in update["passages"]] == [f"{header}\n{row}"]
    assert update["steps"][0]["figures"]["tokens"] == estimate_tokens(header) + estimate_tokens(row)


async def test_other_models_tokens_are_estimated() -> None:
    texts = ["hello world", "你好世界", ""]
    assert await count_tokens("openai:any", texts) == [estimate_tokens(text) for text in texts] == [4, 4, 0]


@pytest.mark.local
async def test_an_embedded_models_tokens_are_counted() -> None:
    assert await count_tokens("llamacpp:qwen2.5-coder-1.5b-instruct", ["hello world", "你好", ""]) == [2, 1, 0]
