"""Supplement: what the chat model knows by itself, said to be that, where the documents do not answer."""

import uuid

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.errors import ModelUnavailable
from groundgraph.knowledge.passage import Passage
from groundgraph.models import ask
from nodes.answer_filter import AnswerFilter
from nodes.language import language_of
from nodes.model import required_chat_model
from nodes.node import Update, cost, node, said
from nodes.stream import emit, once
from state.context import Context

KNOWN = {
    "en": "Answer the question from your own knowledge in one to three short sentences, without citations. If you are "
    "not sure, reply NOT FOUND.",
    "zh": "请凭你自己的知识，用一到三句简短的话回答问题，不要标注出处。如果不确定，就回复：未找到。",
}
MARKED = {
    "en": "Not from your documents, but from the language model's own knowledge, unchecked: ",
    "zh": "以下内容不是来自您的文档，而是语言模型自己的知识，未经核实：",
}


class Unanswered(TypedDict):
    """A question that the documents do not answer."""

    question: str
    query: str


@node
async def supplement(state: Unanswered, runtime: Runtime[Context]) -> Update:
    """Set `answer` to the model's own, marked so, without citations; leave it empty where the model knows none.

    The one entry of `passages` is what the model wrote, of origin `model`.

    Raises:
        ModelError: The chat model refuses to work for us.
    """
    context = runtime.context
    model = await required_chat_model(context, "adaptive.supplement")
    language = language_of(state["question"], context)
    try:
        reply = await ask(
            model, [SystemMessage(KNOWN[language]), HumanMessage(state["query"])], max_tokens=context.max_tokens
        )
    except ModelUnavailable as error:
        return {
            "answer": "",
            "warnings": [f"nothing supplemented: {error}"],
            "steps": said("supplement", "the chat model is down"),
        }
    written = AnswerFilter(passages=())  # takes out citations, and a refusal
    own = "".join([*written.feed(reply.text), *written.close()]).strip()
    if not own:
        return {"answer": "", "usage": cost(reply), "steps": said("supplement", "the model does not know either")}
    text, message_id = MARKED[language] + own, str(uuid.uuid4())
    await emit(once(text), message_id)
    return {
        "answer": text,
        "citations": [],
        "passages": [Passage(page_content=own, source=model, origin="model", end=len(own))],
        "refusal_reason": "",
        "messages": [AIMessage(text, id=message_id)],
        "usage": cost(reply),
        "steps": said("supplement", "answered from the model's own knowledge"),
    }
