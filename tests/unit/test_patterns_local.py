"""Each pattern on the embedded models: an answer with its citation, and a refusal."""

from typing import Any

import pytest

from graphs.catalogue import load
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection

pytestmark = pytest.mark.local

DOCUMENTS = {
    "director.md": "The film Harbour Lights was directed by Mara Lindqvist and came out in 1987.",
    "birth.md": "Mara Lindqvist was born in Uppsala and studied in Vienna.",
    "leave.md": "员工每年享有十二天带薪年假，须提前一周申请。",
    "cats.md": "Cats purr when they are content.",
}
CASES = {
    "hyde": ("员工一年有几天年假？", "十二天", "leave.md"),
    "advanced": ("Where was the director of the film Harbour Lights born?", "Uppsala", "birth.md"),
    "adaptive": ("When did the film Harbour Lights come out?", "1987", "director.md"),
    "combined": ("Who directed the film Harbour Lights?", "Lindqvist", "director.md"),
}


@pytest.mark.parametrize("pattern", CASES)
def test_it_answers_from_the_document(pattern: str) -> None:
    documents = [LoadedDocument(name, text) for name, text in DOCUMENTS.items()]
    Collection.open("default", create=True).add(documents)
    question, answer, source = CASES[pattern]
    context: dict[str, Any] = {"chat_model": "llamacpp:qwen2.5-coder-1.5b-instruct"}
    result = load(pattern).invoke({"question": question}, context=context)
    assert answer in result["answer"], result
    assert source in [citation["source"] for citation in result["citations"]]
    assert result["steps"][0]["figures"]["preset"] == "embedded"
