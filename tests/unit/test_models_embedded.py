import asyncio
import threading
from pathlib import Path
from typing import Literal

import httpx
import numpy as np
import pytest
from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel

from groundgraph.errors import ModelError
from groundgraph.models import Reply, ask, ask_json, chat_model, embedding_model, forget_models, stream
from groundgraph.models.catalog import DEFAULT_WEIGHTS
from groundgraph.models.embedded import EmbeddedServer, embedded_server
from tests.endpoint import Endpoint

MODEL = f"llamacpp:{DEFAULT_WEIGHTS}"
QUESTION = [SystemMessage("Answer in one word."), HumanMessage("What is the capital of France?")]


class Verdict(BaseModel):
    score: Literal["yes", "no"]


def test_a_file_that_is_no_model_is_one_clear_line(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    path = tmp_path / "bad.gguf"
    path.write_bytes(b"GGUF" + b"x" * 1000)
    with pytest.raises(ModelError, match=r"cannot be loaded from .*bad.gguf.*check that it is a GGUF file"):
        chat_model(f"llamacpp:{path}")


async def test_a_connection_that_the_embedded_server_has_closed_is_opened_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """llama.cpp ends kept connections by itself; a request that was on its way then has no reply."""
    with Endpoint("Paris.") as endpoint:
        endpoint.configure(monkeypatch)
        server = EmbeddedServer(endpoint.base_url, "key", None)
        monkeypatch.setattr("groundgraph.models.embedded.embedded_server", lambda name: server)
        assert (await ask("llamacpp:m", QUESTION)).text == "Paris."
        endpoint.drop = 2
        assert (await ask("llamacpp:m", QUESTION)).text == "Paris."
        endpoint.drop = 1
        *_, last = [piece async for piece in stream("llamacpp:m", QUESTION)]
        assert isinstance(last, Reply)
        assert last.text == "Paris."
    forget_models()


@pytest.mark.local
async def test_the_embedded_model_answers_streams_and_keeps_to_a_schema(capfd: pytest.CaptureFixture[str]) -> None:
    reply = await ask(MODEL, QUESTION, max_tokens=8, top_logprobs=2)
    assert "Paris" in reply.text
    assert reply.logprobs is not None
    assert "".join(token.token for token in reply.logprobs) == reply.text
    *pieces, last = [piece async for piece in stream(MODEL, QUESTION, max_tokens=8)]
    assert "".join(map(str, pieces)) == reply.text
    assert last.prompt_tokens > 0  # type: ignore[union-attr]
    verdict, _ = await ask_json(MODEL, [HumanMessage("Is Paris in France?")], Verdict, max_tokens=20)
    assert verdict is not None
    assert capfd.readouterr().err == ""


@pytest.mark.local
def test_one_server_serves_threads_and_lets_nobody_else_in() -> None:
    servers: set[str] = set()
    threads = [
        threading.Thread(target=lambda: servers.add(embedded_server(DEFAULT_WEIGHTS).base_url)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (address,) = servers
    body = {"messages": [{"role": "user", "content": "hi"}]}
    assert httpx.post(f"{address}/chat/completions", json=body, trust_env=False).status_code == 401


@pytest.mark.local
def test_a_prompt_longer_than_the_context_is_one_clear_line() -> None:
    with pytest.raises(ModelError, match="the prompt is longer than the model's context"):
        asyncio.run(ask(MODEL, [HumanMessage("word " * 6000)]))


@pytest.mark.local
def test_e5_vectors_have_length_1_and_tell_relevance() -> None:
    model = embedding_model("e5:multilingual-e5-small")
    passages = model.embed_passages(["Paris is the capital of France.", "Cats purr.", "", "a\0b", "\udbff"])
    assert passages.shape == (5, model.dimension) == (5, 384)
    np.testing.assert_allclose(np.linalg.norm(passages, axis=1), 1, rtol=1e-5)
    scores = passages @ model.embed_query("法国的首都是哪里？")
    assert scores[0] > scores[1]


@pytest.mark.local
def test_e5_gives_the_same_vectors_to_many_threads() -> None:
    model = embedding_model("e5:multilingual-e5-small")
    texts = [f"Sentence number {n} of a document." for n in range(12)]
    expected = model.embed_passages(texts)
    results: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: results.append(model.embed_passages(texts))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        np.testing.assert_array_equal(result, expected)
