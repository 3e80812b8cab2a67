"""Settle by the passages' own sentences what a small chat model gets wrong: yes or no, and passages that disagree."""

import asyncio
import re

from typing_extensions import TypedDict

from groundgraph.grading.answer_type import asks_yes_or_no
from groundgraph.grading.disagree import Statement, disagreement
from groundgraph.knowledge.passage import Passage
from nodes.cite import MAX_QUOTE, cited_numbers
from nodes.language import Language, language_of
from nodes.node import Update
from nodes.prompt import open_fence
from nodes.quote import cite_all, cited_quotes, quote
from state.context import Context

Sides = tuple[Statement, Statement]

DISAGREE = {"en": "The documents disagree. ", "zh": "文档的说法不一致。"}
ANOTHER = {"en": "Another passage says: ", "zh": "另一段落写道："}
QUOTABLE = 0.3
"""Score above which a passage that no grading has kept is quoted for a question of yes or no.

Nine in ten BoolQ questions, which say little of what the passage says, have a passage above it, and six above 0.5.
"""
_CHOICE = re.compile(r"\bor\b|还是|或者?", re.IGNORECASE)


class Grounded(TypedDict):
    """The question, how it reads by itself, its intent, and the passages to answer it from, best first."""

    question: str
    query: str
    intent: str
    passages: list[Passage]


async def settle(state: Grounded, context: Context) -> Update | None:
    """Return the answer that the passages' own sentences give; None where the chat model has to be asked.

    Both sides are quoted where two passages disagree. A small model is never asked a question of yes or no, since it
    says yes to what the passages deny: the best sentences are quoted, or none if no passage is on the subject.
    """
    if update := await both_sides(state, context):
        return update
    query, passages = state["query"], state["passages"]
    if not asks_yes_or_no(query) or (state["intent"] == "comparative" and _CHOICE.search(query)):
        return None
    graded = all(passage.tier for passage in passages)  # and kept as worth answering from, whatever they score
    return await quote(query, passages, relevant=0 if graded else QUOTABLE)


async def both_sides(state: Grounded, context: Context, *, show: bool = True) -> Update | None:
    """Return what two passages say that disagree, with the warning that they do; None if no two do."""
    sides = await asyncio.to_thread(disagreement, state["query"], state["passages"])
    if sides is None:
        return None
    quotes = [(sentence, number) for number, sentence in sides]
    opening = DISAGREE[language_of(state["question"], context)]
    return {**await cite_all(quotes, state["passages"], opening=opening, show=show), "warnings": told(sides)}


def other_side(answer: str, sides: Sides | None, language: Language) -> str:
    """Return the paragraph that an answer lacks which cites one of two sides only; empty if it cites both."""
    cited = cited_numbers(answer)
    missing = [(sentence, number) for number, sentence in sides or () if number not in cited]
    if not missing:
        return ""
    fence = open_fence(answer)
    end = f"\n{fence}\n\n" if fence else "\n\n"
    return end + cited_quotes(missing, DISAGREE[language] + (ANOTHER[language] if len(missing) == 1 else ""))


def told(sides: Sides | None) -> list[str]:
    """Return the warning that two passages disagree, if they do."""
    if sides is None:
        return []
    said = "; ".join(f"[{number}] says “{sentence[:MAX_QUOTE]}”" for number, sentence in sides)
    return [f"the documents disagree: {said}"]
