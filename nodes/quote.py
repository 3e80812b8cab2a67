"""Quote the best supporting sentences: an answer without a chat model."""

import asyncio
import re
import uuid
from collections.abc import Sequence
from itertools import pairwise

from langchain_core.messages import AIMessage

from groundgraph.grading.evaluator import embedded_evaluator
from groundgraph.grading.extract import RELEVANT, extractive_answer
from groundgraph.knowledge.passage import Passage
from nodes.cite import citation, with_mark
from nodes.node import Update, said
from nodes.prompt import without_marks
from nodes.stream import emit, once

_LINE = re.compile(r"[-*+•|#]|\d{1,3}[.)]\s|```|~~~")
"""How something begins that stands on a line of its own: an item, a row, a heading, a block of code."""


async def quote(question: str, passages: Sequence[Passage], *, show: bool = True, relevant: float = RELEVANT) -> Update:
    """Return an answer made of the passages' own sentences, each cited; none if no sentence supports one.

    Args:
        question: As it reads by itself.
        passages: What may be quoted.
        show: Whether to send the answer to the user's token stream.
        relevant: Score above which a passage is quoted.
    """
    found = await asyncio.to_thread(
        lambda: extractive_answer(question, passages, embedded_evaluator(), relevant=relevant)
    )
    if not found:
        return {
            "answer": "",
            "refusal_reason": "no sentence of the passages answers the question",
            "steps": said("generate", "nothing to quote"),
        }
    return await cite_all(found, passages, show=show)


async def cite_all(
    quotes: Sequence[tuple[str, int]], passages: Sequence[Passage], *, opening: str = "", show: bool = True
) -> Update:
    """Return an answer made of sentences of the passages, each with the number of its passage, after an `opening`."""
    answer = cited_quotes(quotes, opening)
    numbers = sorted({number for _, number in quotes})
    message_id = str(uuid.uuid4())
    if show:
        await emit(once(answer), message_id)
    return {
        "answer": answer,
        "passages": list(passages),
        "citations": [citation(number, passages[number - 1], answer) for number in numbers],
        "refusal_reason": "",
        "messages": [AIMessage(answer, id=message_id)],
        "steps": said("generate", "quoted", sentences=len(quotes)),
    }


def cited_quotes(quotes: Sequence[tuple[str, int]], opening: str = "") -> str:
    """Return sentences of the passages, each with the number of its passage, after an `opening`."""
    cited = [with_mark(without_marks(sentence), number) for sentence, number in quotes]
    if opening and cited[0].startswith("|"):
        opening = f"{opening.rstrip()}\n\n"
    return opening + joined(cited)


def joined(parts: Sequence[str]) -> str:
    """Return the parts in one line, or each on its own if one needs that; blank lines set a table apart."""
    if not any(map(_LINE.match, parts)):
        return " ".join(parts)
    text = parts[0]
    for before, after in pairwise(parts):
        goes_on = after.startswith("|") and before.startswith("|") and "\n" not in after
        is_table = after.startswith("|") or before.startswith("|")
        text += ("\n\n" if is_table and not goes_on else "\n") + after
    return text
