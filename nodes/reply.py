"""Reply to small talk without retrieval."""

import uuid

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.errors import ModelUnavailable
from groundgraph.models import Reply
from nodes.answer_filter import AnswerFilter
from nodes.language import language_of
from nodes.model import chat_model_of
from nodes.node import Update, cost, node, said
from nodes.stream import accepted, emit
from state.context import Context

SMALLTALK = {
    "en": "You are groundgraph, which answers questions from the user's documents. The user is making small talk: "
    "reply in one short, friendly sentence and offer to look something up. State no facts.",
    "zh": "你是groundgraph，根据用户的文档回答问题。用户在闲聊：用一句简短友好的话回应，并表示可以帮忙查找资料。"
    "不要陈述任何事实。",
}
GREETING = {
    "en": "Hello! Ask me something about your documents.",
    "zh": "您好！请就您的文档提问。",
}


class Asked(TypedDict):
    """What was said."""

    question: str


@node
async def reply(state: Asked, runtime: Runtime[Context]) -> Update:
    """Answer in one friendly sentence, streamed; with a fixed one if there is no chat model or it is down."""
    context = runtime.context
    language = language_of(state["question"], context)
    prompt = [SystemMessage(SMALLTALK[language]), HumanMessage(state["question"])]
    replies: list[Reply] = []
    friendly = AnswerFilter(passages=())  # takes out citations: nothing was retrieved
    message_id = str(uuid.uuid4())
    warnings = []
    if model := await chat_model_of(context):
        try:
            await emit(accepted(model, prompt, 64, friendly, replies), message_id)
        except ModelUnavailable as error:
            warnings = [f"replied without the chat model: {error}"]
    text = (friendly.text.strip() if replies else "") or GREETING[language]
    return {
        "answer": text,
        "messages": [AIMessage(text, id=message_id)],
        "warnings": warnings,
        "usage": cost(*replies),
        "steps": said("reply", "small talk, nothing retrieved"),
    }
