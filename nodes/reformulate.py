"""Reformulate the query after passages that did not answer (Self-RAG, arXiv:2310.11511)."""

from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.errors import ModelUnavailable
from groundgraph.models import ask
from nodes.language import written_in
from nodes.model import pattern_model
from nodes.node import Update, cost, node, said
from nodes.rewrite import MAX_CHARACTERS
from nodes.rewrite_query import TERMS
from nodes.short_reply import short_reply
from state.context import Context

AGAIN = {
    "en": "{question}\n\nThese queries found nothing that answers it, so use other words:\n{queries}",
    "zh": "{question}\n\n下列查询没有找到答案，请换用别的说法：\n{queries}",
}


class Poor(TypedDict):
    """A question for which too little was found, and what was searched for beside it."""

    query: str
    searched_for: list[str]
    attempts: int


@node
async def reformulate(state: Poor, runtime: Runtime[Context]) -> Update:
    """Set `search_query` to one that was not tried; left empty where the model is down or has none.

    Raises:
        ModelError: The chat model refuses to work for us.
    """
    question, tried = state["query"], state["searched_for"]
    model = await pattern_model(runtime.context)
    language = written_in(question)
    asked = question
    if tried:
        listed = "\n".join(f"- {query}" for query in tried)
        asked = AGAIN[language].replace("{queries}", listed).replace("{question}", question)
    attempts = state["attempts"] + 1
    try:
        reply = await ask(model, [SystemMessage(TERMS[language]), HumanMessage(asked)], max_tokens=64)
    except ModelUnavailable as error:
        return {
            "search_query": "",
            "attempts": attempts,
            "warnings": [f"question not rewritten: {error}"],
            "steps": said("reformulate", "the question as it is: the chat model is down"),
        }
    query = short_reply(reply.text)[:MAX_CHARACTERS]
    if query.casefold() in {one.casefold() for one in (question, *tried)}:
        query = ""
    return {
        "search_query": query,
        "searched_for": [*tried, query] if query else tried,
        "attempts": attempts,
        "usage": cost(reply),
        "steps": said("reformulate", "rewritten" if query else "the question as it is", search_query=query),
    }
