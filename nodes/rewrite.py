"""Rewrite the question to the query of a web search."""

from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.errors import ModelUnavailable
from groundgraph.models import ask
from nodes.language import language_of
from nodes.model import chat_model_of
from nodes.node import Update, cost, node, said
from nodes.short_reply import short_reply
from state.context import Context

MAX_CHARACTERS = 400
"""Longest query that the search providers take."""

WEB_QUERY = {
    "en": "Turn the question into a web search query of at most eight words: names, terms and dates, no filler. "
    "Reply with the query only.",
    "zh": "把问题改写成网络搜索用的查询词，最多八个词：只留名称、术语和日期。只回复查询词。",
}


class Asked(TypedDict):
    """The question as it stands alone."""

    query: str


@node
async def rewrite(state: Asked, runtime: Runtime[Context]) -> Update:
    """Set `web_query`, at most 400 characters; the question itself is kept as it is.

    Without a chat model, or when it is down, the question is the query.
    """
    question, context = state["query"], runtime.context
    model = await chat_model_of(context)
    if model is None:
        return _sets(question, "the question as it is")
    prompt = [SystemMessage(WEB_QUERY[language_of(question, context)]), HumanMessage(question)]
    try:
        reply = await ask(model, prompt, max_tokens=48)
    except ModelUnavailable as error:
        return {**_sets(question, "the question as it is"), "warnings": [f"web query not rewritten: {error}"]}
    query = short_reply(reply.text)
    return {**_sets(query or question, "rewritten" if query else "the question as it is"), "usage": cost(reply)}


def _sets(query: str, decision: str) -> Update:
    cut = _cut(query)
    return {"web_query": cut, "steps": said("rewrite", decision, web_query=cut)}


def _cut(query: str) -> str:
    """Return the query within the limit, cut after a word unless that loses half of it, as in Chinese."""
    if len(query) <= MAX_CHARACTERS:
        return query
    space = query.rfind(" ", 0, MAX_CHARACTERS + 1)
    return query[: space if space > MAX_CHARACTERS / 2 else MAX_CHARACTERS]
