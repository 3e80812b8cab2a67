"""Settle by the passages' own sentences what a small chat model gets wrong: yes or no, and passages that disagree."""

import asyncio
import re

from typing_extensions import TypedDict

from groundgraph.grading.disagree import Statement, disagreement
from groundgraph.knowledge.passage import Passage
from nodes.cite import MAX_QUOTE
from nodes.language import language_of
from nodes.node import Update
from nodes.quote import cite_all, quote
from state.context import Context

Sides = tuple[Statement, Statement]

DISAGREE = {"en": "The documents disagree. ", "zh": "文档的说法不一致。"}
SETTLES = 0.65
"""Score above which a passage settles a question of yes or no.

The embedded model says yes to what the passages deny or, in Chinese, refuses; the evaluator's best sentence was right
for 23 of 24 such questions written for it in English and Chinese, and none of 6 without an answer was answered.
"""
_YES_OR_NO = re.compile(
    r"^(?:(?:and|but|so) )?(?:is|are|was|were|do|does|did|can|could|may|must|has|have|had|will|would|should|am)\b"
    r"|吗[？?\s]*$|是否|是不是|能否|可否|有没有",
    re.IGNORECASE,
)


class Grounded(TypedDict):
    """The question, how it reads by itself, its intent, and the passages to answer it from, best first."""

    question: str
    query: str
    intent: str
    passages: list[Passage]


async def settle(state: Grounded, context: Context) -> Update | None:
    """Return the answer that the passages' own sentences give; None where the chat model has to be asked.

    Both sides are quoted where two passages disagree, and one sentence for a question of yes or no.
    """
    if update := await both_sides(state, context):
        return update
    is_choice = state["intent"] == "comparative" or not _YES_OR_NO.search(state["query"])
    if is_choice or context.evaluator != "embedded":
        return None
    update = await quote(state["query"], state["passages"], relevant=SETTLES, max_sentences=1)
    return update if update["answer"] else None


async def both_sides(state: Grounded, context: Context, *, show: bool = True) -> Update | None:
    """Return what two passages say that disagree, with the warning that they do; None if no two do."""
    sides = await asyncio.to_thread(disagreement, state["query"], state["passages"])
    if sides is None:
        return None
    quotes = [(sentence, number) for number, sentence in sides]
    opening = DISAGREE[language_of(state["question"], context)]
    return {**await cite_all(quotes, state["passages"], opening=opening, show=show), "warnings": told(sides)}


def told(sides: Sides | None) -> list[str]:
    """Return the warning that two passages disagree, if they do."""
    if sides is None:
        return []
    said = "; ".join(f"[{number}] says “{sentence[:MAX_QUOTE]}”" for number, sentence in sides)
    return [f"the documents disagree: {said}"]
