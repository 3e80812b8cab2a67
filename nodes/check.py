"""Check an answer: keep it with its citations, or none if it is a refusal or nothing in the passages supports it."""

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage

from groundgraph.knowledge.passage import Passage
from nodes.cite import MARK, add_missing, citation, cited_numbers
from nodes.node import Update, said
from nodes.score import similarity
from state.context import Context

_WORD = re.compile(r"\w")


def check(
    node: str,
    text: str,
    passages: Sequence[Passage],
    question: str,
    context: Context,
    *,
    dropped: Sequence[int] = (),
    message_id: str,
) -> Update:
    """Return `text` as the answer with its citations; none, with a `refusal_reason`, if it does not stand.

    Args:
        node: Whose step this is.
        text: As the model wrote it, marks that cite no passage removed; empty if it said that the passages do not
            answer.
        passages: What was answered from, in the order of their numbers.
        question: As it reads by itself.
        context: Of the run.
        dropped: Numbers of the marks removed.
        message_id: Of the message that streamed the answer.
    """
    warnings = [f"citation [{number}] removed: there is no passage {number}" for number in dropped]
    if not _WORD.search(MARK.sub("", text)):
        reason = "the passages do not answer the question, says the model"
        return {"answer": "", "refusal_reason": reason, "steps": said(node, "not found")}
    text = add_missing(text, passages, question, similarity(context))
    numbers = cited_numbers(text)
    if not numbers and context.require_citations:
        return {
            "answer": "",
            "refusal_reason": "the answer has no citation and no support in the passages",
            "warnings": warnings,
            "steps": said(node, "unsupported", answer=text),
        }
    return {
        "answer": text,
        "passages": list(passages),
        "citations": [citation(number, passages[number - 1], text) for number in numbers],
        "refusal_reason": "",
        "messages": [AIMessage(text, id=message_id)],
        "warnings": warnings,
        "steps": said(node, "answered", citations=numbers, passages=len(passages)),
    }
