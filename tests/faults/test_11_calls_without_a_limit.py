"""Fault 11: twenty documents are graded all at once, or one after the other.

Limit 5, 0.1 s a call: never more than 5 in flight, yet side by side; the order is kept; one 429 is retried alone.
"""

from collections.abc import Callable

import pytest

from graphs.crag import graph
from state.context import Context
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.endpoint import Endpoint, Request


def reply(request: Request) -> str:
    prompt = request["messages"][-1]["content"]
    return ("yes" if "is even" in prompt else "no") if "Reply yes or no" in prompt else "Fact 0 is even [1]."


def test_five_at_a_time(
    finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator], monkeypatch: pytest.MonkeyPatch
) -> None:
    finds([passage(f"Fact {n} is {'odd' if n % 2 else 'even'}.") for n in range(20)])
    evaluates({})
    with Endpoint(reply=reply, latency=0.1, fail=[429]) as endpoint:
        endpoint.configure(monkeypatch)
        context = Context(evaluator="llm", max_concurrency=5, top_k=20, crag={"refiner": "off"})
        result = graph.invoke({"question": "Which facts are even?"}, context=context)
    assert endpoint.max_in_flight == 5, "five side by side, and never more"
    assert [p.page_content for p in result["passages"]] == [f"Fact {n} is even." for n in range(0, 20, 2)]
    assert endpoint.statuses.count(429) == 1
    assert len(endpoint.requests) == 20 + 1 + 1, "the one that failed is retried alone"
