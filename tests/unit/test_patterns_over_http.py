"""Every pattern over a real OpenAI-compatible endpoint: answering, refusing, down, slow, and talking rubbish."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from graphs.catalogue import PATTERNS, load
from groundgraph.errors import ModelError, ModelUnavailable
from tests.doubles import FixedEvaluator, FixedSearch, FixedWeb, passage
from tests.endpoint import Endpoint, Request
from tests.logprobs import logprobs_of

ASKED = {"question": "How tall is the tower?"}
TOWER = "The tower is 330 metres tall."


@pytest.fixture(autouse=True)
def documents(finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator]) -> None:
    finds([passage(TOWER), passage("Cats purr.")])
    evaluates({"330": 0.9})


def reply(request: Request) -> str:
    """Say what a good model would say to each of our prompts."""
    prompt = "\n".join(message["content"] for message in request["messages"])
    if "Name the intent" in prompt:
        return "simple_fact"
    if "needs the user's documents" in prompt:
        return "yes"
    if "Rate your last reply" in prompt:
        return "5"
    if "web search query" in prompt:
        return "tower height"
    if "Numbers:" in prompt:
        return "1" if "330" in prompt else "0"
    if "Reply yes or no" in prompt:
        return "yes" if "330" in prompt else "no"
    if "Split a question" in prompt:
        return '{"subquestions": ["Which tower is meant?", "How tall is #1?"]}'
    if "name, date, number or a few words" in prompt:
        return "the Eiffel Tower"
    if "Rewrite the question as a search query" in prompt:
        return "tower height in metres"
    if "Write a short passage" in prompt:
        return "The tower is 300 metres tall."
    if "plausible names" in prompt or "Annabelle" in prompt:
        return "It is 300 metres tall."
    assert "something else" in prompt
    return "It is 330 metres tall [1]." if "330" in prompt else "NOT FOUND"


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("face", ["invoke", "ainvoke"])
async def test_an_answer(pattern: str, face: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint(reply=reply, logprobs=logprobs_of) as endpoint:
        endpoint.configure(monkeypatch)
        graph, context = load(pattern), {"router": {"classifier": "llm"}}
        result = (
            graph.invoke(ASKED, context=context) if face == "invoke" else await graph.ainvoke(ASKED, context=context)
        )
    assert result["answer"] == "It is 330 metres tall [1]."
    assert result["citations"][0]["quote"] == TOWER
    assert result["warnings"] == []
    assert result["usage"]["model_calls"] == len(endpoint.requests)
    assert result["usage"]["prompt_tokens"] == 11 * len(endpoint.requests), "usage is reported while streaming, too"


@pytest.mark.parametrize("pattern", PATTERNS)
def test_only_the_answer_is_streamed(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint(reply=reply, logprobs=logprobs_of) as endpoint:
        endpoint.configure(monkeypatch)
        settings: dict[str, Any] = {"rewrite": "on", "adaptive": {"theta_high": 0.95}, "router": {"classifier": "llm"}}
        chunks = load(pattern).stream(ASKED, context=settings, stream_mode="messages")
        shown = "".join(chunk.text for chunk, _ in chunks)
    assert shown == "It is 330 metres tall [1]."


@pytest.mark.parametrize(
    ("pattern", "lost"),
    [
        ("hyde", ["1 of 1 hypothetical documents failed", "no hypothetical document can be used"]),
        ("combined", ["1 of 1 hypothetical documents failed", "no hypothetical document can be used"]),
        ("flare", []),
        ("advanced", ["question not rewritten", "question not decomposed"]),
        ("adaptive", ["question not rewritten"]),
        ("self_rag", ["need of retrieval not decided"]),
    ],
)
def test_each_step_that_a_failing_endpoint_costs_is_a_warning(
    pattern: str, lost: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Endpoint(always_fail=500) as endpoint:
        endpoint.configure(monkeypatch, max_retries=0)
        settings: dict[str, Any] = {"rewrite": "on", "adaptive": {"theta_high": 0.95}, "hyde": {"k": 1}}
        result = load(pattern).invoke(ASKED, context=settings)
    assert result["answer"] == f"{TOWER} [1]"
    assert [warning.partition(":")[0] for warning in result["warnings"]] == [*lost, "the answer is quoted"]


@pytest.mark.parametrize(
    ("pattern", "critic"), [*((pattern, "prompted") for pattern in PATTERNS), ("self_rag", "tokens")]
)
def test_a_quoted_answer_has_no_reason_to_refuse(pattern: str, critic: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint(always_fail=500) as endpoint:
        endpoint.configure(monkeypatch, max_retries=0)
        result = load(pattern).invoke(ASKED, context={"self_rag": {"critic": critic}, "adaptive": {"theta_high": 0.95}})
    assert (result["answer"], result["refused"], result["refusal_reason"]) == (f"{TOWER} [1]", False, "")


def test_everything_by_the_model(monkeypatch: pytest.MonkeyPatch, web: Callable[..., FixedWeb]) -> None:
    """Classify, grade, rewrite, refine and answer: six kinds of calls, five of them out of the user's stream."""
    web(TOWER)
    with Endpoint(reply=reply) as endpoint:
        endpoint.configure(monkeypatch)
        settings: dict[str, Any] = {
            "evaluator": "llm",
            "web_search": "on",
            "crag": {"refiner": "llm", "policy": "per_document", "web_when": "any_incorrect"},
        }
        shown, final = [], {}
        for mode, chunk in load("crag").stream(ASKED, context=settings, stream_mode=["messages", "values"]):
            if mode == "messages":
                shown.append(chunk[0].text)
            else:
                final = chunk
    assert "".join(shown) == final["answer"] == "It is 330 metres tall [1]."
    assert [p.origin for p in final["passages"]] == ["local", "web"]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"always_fail": 500}, "failed (500"),
        ({"always_fail": 429}, "overloaded or over its quota (429)"),
        ({"body": "<html>It works!</html>"}, "makes no sense"),
        ({"body": 'data: {"error": {"message": "out of memory"}}\n\n'}, "failed (out of memory)"),
        ({"latency": 2.0}, "did not answer in time"),
    ],
)
def test_a_failing_endpoint_costs_a_warning_and_quotes(
    fault: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Endpoint(**fault) as endpoint:
        endpoint.configure(monkeypatch, max_retries=1, request_timeout=0.5)
        result = load("crag").invoke(ASKED)
        assert result["answer"] == f"{TOWER} [1]"
        (warning,) = result["warnings"]
        assert warning.startswith("the answer is quoted: model 'openai:gpt-4o-mini' at 127.0.0.1") and said in warning
        with pytest.raises(ModelUnavailable):
            load("crag").invoke(ASKED, context={"on_model_failure": "error"})


@pytest.mark.parametrize(
    ("choices", "remedy"),
    [
        ([], "ask again, or take another chat_model"),
        ([{"index": 0, "delta": {}, "finish_reason": "stop"}], "ask again, or take another chat_model"),
        (
            [{"index": 0, "delta": {"content": "<think>Well"}, "finish_reason": "length"}],
            "its thinking took all of max_tokens; raise it",
        ),
    ],
)
def test_an_empty_reply_is_no_verdict(choices: list[Any], remedy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chunk = {"id": "1", "object": "chat.completion.chunk", "model": "m", "choices": choices}
    with Endpoint(body=f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n") as endpoint:
        endpoint.configure(monkeypatch, max_retries=0)
        result = load("naive").invoke(ASKED)
    assert result["refused"] and result["refusal_reason"] == "the model's reply was empty"
    assert result["warnings"] == [f"the model's reply was empty: {remedy}"]
    assert result["usage"]["model_calls"] == 1


def test_an_endpoint_that_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint() as endpoint:
        pass
    endpoint.configure(monkeypatch, max_retries=0)
    result = load("naive").invoke(ASKED)
    assert result["answer"] == f"{TOWER} [1]"
    assert "cannot be reached" in result["warnings"][0]


def test_a_refused_key_is_an_error_without_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with Endpoint(key="another") as endpoint:
        endpoint.configure(monkeypatch)
        with pytest.raises(ModelError, match="refused the key") as raised:
            load("crag").invoke(ASKED)
    assert "sk-secret" not in str(raised.value)


def test_one_overload_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint(reply=reply, fail=[429]) as endpoint:
        endpoint.configure(monkeypatch)
        result = load("crag").invoke(ASKED)
    assert result["answer"] == "It is 330 metres tall [1]." and result["warnings"] == []
    assert endpoint.statuses == [429, 200]


def test_a_grader_that_is_down_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint(always_fail=500) as endpoint:
        endpoint.configure(monkeypatch, max_retries=0)
        result = load("crag").invoke(ASKED, context={"evaluator": "llm"})
    assert result["warnings"][0].startswith("graded by the embedded evaluator: ")
    assert result["answer"] == f"{TOWER} [1]"
