"""Self-RAG on the embedded models: an answer that grew from rated segments, in English and in Chinese."""

import time
from typing import Any

import pytest

from graphs.self_rag import graph
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection

pytestmark = pytest.mark.local

DOCUMENTS = {
    "dose.md": "Adults take one tablet of Velorin twice a day. Children under twelve must not take it.",
    "store.md": "Velorin is stored below 25 degrees, away from light.",
    "leave.md": "员工每年享有十二天带薪年假，须提前一周申请。",
    "cats.md": "Cats purr when they are content.",
}
SECONDS = 90
CALLS = 9


@pytest.mark.parametrize(
    ("question", "answer", "source"),
    [("How often do adults take Velorin?", "twice", "dose.md"), ("员工一年有几天带薪年假？", "十二", "leave.md")],
)
def test_it_answers_from_the_document(question: str, answer: str, source: str) -> None:
    documents = [LoadedDocument(name, text) for name, text in DOCUMENTS.items()]
    Collection.open("default", create=True).add(documents)
    context: dict[str, Any] = {"chat_model": "llamacpp:qwen2.5-coder-1.5b-instruct"}
    start = time.monotonic()
    result = graph.invoke({"question": question}, context=context)
    assert answer in result["answer"], result
    assert source in [citation["source"] for citation in result["citations"]]
    assert time.monotonic() - start < SECONDS and result["usage"]["model_calls"] < CALLS
