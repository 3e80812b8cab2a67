"""Refuse: say that the documents do not answer, in the question's language, and nothing else."""

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.language import language_of
from nodes.node import Update, node, said
from nodes.reason import in_language
from state.context import Context

REFUSAL = {
    "en": "I could not find an answer to this in your documents.",
    "zh": "在您的文档中没有找到这个问题的答案。",
}


class Unanswered(TypedDict):
    """A question that stays without an answer, and why."""

    question: str
    refusal_reason: str


@node
def refuse(state: Unanswered, runtime: Runtime[Context]) -> Update:
    """Set the refusal as the answer, without citations or passages; the reason too is in the question's language."""
    language = language_of(state["question"], runtime.context)
    text = REFUSAL[language]
    reason = state["refusal_reason"] or "the passages do not answer the question"
    return {
        "answer": text,
        "citations": [],
        "passages": [],
        "refused": True,
        "refusal_reason": in_language(reason, language),
        "messages": [AIMessage(text)],
        "steps": said("refuse", reason),
    }
