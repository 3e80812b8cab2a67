"""FLARE on the embedded chat model, in English and in Chinese: cited answers of few calls."""

from typing import Any

import pytest

from graphs.flare import graph
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection

DOCUMENTS = {
    "kettle.md": "The kettle K2 is made of steel. It holds 1.7 litres. Its maker is the Halden company.",
    "halden.md": "The Halden company was founded in 1921 in the Norwegian town of Moss.",
    "茶壶.md": "青山茶壶用紫砂制成，容量为350毫升。它由宜兴的陆家作坊生产。",
    "陆家.md": "陆家作坊成立于1868年，创办人是陆文清。",
}


def ask(question: str, **settings: Any) -> dict[str, Any]:
    Collection.open("shop", create=True).add([LoadedDocument(name, text) for name, text in DOCUMENTS.items()])
    context = {"collections": ["shop"], "top_k": 1, "chat_model": "llamacpp:qwen2.5-coder-1.5b-instruct", **settings}
    return graph.invoke({"question": question}, context=context)


@pytest.mark.local
def test_english() -> None:
    result = ask("What is the kettle K2 made of, and how much does it hold?")
    accepted = [step["figures"] for step in result["steps"] if step["node"] == "append"]
    assert "steel" in result["answer"] and "1.7" in result["answer"] and "[1]" in result["answer"]
    assert all(0 < figures["confidence"] <= 1 for figures in accepted)
    assert result["usage"]["model_calls"] <= 2 * len(accepted) and result["warnings"] == []


@pytest.mark.local
def test_chinese_and_a_search_for_what_is_uncertain() -> None:
    """With θ=1 every sentence is searched for."""
    result = ask("青山茶壶由谁生产？", flare={"theta": 1.0, "max_steps": 2})
    assert "陆家" in result["answer"] and "[1]" in result["answer"]
    assert result["citations"][0]["source"] == "茶壶.md"
    assert "retrieve_next" in [step["node"] for step in result["steps"]]
