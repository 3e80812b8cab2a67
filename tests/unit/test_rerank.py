"""Reranking: more is retrieved than wanted, and the best are kept in their new order."""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from graphs.catalogue import load
from groundgraph.errors import InputError, ModelError
from groundgraph.grading.cross_encoder import cross_encoder
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
