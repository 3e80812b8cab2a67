import asyncio
import gc
import subprocess
import sys
import textwrap
import weakref
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langchain_core.messages import HumanMessage
from langgraph.graph import START, StateGraph

from groundgraph.errors import ModelError
from groundgraph.models import Reply, TokenLogprob, ask, ask_several, stream
from tests.endpoint import Endpoint
from tests.scripted import Line, scripted

HELLO = [HumanMessage("Hello")]
LOGPROBS: dict[str, Any] = {"content": [{"token": "Yes", "logprob": -0.1, "top_logprobs": []}]}


async def test_a_reply_brings_text_and_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint("Lima.") as endpoint:
        endpoint.configure(monkeypatch)
        reply = await ask("openai:m", HELLO, max_tokens=9)
    assert reply == Reply("Lima.", prompt_tokens=11, completion_tokens=7, finish_reason="stop")
    request = endpoint.requests[0]
    assert (request["model"], request["max_tokens"], request["temperature"]) == ("m", 9, 0.0)
    assert "logprobs" not in request


async def test_tokens_that_the_endpoint_does_not_report_are_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    estimated = Reply("利马是首都。", prompt_tokens=2, completion_tokens=6, finish_reason="stop", estimated_calls=1)
    with Endpoint("利马是首都。", reports_usage=False) as endpoint:
        endpoint.configure(monkeypatch)
        assert await ask("openai:m", HELLO) == estimated
        assert [piece async for piece in stream("openai:m", HELLO)][-1] == estimated
        replies = await ask_several("openai:m", HELLO, 2)
    assert [(reply.completion_tokens, reply.estimated_calls) for reply in replies] == [(12, 1), (0, 0)]


async def test_half_a_surrogate_pair_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint("Lima\ud83d. \U0001f1f5") as endpoint:
        endpoint.configure(monkeypatch)
        assert (await ask("openai:m", HELLO)).text == "Lima. \U0001f1f5"
        pieces = [piece async for piece in stream("openai:m", HELLO)]
    assert pieces[-1] == Reply("Lima. \U0001f1f5", prompt_tokens=11, completion_tokens=7, finish_reason="stop")
    assert "".join(map(str, pieces[:-1])).isprintable()


