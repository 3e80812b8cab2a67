"""Fault 8: the endpoint answers 422 to an option it does not know, but accepts plain text.

Five documents are graded by the fallback, and cause one 422, not five: for log probabilities, which our graders ask
for, and for `json_schema`, which structured replies ask for.
"""

import asyncio
from collections.abc import Callable

import pytest
from langchain_core.messages import HumanMessage
from pydantic import BaseModel

from graphs.crag import graph
from groundgraph.models import ask_json
from state.context import Context
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.endpoint import Endpoint, Request


class Verdict(BaseModel):
    relevant: bool


def reply(request: Request) -> str:
    return "yes" if "Reply yes or no" in request["messages"][-1]["content"] else "330 metres [1]."


def test_log_probabilities(
    finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator], monkeypatch: pytest.MonkeyPatch
) -> None:
    finds([passage(f"Fact {n}: the tower is 330 metres tall.") for n in range(5)])
    evaluates({})
    with Endpoint(reply=reply, reject=["logprobs"]) as endpoint:
        endpoint.configure(monkeypatch)
        context = Context(evaluator="llm", crag={"refiner": "off"})
        result = graph.invoke({"question": "How tall is the tower?"}, context=context)
    assert [p.score for p in result["passages"]] == [1.0] * 5
    assert endpoint.statuses.count(422) == 1
    assert result["warnings"] == []


async def test_json_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint(reply='```json\n{"relevant": true}\n```', reject=["response_format"]) as endpoint:
        endpoint.configure(monkeypatch)
        asked = [ask_json("openai:any", [HumanMessage(f"Document {n}?")], Verdict) for n in range(5)]
        verdicts = [verdict for verdict, _ in await asyncio.gather(*asked)]
    assert verdicts == [Verdict(relevant=True)] * 5
    assert endpoint.statuses.count(422) == 1
