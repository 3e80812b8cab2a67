"""What the tests of FLARE share: a shelf of passages, and models that are more or less sure of what they say."""

from collections.abc import Mapping
from typing import Any

import pytest

from graphs.flare import graph
from groundgraph.knowledge.search import SearchResult
from tests.doubles import FixedSearch, passage
from tests.logprobs import logprobs_of
from tests.scripted import Line

TOWER = "The Eiffel Tower is 330 metres tall."
BUILT = "The Eiffel Tower was built by Gustave Eiffel."
QUESTION = "How tall is the Eiffel Tower?"
ASK, GO_ON, GUESS = "something else", "You have begun the answer", "plausible names"


def says(when: Any, text: str, weak: Mapping[str, float] | None = None, **options: Any) -> Line:
    """Say this, each token with probability 0.95 but for the weak ones."""
    return Line(when, text, logprobs=logprobs_of(text, weak), **options)


def first(prompt: str) -> bool:
    return ASK in prompt and GO_ON not in prompt


def ask(model: str, question: str = QUESTION, **settings: Any) -> dict[str, Any]:
    return graph.invoke({"question": question}, context={"chat_model": model, **settings})


def path(result: dict[str, Any]) -> list[str]:
    return [step["node"] for step in result["steps"][2:]]  # without receive and retrieve


def figures(result: dict[str, Any], node: str) -> list[dict[str, Any]]:
    return [step["figures"] for step in result["steps"] if step["node"] == node]


class Shelf(FixedSearch):
    """Finds a passage by a word of the query; the question finds the first one."""

    def __call__(self, query: str, collections: Any, *, k: int, **options: Any) -> SearchResult:
        super().__call__(query, collections, k=k, **options)
        found = [one for one in self.passages[1:] if one.source in query] or self.passages[:1]
        return SearchResult(found[:k], [])


def stock(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """Make retrieval find what stands on a shelf."""
    shelf = Shelf([passage(TOWER, "tower"), passage(BUILT, "Gustave"), passage("Gustave died in Paris.", "died")])
    for module in ("nodes.retrieve", "nodes.retrieve_next"):
        monkeypatch.setattr(f"{module}.search", shelf)
    return shelf
