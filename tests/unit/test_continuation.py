"""Writing on: endpoints that continue a last assistant message, those that do not, and how that is found out."""

from collections.abc import Callable

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from groundgraph.models import Reply, ask, ask_several, continuation
from tests.endpoint import Endpoint, Request
from tests.scripted import scripted

MODEL = "openai:m"
ASKED = [SystemMessage("Answer."), HumanMessage("How tall is it?")]
WRITTEN = "It is 330"


def continues(request: Request) -> str:
    """Reply as a server that goes on where the last assistant message ends."""
    last = request["messages"][-1]
    assert request["continue_final_message"] and not request["add_generation_prompt"]
    return "elle!" if last["content"].endswith("Annab") else " metres tall."


def repeats(request: Request) -> str:
    """Reply as llama.cpp does: what is continued stands before it."""
    return str(request["messages"][-1]["content"]) + continues(request)


@pytest.mark.parametrize(("reply", "text"), [(continues, " metres tall."), (repeats, "It is 330 metres tall.")])
async def test_an_endpoint_that_continues_is_found_out_once(
    monkeypatch: pytest.MonkeyPatch, reply: Callable[[Request], str], text: str
) -> None:
    with Endpoint(reply=reply) as endpoint:
        endpoint.configure(monkeypatch)
        place = await continuation(MODEL, ASKED, WRITTEN, "Go on:")
        assert place.messages == [*ASKED, AIMessage(WRITTEN)] and place.continues
        assert [reply.calls for reply in place.spent] == [1]
        assert (await ask(MODEL, place.messages, **place.options)).text == text
        several = await ask_several(MODEL, place.messages, 2, **place.options)
        assert [reply.text for reply in several if isinstance(reply, Reply)] == [text] * 2
        assert (await continuation(MODEL, ASKED, WRITTEN, "Go on:")).spent == ()


@pytest.mark.parametrize(
    "endpoint", [Endpoint("Hello, Annabelle!"), Endpoint(""), Endpoint(reject=["continue_final_message"])]
)
async def test_one_that_starts_anew_or_rejects_the_field_is_told(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    with endpoint:
        endpoint.configure(monkeypatch)
        for _ in range(2):
            place = await continuation(MODEL, ASKED, WRITTEN, "Go on:")
            assert place.messages == [ASKED[0], HumanMessage("How tall is it?\n\nGo on:\nIt is 330")]
            assert not place.continues and place.options == {}
        assert len(endpoint.requests) == 1


async def test_nothing_is_asked_where_it_is_known() -> None:
    """At the beginning of an answer, and of providers whose models are not asked in OpenAI's terms."""
    assert (await continuation(MODEL, ASKED, "", "Go on:")).messages == ASKED
    with scripted() as (model, _):
        assert not (await continuation(model, ASKED, WRITTEN, "Go on:")).continues
    embedded = await continuation("llamacpp:any", ASKED, WRITTEN, "Go on:")
    assert embedded.continues and embedded.spent == ()
