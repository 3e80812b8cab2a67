"""Quote the best supporting sentences: an answer without a chat model."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence

from langchain_core.messages import AIMessage

from groundgraph.grading.evaluator import embedded_evaluator
from groundgraph.grading.extract import extractive_answer
from groundgraph.knowledge.passage import Passage
from nodes.cite import citation, cited_numbers
from nodes.node import Update, said
from nodes.stream import emit


async def quote(question: str, passages: Sequence[Passage]) -> Update:
    """Return an answer made of the passages' own sentences, each cited; none if no sentence supports one."""
    found = await asyncio.to_thread(lambda: extractive_answer(question, passages, embedded_evaluator()))
    if not found:
        return {
            "answer": "",
            "refusal_reason": "no sentence of the passages answers the question",
            "steps": said("generate", "nothing to quote"),
        }
    answer = " ".join(f"{sentence} [{number}]" for sentence, number in found)
    message_id = str(uuid.uuid4())
    await emit(_once(answer), message_id)
    return {
        "answer": answer,
        "passages": list(passages),
        "citations": [citation(number, passages[number - 1], answer) for number in cited_numbers(answer)],
        "messages": [AIMessage(answer, id=message_id)],
        "steps": said("generate", "quoted", sentences=len(found)),
    }


async def _once(text: str) -> AsyncIterator[str]:
    yield text
