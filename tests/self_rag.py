"""What the tests of Self-RAG with a prompted critic share: a model's lines by what it is asked for."""

from typing import Any

from graphs.self_rag import graph
from tests.scripted import Line, Matcher

TOWER = "The Eiffel Tower is 330 metres tall."
BUILT = "The Eiffel Tower was built by Gustave Eiffel."
CATS = "Cats purr."
QUESTION = "How tall is the Eiffel Tower, and who built it?"
NEEDS, NEXT, WRITES, GOES_ON, RATES, REWRITES = (
    "needs the user's documents", "An answer is being written", "something else", "You have begun", "Rate your",
    "Rewrite the question",
)  # fmt: skip


def ask(model: str, question: str = QUESTION, **settings: Any) -> dict[str, Any]:
    return graph.invoke({"question": question}, context={"chat_model": model, **settings})


def path(result: dict[str, Any]) -> list[str]:
    return [step["node"] for step in result["steps"]]


def steps(result: dict[str, Any], node: str) -> list[Any]:
    return [step for step in result["steps"] if step["node"] == node]


def writes(source: str, text: str, **options: Any) -> Line:
    """Say this where a segment is to be written from the passage that holds `source`."""
    return Line(lambda prompt: WRITES in prompt and RATES not in prompt and source in prompt, text, **options)


def rates(of: str, relevance: int | str, support: int | str, utility: int | str) -> list[Line]:
    """Rate the reply that holds `of`, each aspect in a call of its own."""

    def about(aspect: str) -> Matcher:
        return lambda prompt: RATES in prompt and f"ai: {of}" in prompt and f"{aspect}:" in prompt.rpartition(RATES)[2]

    said = {"relevance": relevance, "support": support, "utility": utility}
    return [Line(about(aspect), str(score)) for aspect, score in said.items()]