async def test_a_reasoning_model_gets_no_temperature(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint() as endpoint:
        endpoint.configure(monkeypatch)
        await ask("openai:o3-mini", HELLO)
    assert "temperature" not in endpoint.requests[0]
    assert endpoint.requests[0]["max_completion_tokens"] == 256


async def test_log_probabilities_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint("Yes", logprobs=LOGPROBS) as endpoint:
        endpoint.configure(monkeypatch)
        reply = await ask("openai:m", HELLO, top_logprobs=3)
    assert reply.logprobs == (TokenLogprob("Yes", -0.1),)
    assert endpoint.requests[0]["top_logprobs"] == 3


@pytest.mark.parametrize("reject", [[], ["logprobs"]])
async def test_missing_log_probabilities_are_said_to_be_missing(
    monkeypatch: pytest.MonkeyPatch, reject: list[str]
) -> None:
    with Endpoint("Yes", reject=reject) as endpoint:
        endpoint.configure(monkeypatch)
        replies = [await ask("openai:m", HELLO, top_logprobs=3) for _ in range(2)]
    assert [(reply.text, reply.logprobs) for reply in replies] == [("Yes", None)] * 2
    assert endpoint.statuses.count(422) == len(reject)


async def test_the_tokens_of_thinking_are_left_out() -> None:
    words = ["<think>", "Yes", "?", "</think>", "\n", "No"]
    logprobs = {"content": [{"token": word, "logprob": -0.1} for word in words]}
    with scripted(Line(None, "".join(words), logprobs=logprobs)) as (name, _):
        reply = await ask(name, HELLO)
    assert reply.text == "No"
    assert reply.logprobs == (TokenLogprob("No", -0.1),)


async def test_a_stream_yields_text_as_it_comes_and_ends_with_the_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint("<think>hm</think> The capital is Lima.") as endpoint:
        endpoint.configure(monkeypatch)
        *pieces, reply = [piece async for piece in stream("openai:m", HELLO)]
    assert len(pieces) > 3
    assert "".join(map(str, pieces)) == "The capital is Lima."
    assert reply == Reply("The capital is Lima.", prompt_tokens=11, completion_tokens=7, finish_reason="stop")


async def test_a_broken_off_stream_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint("one two three four") as endpoint:
        endpoint.configure(monkeypatch)
        pieces = stream("openai:m", HELLO)
        assert await anext(pieces) == "one"
        await pieces.aclose()


async def test_no_internal_call_reaches_the_message_stream_of_a_graph() -> None:
    class State(TypedDict):
        text: str

    async def node(state: State) -> State:
        asked = await ask(name, HELLO)
        streamed = [piece async for piece in stream(name, HELLO)]
        return {"text": f"{asked.text} {streamed[-1].text}"}  # type: ignore[union-attr]

    graph = StateGraph(State).add_node(node).add_edge(START, "node").compile()
    with scripted("secret one", "secret two") as (name, _):
        events = [event async for event in graph.astream({"text": ""}, stream_mode=["messages", "values"])]
    assert [mode for mode, _ in events] == ["values", "values"]
    assert events[-1] == ("values", {"text": "secret one secret two"})


def test_one_model_serves_one_event_loop_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    loops: list[weakref.ref[asyncio.AbstractEventLoop]] = []

    async def twice() -> list[str]:
        loops.append(weakref.ref(asyncio.get_running_loop()))
        return [(await ask("openai:m", HELLO)).text for _ in range(2)]

    with Endpoint("ok") as endpoint:
        endpoint.configure(monkeypatch)
        assert [asyncio.run(twice()) for _ in range(3)] == [["ok", "ok"]] * 3
    gc.collect()
    assert [loop() for loop in loops] == [None] * 3, "the shared client keeps loops that are gone"


def test_one_model_serves_two_event_loops_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> list[Reply]:
        async def many() -> list[Reply]:
            return list(await asyncio.gather(*(ask("openai:m", HELLO) for _ in range(5))))

        here, there = await asyncio.gather(many(), asyncio.to_thread(lambda: asyncio.run(many())))
        return here + there

    with Endpoint("ok", latency=0.05) as endpoint:
        endpoint.configure(monkeypatch)
        assert [reply.text for reply in asyncio.run(main())] == ["ok"] * 10


COLD = """
    import asyncio
    import sys

    from blockbuster import BlockBuster
    from langchain_core.messages import HumanMessage

    from groundgraph.models import ask, stream

    async def main():
        assert "langchain_openai" not in sys.modules
        print((await ask("openai:m", [HumanMessage("Hello")], top_logprobs=2)).text)
        print([piece async for piece in stream("openai:m", [HumanMessage("Hello")])][-1].text)

    BlockBuster().activate()
    asyncio.run(main())
"""


def test_the_first_cold_call_blocks_no_event_loop(tmp_path: Path) -> None:
    with Endpoint("ok") as endpoint:
        done = subprocess.run(
            [sys.executable, "-W", "error::ResourceWarning", "-c", textwrap.dedent(COLD)],
            env={"OPENAI_BASE_URL": endpoint.base_url, "PYTHONPATH": str(Path(__file__).parents[2])},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert (done.stdout, done.stderr) == ("ok\nok\n", "")


def test_a_script_fails_on_a_prompt_it_does_not_foresee() -> None:
    with scripted(("Lima", "yes"), ("Peru", "no")) as (name, _):
        assert asyncio.run(ask(name, [HumanMessage("Peru?")])).text == "no"
        with pytest.raises(AssertionError, match="no line of the script"):
            asyncio.run(ask(name, [HumanMessage("Peru?")]))
        assert asyncio.run(ask(name, [HumanMessage("Lima?")])).text == "yes"


def test_a_script_fails_on_an_unused_reply() -> None:
    with pytest.raises(AssertionError, match="unused lines"), scripted("never said"):
        pass


async def test_a_script_can_raise() -> None:
    with scripted((None, ModelError("no"))) as (name, _), pytest.raises(ModelError):
        await ask(name, HELLO)
