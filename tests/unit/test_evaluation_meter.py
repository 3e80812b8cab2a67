"""What a question costs is known of one that fails too, and of every way to ask a model."""

import pytest

from groundgraph.errors import ModelUnavailable
from groundgraph.evaluation.aggregate import cost_of
from groundgraph.evaluation.answering import answer
from groundgraph.evaluation.meter import Allowance, Meter
from groundgraph.evaluation.questions import Question
from groundgraph.evaluation.wording import tokens
from groundgraph.knowledge.search import SearchResult
from state.context import Context
from tests.doubles import passage
from tests.endpoint import Endpoint
from tests.scripted import Line, scripted

QUESTION = Question(id="q", question="How high is the tower?")


@pytest.fixture(autouse=True)
def found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every search finds one passage."""
    monkeypatch.setattr("nodes.retrieve.search", lambda *_, **__: SearchResult([passage("It is high.", "a.md")], []))
    monkeypatch.setattr("nodes.receive._checked_names", lambda context, routed: context.collections)


async def test_a_failed_question_keeps_the_cost_of_the_calls_before_and_of_the_one_that_failed() -> None:
    lines = [Line(None, "Yes", times=1), Line(None, ModelUnavailable("the endpoint is down"))]
    with scripted(*lines) as (name, _):
        context = Context(chat_model=name, evaluator="llm", on_model_failure="error")
        row = await answer("crag", QUESTION, context)
    assert row.error == "the endpoint is down"
    assert row.usage["model_calls"] == 2 and row.usage["prompt_tokens"] > 0


async def test_the_meter_agrees_with_the_run_on_one_that_is_answered() -> None:
    with scripted(Line(None, "It is high [1].")) as (name, _):
        meter = Meter()
        row = await answer("naive", QUESTION, Context(chat_model=name), meter)
    assert row.error is None and meter.calls == row.usage["model_calls"] == 1


async def test_several_replies_in_one_request_are_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint(reply="It is high [1].") as endpoint:
        endpoint.configure(monkeypatch, embedding_model="openai:test")
        meter = Meter()
        context = Context(hyde={"k": 3}, on_model_failure="error")
        await answer("hyde", QUESTION, context, meter)
        assert meter.calls == sum("messages" in one for one in endpoint.requests)


async def test_a_call_beyond_the_allowance_is_not_made() -> None:
    with scripted() as (name, model):
        meter = Meter(Allowance(0))
        row = await answer("naive", QUESTION, Context(chat_model=name, on_model_failure="error"), meter)
    assert meter.is_stopped and not model.prompts
    assert row.error == "the model calls that may be spent are spent: give more with --budget"


async def test_tokens_that_the_endpoint_does_not_report_are_estimated_and_said_to_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Endpoint(reply="It is high [1].", reports_usage=False) as endpoint:
        endpoint.configure(monkeypatch)
        meter = Meter()
        row = await answer("naive", QUESTION, Context(), meter)
    spent = cost_of([row])
    assert (spent.model_calls, spent.estimated_calls, spent.completion_tokens) == (1, 1, 5)
    assert spent.prompt_tokens > 50
    assert meter.usage == {**row.usage, "seconds": {}}
    assert tokens(spent.prompt_tokens, spent.estimated_calls).endswith(" (estimated)")
    assert tokens(1200, 0) == "1,200"
