"""The desk of somebody who reads the documentation and types what it says.

Documents, endpoint, web and evaluator are made up; the command line, the graphs, the index and the search are real.
"""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from groundgraph.grading import intent_training
from groundgraph.knowledge.address import Fetched
from groundgraph.knowledge.keywords import tokens
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.web import WEB_PROVIDERS
from groundgraph.models import PROVIDERS, forget_models
from groundgraph.models.chat import _openai
from groundgraph.settings import get_settings
from tests.cli import Ran, run
from tests.desk_files import TOWNS, UTTERANCES, index_all, judge_answers, lay_out
from tests.doubles import FixedEvaluator, FixedWeb
from tests.embedder import BagEmbedder, use_bag_embedder
from tests.endpoint import Endpoint, Request
from tests.logprobs import logprobs_of
from tests.reflections import NEEDED, segment

EVALUATED = [f"nodes.{name}" for name in ("score", "refine", "quote", "rerank", "compress")]
EVALUATED += ["groundgraph.evaluation.embedded_judge", "groundgraph.cli.evaluator_label"]
COMMON = set(tokens("a an and are do for how in is it may of often that the this to was what when who 是 的 多 今 年"))


class WordEvaluator(FixedEvaluator):
    """Finds a passage relevant that shares a word with the question, and names the town that it names."""

    def __init__(self) -> None:
        super().__init__({})

    def score(self, question: str, passages: Sequence[Passage], vectors: object = None) -> list[float]:
        asked, named = set(tokens(question)) - COMMON, {town for town in TOWNS if town in question}
        return [self._score(asked, named, passage.context) for passage in passages]

    @staticmethod
    def _score(asked: set[str], named: set[str], text: str) -> float:
        return 0.95 if asked & set(tokens(text)) and all(town in text for town in named) else 0.05


def settled(prompt: str) -> str | None:
    """Return what is said of a town: whether a passage is about the one asked for, or a question about it."""
    if "Does the passage help?" in prompt:
        named = [town for town in TOWNS if town in prompt]
        return "yes" if not named or any(prompt.count(town) > 1 for town in named) else "no"
    if found := re.search(r"Sentence: The bridge of (\w+) was built in (\d+)", prompt):
        return json.dumps({"answer": found[2], "question": f"When did masons finish {found[1]}'s bridge?"})
    return None


def reply(request: Request) -> str:
    """Say what a good model, and one that is fine-tuned on reflection tokens, would say to each of our prompts."""
    if "prompt" in request:
        return (SEGMENT if "<paragraph>" in request["prompt"][0] else NEEDED).text
    prompt = "\n".join(message["content"] for message in request["messages"])
    if said := settled(prompt):
        return said
    if schema := (request.get("response_format") or {}).get("json_schema"):
        return json.dumps(instance(schema["schema"], schema["schema"].get("$defs", {})))
    for cue, said in SAID.items():
        if cue in prompt:
            return said
    return "It is so [1]."


def logprobs(text: str) -> dict[str, Any]:
    """Return the log probabilities of what was said."""
    return next((one.logprobs for one in (NEEDED, SEGMENT) if one.text == text), None) or logprobs_of(text)


WEB_RESULT = "The current VAT rate is 20 percent. 现在的增值税率是百分之二十。"
SEGMENT = segment("Ann wrote it.")
SAID = {
    "Name the intent": "simple_fact",
    "Rate your last reply": "5",
    "Numbers:": "1",
    "needs documents to be checked": "yes",
    "You check a sentence": "full",
    "You rate how": "5",
    "web search query": "current VAT rate",
}


def instance(schema: dict[str, Any], definitions: dict[str, Any]) -> Any:
    """Return the plainest value that a JSON schema allows."""
    if "$ref" in schema:
        return instance(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "string")
    if kind == "object":
        return {name: instance(one, definitions) for name, one in schema.get("properties", {}).items()}
    if kind == "array":
        return [instance(schema["items"], definitions)] * schema.get("minItems", 1)
    return {"string": "It is so.", "integer": schema.get("minimum", 1), "number": 1.0, "boolean": False}[kind]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


