"""Check an answer: keep it with its citations, or none if it is a refusal or nothing in the passages supports it."""

import asyncio
import re
import uuid
from collections.abc import Sequence

from langchain_core.messages import AIMessage

from groundgraph.grading.disagree import disagreement
from groundgraph.knowledge.passage import Passage
from nodes.cite import MARK, add_missing, citation, cited_numbers
from nodes.language import language_of
from nodes.node import Update, said
from nodes.score import similarity
from nodes.settle import other_side, told
from nodes.stream import emit, once
from state.context import Context

_WORD = re.compile(r"\w")


async def check(
    node: str,
    text: str,
    passages: Sequence[Passage],
    question: str,
    context: Context,
    *,
    dropped: Sequence[int] = (),
    message_id: str = "",
) -> Update:
    """Return `text` as the answer with its citations; none, with a `refusal_reason`, if it does not stand.

    Where two passages disagree and it cites one of them only, the other one is quoted after it, with a warning. What
    of the answer the user has not seen is streamed.

    Args:
        node: Whose step this is.
        text: As the model wrote it, marks that cite no passage removed; empty if it said that the passages do not
            answer.
        passages: What was answered from, in the order of their numbers.
        question: As it reads by itself.
        context: Of the run.
        dropped: Numbers of the marks removed.
        message_id: Of the message that streamed the text; empty if it is not shown yet.
    """
    warnings = [f"citation [{number}] removed: there is no passage {number}" for number in dropped]
    if not _WORD.search(MARK.sub("", text)):
        reason = "the passages do not answer the question, says the model"
        return {"answer": "", "refusal_reason": reason, "steps": said(node, "not found")}
    text = await asyncio.to_thread(lambda: add_missing(text, passages, question, similarity(context)))
    if not cited_numbers(text) and context.require_citations:
        return {
            "answer": "",
            "refusal_reason": "the answer has no citation and no support in the passages",
            "warnings": warnings,
            "steps": said(node, "unsupported", answer=text),
        }
    sides = await asyncio.to_thread(disagreement, question, passages)
    more = other_side(text, sides, language_of(question, context))
    if unseen := more if message_id else text + more:
        message_id = message_id or str(uuid.uuid4())
        await emit(once(unseen), message_id)
    answer = text + more
    numbers = cited_numbers(answer)
    return {
        "answer": answer,
        "passages": list(passages),
        "citations": [citation(number, passages[number - 1], answer) for number in numbers],
        "refusal_reason": "",
        "messages": [AIMessage(answer, id=message_id)],
        "warnings": [*warnings, *told(sides)],
        "steps": said(node, "answered", citations=numbers, passages=len(passages)),
    }
