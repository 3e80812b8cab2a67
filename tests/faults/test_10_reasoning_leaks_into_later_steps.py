"""Fault 10: a model's reasoning leaks into later steps.

The rewriter says `<think>no…</think>Peru capital`: the search query is exactly "Peru capital"; neither state nor
stream holds the thinking.
"""

from collections.abc import Callable

from graphs.catalogue import load
from graphs.crag import graph
from state.context import Context
from tests.doubles import FixedEvaluator, FixedSearch, FixedWeb, passage
from tests.scripted import Line, scripted

THINKS_FIRST = "<think>no… Lima?</think>Lima is the capital of Peru [1]."


async def test_only_the_reply_goes_on(
    finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator], web: Callable[..., FixedWeb]
) -> None:
    finds([passage("Cats purr.")])
    evaluates({"Lima": 0.9})
    provider = web("Lima is the capital of Peru.")
    seen = []
    with scripted(
        ("search query", "<think>no… rather the capital</think>Peru capital"),
        Line("something else", THINKS_FIRST, pieces=list(THINKS_FIRST)),
    ) as (model, _):
        context = Context(chat_model=model, web_search="on")
        question = {"question": "Capital of Peru?"}
        async for mode, chunk in graph.astream(question, context=context, stream_mode=["messages", "values"]):
            seen.append((mode, chunk))
    assert provider.queries == ["Peru capital"]
    assert "no…" not in repr(seen) and "think" not in repr(seen)
    assert "".join(chunk[0].text for mode, chunk in seen if mode == "messages") == "Lima is the capital of Peru [1]."


async def test_nor_does_it_leak_into_segments_and_ratings(finds: Callable[..., FixedSearch]) -> None:
    """In Self-RAG every call may think first: decisions, segments, ratings and the rewritten query."""
    search = finds([passage("Lima is the capital of Peru.")])
    with scripted(
        ("needs the user's documents", "<think>no…</think>yes"),
        Line("Rate your", "<think>no… 5</think>relevance: 1, support: 1, utility: 1", optional=True),
        Line("Rewrite the question", "<think>no… rather the capital</think>Peru capital", times=2),
        Line("something else", THINKS_FIRST),
    ) as (model, chat):
        context = Context(chat_model=model, self_rag={"reflection": "joint"})
        result = await load("self_rag").ainvoke({"question": "Capital of Peru?"}, context=context)
    assert search.queries[1] == "Peru capital" and result["refused"]
    assert "no…" not in repr(result) and not any("no…" in prompt for prompt in chat.prompts)
