"""Rewrite a question to the search terms that documents use."""

import re

from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.errors import ModelUnavailable
from groundgraph.models import ask
from nodes.language import written_in
from nodes.model import chat_model_of
from nodes.node import Update, cost, node, said
from nodes.rewrite import MAX_CHARACTERS
from nodes.short_reply import short_reply
from state.context import Context

TERMS = {
    "en": "Rewrite the question as a search query for a collection of documents: the plain words that documents use, "
    "every name and number kept, no small talk. Reply with the query only.",
    "zh": "把问题改写成检索文档用的查询：用文档里的规范说法，保留所有名称和数字，去掉口语和客套。只回复查询。",
}

_COLLOQUIAL = re.compile(
    r"\b(hey|hi(?!-)|hello|please|pls|plz|thanks|thx|can (you|u|i|I)|could (you|u|i|I)|tell me|show me|[iI] (need|want)"
    r"|[iI]'?m looking|wonder(ing)?|gonna|wanna|gotta|kinda|sorta|stuff|(?<!\bof )thing(s|y|ies)?|lol|ugh|dunno|btw"
    r"|how come|what'?s the deal|like,|you know|guys?|u(?![.-])|ur)\b"
    r"|咋|啥|(?<![玩捉愚卖戏嘲])弄(?!堂)|搞|[咋么样能会没法别瞎]整(?![体个数理合改顿治修齐洁])|整不(?![齐洁])|整(?:一下|明白)"
    r"|呗|(?<!喇)嘛|唉|哎|请问|麻烦|帮我|告诉我|想知道|想问|有没有人|谁知道|怎么回事|怎么办|那个|玩意"
)
_FIRST_LETTER = re.compile(r"(?:^|[.!?]\s+)\W*\w")


class Asked(TypedDict):
    """The question as it stands alone."""

    query: str


@node
async def rewrite_query(state: Asked, runtime: Runtime[Context]) -> Update:
    """Set `search_query`: always, never, or (`rewrite="auto"`) where the question is colloquial."""
    wanted = runtime.context.rewrite
    if wanted == "off" or (wanted == "auto" and not is_colloquial(state["query"])):
        return {}
    return await _rewritten("rewrite_query", state["query"], runtime.context)


@node
async def rewrite_again(state: Asked, runtime: Runtime[Context]) -> Update:
    """Set `search_query` for a question that found little; left empty by `rewrite="off"`."""
    if runtime.context.rewrite == "off":
        return {}
    return await _rewritten("rewrite_again", state["query"], runtime.context)


def is_colloquial(question: str) -> bool:
    """Return whether a question holds words of conversation, which no document would use to say the same.

    A capital letter inside a sentence makes a name: `Hey Jude`, `Internet of Things`, `U.S.`.
    """
    plain = question.lower() if question.isupper() else _FIRST_LETTER.sub(lambda match: match[0].lower(), question)
    return bool(_COLLOQUIAL.search(plain))


async def _rewritten(name: str, question: str, context: Context) -> Update:
    """Return `search_query`, at most 400 characters; empty where there is no model, it is down, or says nothing new."""
    model = await chat_model_of(context)
    if model is None:
        return {"steps": said(name, "the question as it is: there is no chat model")}
    prompt = [SystemMessage(TERMS[written_in(question)]), HumanMessage(question)]
    try:
        reply = await ask(model, prompt, max_tokens=64)
    except ModelUnavailable as error:
        return {
            "warnings": [f"question not rewritten: {error}"],
            "steps": said(name, "the question as it is: the chat model is down"),
        }
    query = short_reply(reply.text)[:MAX_CHARACTERS]
    if query.casefold() == question.casefold():
        query = ""
    decision = "rewritten" if query else "the question as it is"
    return {"search_query": query, "usage": cost(reply), "steps": said(name, decision, search_query=query)}
