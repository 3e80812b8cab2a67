"""Reranking: more is retrieved than wanted, and the best are kept in their new order."""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from langgraph.runtime import Runtime

from graphs.catalogue import load
from groundgraph.errors import InputError, ModelError
from groundgraph.grading.cross_encoder import cross_encoder
from groundgraph.grading.reflection import RETRIEVAL
from nodes.retrieve_beams import retrieve_beams
from nodes.retrieve_evidence import retrieve_evidence
from state.context import Context
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.scripted import scripted

FACTS = [passage(f"Fact {n}: the tower is {n} metres tall.") for n in range(20)]
ASKED = {"question": "How tall is the tower?"}


class LengthModel:
    """A cross-encoder that likes high numbers; what sentence-transformers offers of it is `predict`."""

    def __init__(self, name: str, num_labels: int) -> None:
        if name == "missing":
            raise OSError("missing is not a local folder and is not a valid model identifier\nIf this is private …")
        self.name = name

    def predict(
        self, pairs: list[tuple[str, str]], activation_fn: Callable[[Any], Any], show_progress_bar: bool
    ) -> Any:
        assert all(question == ASKED["question"] for question, _ in pairs)
        return activation_fn([float(text.split()[1].rstrip(":")) for _, text in pairs])


@pytest.fixture
def sentence_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("sentence_transformers")
    module.CrossEncoder = LengthModel  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    cross_encoder.cache_clear()


def ask(pattern: str, says: str, **settings: Any) -> dict[str, Any]:
    with scripted((None, says)) as (model, _):
        return load(pattern).invoke(ASKED, context=Context(chat_model=model, top_k=3, **settings))


@pytest.mark.parametrize("pattern", ["naive", "crag"])
def test_a_cross_encoder_reranks(
    pattern: str,
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    sentence_transformers: None,
) -> None:
    finds(FACTS)
    evaluates({"Fact": 0.9})
    result = ask(pattern, "Eleven metres [1].", rerank="cross-encoder:some/model")
    assert [p.page_content for p in result["passages"]] == [FACTS[n].page_content for n in (11, 10, 9)]
    (step,) = [step for step in result["steps"] if step["node"] == "rerank"]
    assert step["decision"] == "3 of 12 passages kept", "4 × top_k are candidates"
    assert step["figures"]["ranks"] == [12, 11, 10]


def test_the_evaluator_reranks(finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator]) -> None:
    finds(FACTS)
    evaluates({"Fact 7": 0.9, "Fact 2": 0.8, "Fact": 0.1})
    result = ask("naive", "Seven metres [1].", rerank="evaluator")
    assert [p.page_content for p in result["passages"]] == [FACTS[n].page_content for n in (7, 2, 0)]


def test_off_is_no_step(finds: Callable[..., FixedSearch]) -> None:
    finds(FACTS)
    result = ask("naive", "No metres [1].")
    assert result["passages"] == FACTS[:3]
    assert "rerank" not in [step["node"] for step in result["steps"]]


def test_what_cannot_rerank(finds: Callable[..., FixedSearch], sentence_transformers: None) -> None:
    finds(FACTS)
    with pytest.raises(ModelError, match="cross-encoder 'missing' cannot be loaded: missing is not a local folder"):
        ask("naive", "", rerank="cross-encoder:missing")
    with pytest.raises(InputError, match=r"Context.rerank='bge'"):
        Context.parse({"rerank": "bge"})


def test_the_package_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    cross_encoder.cache_clear()
    with pytest.raises(ModelError, match=r"needs sentence-transformers: pip install '.\[cross-encoder\]'"):
        cross_encoder("some/model")


def test_a_second_retrieval_is_reranked_with_the_first(
    finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator]
) -> None:
    """Of adaptive, whose evaluator finds the passages of the first one poor."""
    search = finds(FACTS)
    evaluates({"Fact 17": 0.9, "Fact 11": 0.6, "Fact": 0.1})
    with scripted(("Rewrite the question", "tower height"), (None, "17 metres [1].")) as (model, _):
        context = Context(chat_model=model, top_k=3, rerank="evaluator")
        result = load("adaptive").invoke(ASKED, context=context)
    assert [passage.page_content for passage in result["passages"]] == [FACTS[n].page_content for n in (17, 11, 0)]
    steps = [step for step in result["steps"] if step["node"] == "rerank"]
    assert [step["decision"] for step in steps] == ["3 of 12 passages kept", "3 of 20 passages kept"]
    assert search.queries == [ASKED["question"], "tower height"]


def test_evidence_for_another_segment_is_reranked(
    finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator]
) -> None:
    """Of self_rag, which looks at twice as many passages after its first rewriting."""
    finds(FACTS)
    evaluates({"Fact 17": 0.9, "Fact 11": 0.6, "Fact": 0.1})
    state: Any = {
        "query": ASKED["question"], "search_query": "tower height", "collections": ["default"], "accepted": [],
        "passages": FACTS[:1], "attempts": 1, "warnings": [],
    }  # fmt: skip
    run: Any = Runtime(context=Context(top_k=2, rerank="evaluator"))
    update: Any = retrieve_evidence(state, run)
    assert update["passages"] == [FACTS[n] for n in (0, 11, 1, 2)] and update["found"] == [2, 1, 3, 4]
    beam = {"need": RETRIEVAL, "segments": [{"text": "It is tall."}], "found": []}
    run = Runtime(context=Context(rerank="evaluator", self_rag={"passages": 3}))
    update = retrieve_beams({**state, "beams": [beam]}, run)
    assert update["beams"][0]["found"] == [2, 1, 3] and update["passages"] == [FACTS[n] for n in (0, 11, 1)]
