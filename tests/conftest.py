"""Every test starts on a fresh machine: empty folders, no keys, no settings, no live models."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import hypothesis
import numpy as np
import pytest

os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"  # read when langgraph is imported: what is not ours is not read back

from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.web import WEB_PROVIDERS
from groundgraph.models import forget_models
from groundgraph.settings import Settings, get_settings
from tests.doubles import FixedCollection, FixedEvaluator, FixedSearch, FixedWeb

hypothesis.settings.register_profile("repeatable", derandomize=True)
hypothesis.settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kills", type=int, default=5, help="how often an ingest is killed")


@pytest.fixture(autouse=True)
def fresh_machine(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, field in Settings.model_fields.items():
        for variable in (f"GROUNDGRAPH_{name.upper()}", *getattr(field.validation_alias, "choices", [])):
            monkeypatch.delenv(variable.upper(), raising=False)
    monkeypatch.setenv("GROUNDGRAPH_HOME", str(tmp_path / "home"))
    if not request.node.get_closest_marker("local"):  # the weights are assembled once, not once a test
        monkeypatch.setenv("GROUNDGRAPH_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    get_settings.cache_clear()
    yield
    get_settings.cache_clear()
    forget_models()


@pytest.fixture
def finds(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FixedSearch]:
    """Make retrieval find these passages."""

    def fix(passages: Sequence[Passage], **options: Sequence[str]) -> FixedSearch:
        search = FixedSearch(passages, **options)
        nodes = ("retrieve", "retrieve_again", "retrieve_leg", "retrieve_evidence", "retrieve_beams", "retrieve_next")
        for module in nodes:
            monkeypatch.setattr(f"nodes.{module}.search", search)
        monkeypatch.setattr("nodes.receive.Collection.open", lambda name, **_: FixedCollection(name))
        monkeypatch.setattr("nodes.embed.hypothetical_vectors", lambda *_, **__: {"fixed:2": np.array([0.6, 0.8])})
        return search

    return fix


@pytest.fixture
def evaluates(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FixedEvaluator]:
    """Make the embedded evaluator score by these words; the intent head finds each question simple."""

    def fix(scores: dict[str, float], sentences: dict[str, float] | None = None) -> FixedEvaluator:
        evaluator = FixedEvaluator(scores, sentences)
        nodes = [f"nodes.{name}" for name in ("score", "refine", "quote", "rerank", "compress", "write_segments")]
        for module in (*nodes, "groundgraph.evaluation.embedded_judge"):
            monkeypatch.setattr(f"{module}.embedded_evaluator", lambda: evaluator)
        monkeypatch.setattr("nodes.decompose.embedded_intent", lambda question: {"simple_fact": 1.0})
        return evaluator

    return fix


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FixedWeb]:
    """Make the web search find these results."""

    def fix(*results: str, error: str | None = None) -> FixedWeb:
        provider = FixedWeb(results, error)
        monkeypatch.setitem(WEB_PROVIDERS, "tavily", lambda: provider)
        return provider

    return fix