class Desk:
    """Types lines into a shell that knows `groundgraph`, `export`, and one pipe."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], endpoint: Endpoint) -> None:
        self._monkeypatch, self._capsys, self.endpoint = monkeypatch, capsys, endpoint

    def type(self, line: str) -> Ran | None:
        """Run a line; None if it is none of these."""
        if line.startswith("export "):
            name, _, value = line.removeprefix("export ").partition("=")
            self._monkeypatch.setenv(name, self._reachable(value))
            get_settings.cache_clear()
            forget_models()
            return Ran(0, "", "")
        before, _, command = line.rpartition("| groundgraph ")
        if not before and not line.startswith("groundgraph "):
            return None
        typed = "And for interns?\n"
        if before:
            typed = subprocess.run(before, shell=True, capture_output=True, text=True, check=True).stdout
        self._monkeypatch.setattr(sys, "stdin", StringIO(typed))
        words = shlex.split(command if before else line.removeprefix("groundgraph "), comments=True)
        if words == ["serve"]:
            words += ["--port", str(free_port())]  # another may listen on the default one
        return run(self._capsys, *map(os.path.expanduser, words))

    def _reachable(self, value: str) -> str:
        """Return an address with our endpoint's host and port in place of its own."""
        head, _, path = value.partition("://")[2].partition("/")
        return f"{self.endpoint.base_url.removesuffix('/v1')}/{path}" if head else value


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a reader's home and working folder, and all collections."""
    folder = tmp_path_factory.mktemp("desk")
    home, work = folder / "person", folder / "work"
    lay_out(home, work)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDGRAPH_HOME", str(folder / "collections"))
        use_bag_embedder(patch)
        index_all(home, work)
        judge_answers()
    get_settings.cache_clear()
    return folder


@contextmanager
def seat(
    furnished: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Desk]:
    """Sit down at a desk of one's own: a copy of the furnished one in `folder`, as long as it is entered."""
    shutil.copytree(furnished, folder, dirs_exist_ok=True)
    monkeypatch.setenv("HOME", str(folder / "person"))
    monkeypatch.setenv("GROUNDGRAPH_HOME", str(folder / "collections"))
    monkeypatch.chdir(folder / "work")
    bag = use_bag_embedder(monkeypatch)
    for place in ("groundgraph.grading.train", "groundgraph.cli.evaluator_check"):
        monkeypatch.setattr(f"{place}.embedding_model", lambda name: bag)
    monkeypatch.setattr("groundgraph.grading.intent.embedding_model", lambda name: BagEmbedder(384))
    monkeypatch.setattr(intent_training, "HEAD", folder / "intent_head.json")
    monkeypatch.setattr(intent_training, "RIDGES", (0.01,))
    monkeypatch.setattr(intent_training, "CUE_SCALES", (1.0,))
    monkeypatch.setattr(intent_training, "UTTERANCES", folder / "work" / UTTERANCES)
    evaluator = WordEvaluator()
    for place in EVALUATED:
        monkeypatch.setattr(f"{place}.embedded_evaluator", lambda: evaluator)
    for place in ("nodes.classify_intent", "nodes.decompose"):
        monkeypatch.setattr(f"{place}.embedded_intent", lambda question: {"simple_fact": 0.9})
    monkeypatch.setattr("nodes.rerank.cross_encoder", lambda name: evaluator)
    for provider in ("tavily", "searxng"):
        monkeypatch.setitem(WEB_PROVIDERS, provider, lambda: FixedWeb([WEB_RESULT]))
    monkeypatch.setattr(
        "groundgraph.knowledge.address.fetch", lambda address, **_: Fetched(b"<p>Text.</p>", "text/html")
    )
    monkeypatch.setattr(os, "execve", lambda path, command, environment: None)
    monkeypatch.setitem(PROVIDERS, "llamacpp", _openai)
    with Endpoint(reply=reply, logprobs=logprobs) as endpoint:
        endpoint.configure(monkeypatch, max_retries=0)
        monkeypatch.setattr("groundgraph.models.chat.OPENAI_URL", endpoint.base_url)
        yield Desk(monkeypatch, capsys, endpoint)
