"""Fault 38: invoke, ainvoke, stream and astream end in different states.

All four give the same final state, timings aside; and 64 threads that wait for a slow model wait side by side.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from graphs.catalogue import PATTERNS, load
from graphs.crag import graph
from graphs.naive import graph as naive
from state.context import Context
from state.graph import _background_loop
from state.schemas import Answer
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.scripted import Line, scripted

ASKED = {"question": "How tall is the tower?"}


def comparable(result: dict[str, Any]) -> dict[str, Any]:
    """Keep the keys of an answer; drop what differs from run to run: seconds and message ids."""
    answer = {key: result[key] for key in Answer.__annotations__}
    usage = {key: value for key, value in result["usage"].items() if key != "seconds"}
    return {**answer, "usage": usage, "messages": [(m.type, m.text) for m in result["messages"]]}


@pytest.mark.parametrize("pattern", PATTERNS)
async def test_the_four_faces_agree(
    pattern: str,
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    finds([passage("The tower is 330 metres tall. It is brown."), passage("Cats purr.")])
    evaluates({"330": 0.6})
    monkeypatch.setattr("nodes.classify_intent.embedded_intent", lambda text: {"vague": 0.9})
    graph = load(pattern)
    with scripted(Line(None, "330 metres [1].", times=None)) as (model, _):
        context = Context(chat_model=model)
        results = [
            graph.invoke(ASKED, context=context),
            await graph.ainvoke(ASKED, context=context),
            list(graph.stream(ASKED, context=context, stream_mode="values"))[-1],
            [chunk async for chunk in graph.astream(ASKED, context=context, stream_mode="values")][-1],
        ]
    first, *others = [comparable(result) for result in results]
    for other in others:
        assert other == first
    assert results[0]["answer"] == "330 metres [1]."


def test_64_askers_wait_side_by_side(
    finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator]
) -> None:
    """Were they to wait in turns on six threads, 64 × 0.5 s would take over five seconds."""
    finds([passage("The tower is 330 metres tall.")])
    evaluates({"330": 0.9})
    answers: list[str] = []
    with scripted(Line("something else", "330 metres [1].", times=None, latency=0.5)) as (model, _):

        def ask() -> None:
            answers.append(graph.invoke(ASKED, context=Context(chat_model=model))["answer"])

        threads = [threading.Thread(target=ask) for _ in range(64)]
        start = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == ["330 metres [1]."] * 64
    assert time.monotonic() - start < 5


def test_a_run_left_early_is_cancelled(finds: Callable[..., FixedSearch]) -> None:
    """Breaking off a synchronous stream, as Ctrl-C does, stops the model call behind it."""
    finds([passage("The tower is 330 metres tall.")])
    with scripted(Line("something else", "330 metres [1].", latency=30)) as (model, chat):
        for update in naive.stream(ASKED, context=Context(chat_model=model), stream_mode="updates"):
            if "retrieve" in update:
                break_off = time.monotonic() + 10
                while not chat.prompts and time.monotonic() < break_off:
                    time.sleep(0.01)
                break
        while asyncio.all_tasks(_background_loop()) and time.monotonic() < break_off:
            time.sleep(0.01)
        assert not asyncio.all_tasks(_background_loop())
