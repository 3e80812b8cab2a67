"""Fault 37: the first cold run of a graph under `langgraph dev` dies of a blocking call.

The real server is started, blocking calls not allowed, and every graph runs through the SDK: cold, streamed, and with
a wrong setting. The chat model is a scripted endpoint; embeddings and the evaluator are the embedded ones.
"""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from graphs.catalogue import PATTERNS
from tests.server.conftest import PROJECT, TOWER_ANSWER, Server
from tests.unit.test_docs import snippets

pytestmark = [pytest.mark.local, pytest.mark.server]

BY_SENTENCE = ("flare", "self_rag", "combined")
"""Patterns that stream whole sentences."""
ASKED = {"question": "How tall is the Eiffel Tower?"}


@pytest.fixture
async def client(server: Server) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=server.url) as client:
        yield client


@pytest.mark.parametrize("pattern", PATTERNS)
async def test_a_cold_run_and_its_stream(client: LangGraphClient, server: Server, pattern: str) -> None:
    result: Any = await client.runs.wait(None, pattern, input=ASKED)
    assert "__error__" not in result, result
    assert result["answer"] == TOWER_ANSWER
    assert result["citations"][0]["quote"] == "The Eiffel Tower is 330 metres tall."
    tokens, final = [], {}
    async for part in client.runs.stream(
        None, pattern, input=ASKED, stream_mode=["messages-tuple", "values"], stream_subgraphs=True
    ):
        if part.event.startswith("messages"):
            tokens.append(part.data[0]["content"])
        elif part.event == "values":
            final = part.data
    assert "".join(tokens) == final["answer"] == TOWER_ANSWER
    assert len(tokens) > 1 or pattern in BY_SENTENCE, "written piece by piece"
    assert not re.search(r"BlockingError|Blocking call", server.log.read_text())


async def test_the_context_is_a_form_and_is_checked(client: LangGraphClient) -> None:
    assistants = await client.assistants.search(graph_id="crag")
    schemas = await client.assistants.get_schemas(assistants[0]["assistant_id"])
    context = schemas["context_schema"]
    assert context is not None
    assert context["properties"]["top_k"]["description"] == "Passages to retrieve."
    assert assistants[0]["description"]
    with pytest.raises(Exception, match=r"top_k.*greater than or equal to 1"):
        await client.runs.wait(None, "crag", input=ASKED, context={"top_k": -1})


async def test_threads_keep_their_turns(client: LangGraphClient) -> None:
    thread = await client.threads.create()
    for _ in range(2):
        result: Any = await client.runs.wait(thread["thread_id"], "crag", input=ASKED)
    assert [message["type"] for message in result["messages"]] == ["human", "ai"] * 2
    assert len(result["passages"]) == 1


async def test_feedback_on_a_run(client: LangGraphClient) -> None:
    runs: list[Any] = []
    await client.runs.wait(None, "crag", input=ASKED, on_run_created=runs.append)
    asked = {"run": runs[0]["run_id"], "thumb": "up"}
    assert await client.http.post("/feedback", json=asked) == {"labelled": 1}
    with pytest.raises(Exception, match="passage 7: run"):
        await client.http.post("/feedback", json={**asked, "passage": 7})


def test_the_snippets_of_the_documentation(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    calls = [source for source in snippets(PROJECT / "docs" / "server.md", "python") if "langgraph_sdk" in source]
    printed = []
    for source in calls:
        ours = source.replace("http://127.0.0.1:2024", server.url).replace("Who signs the contract?", ASKED["question"])
        exec(compile(ours, "server.md", "exec"), {})
        printed.append("330 metres" in capsys.readouterr().out)
    assert printed == ["print(" in source for source in calls]
