"""Decide whether the next segment needs documents (Self-RAG, arXiv:2310.11511)."""

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.errors import ModelUnavailable
from groundgraph.grading.need import Need, need_of, need_shares
from groundgraph.models import ask
from nodes.language import written_in
from nodes.model import capped, pattern_model
from nodes.node import Update, cost, node, said
from state.context import Context
from state.schemas import Segment

FIRST = {
    "en": "Decide whether a message needs the user's documents. Reply with one word: yes if it asks for any fact, "
    "number, name, rule or explanation; no only if it asks for none, as a greeting, thanks or small talk does.",
    "zh": "判断一条消息是否需要查阅用户的文档。只回答一个词：只要它询问任何事实、数字、名称、规定或解释，就回答 yes；"
    "只有当它什么都不问（如问候、致谢、闲聊）时才回答 no。",
}
NEXT = {
    "en": "An answer is being written from documents. Reply with one word: no if it is complete; yes if a fact is "
    "missing for which the documents must be searched again; continue if what was found before holds more.",
    "zh": "正在根据文档写一个答案。只回答一个词：答案已经完整就回答 no；还缺少需要重新检索的事实就回答 yes；"
    "已找到的段落里还有可写的内容就回答 continue。",
}
SO_FAR = {"en": "Question: {question}\n\nAnswer so far: {answer}", "zh": "问题：{question}\n\n目前的答案：{answer}"}
TOP_TOKENS = 20


class Answering(TypedDict):
    """The question, and the answer to it so far."""

    query: str
    answer: str
    accepted: list[Segment]
    warnings: list[str]


class Decided(TypedDict):
    """Whether to retrieve, and whether something was written yet."""

    need: Need
    accepted: list[Segment]


@node
async def decide(state: Answering, runtime: Runtime[Context]) -> Update:
    """Set `need`: yes; no where the question asks for nothing, or the answer is complete; continue amid an answer.

    It is no where yes and continue have at most the share `self_rag.retrieval_threshold` of the model's reply. What
    cannot be read retrieves at first, and later goes on.

    Raises:
        ModelError: The run has no chat model, or it refuses to work for us.
    """
    context, self_rag = runtime.context, runtime.context.self_rag
    model = await pattern_model(context)
    if self_rag.retrieval == "always":
        return {"need": "yes", "steps": said("decide", "yes: always")}
    in_doubt: Need = "continue" if state["accepted"] else "yes"
    try:
        reply = await ask(model, _prompt(state), max_tokens=8, top_logprobs=TOP_TOKENS)
    except ModelUnavailable as error:
        steps = said("decide", f"{in_doubt}: the chat model is down")
        return {"need": in_doubt, "warnings": [f"need of retrieval not decided: {error}"], "steps": steps}
    shares, warnings = need_shares(reply.text, reply.logprobs), capped([reply], state["warnings"])
    if shares is None:
        warnings += [f"need of retrieval not decided: {reply.text[:60]!r} is neither yes nor no"]
        steps = said("decide", f"{in_doubt}: the reply cannot be read")
        return {"need": in_doubt, "warnings": warnings, "usage": cost(reply), "steps": steps}
    need = need_of(shares, self_rag.retrieval_threshold)
    if need == "continue" and not state["accepted"]:
        need = "yes"
    return {"need": need, "warnings": warnings, "usage": cost(reply), "steps": said("decide", need, **shares)}


def _prompt(state: Answering) -> list[BaseMessage]:
    question = state["query"]
    language = written_in(question)
    if not state["accepted"]:
        return [SystemMessage(FIRST[language]), HumanMessage(question)]
    so_far = SO_FAR[language].replace("{answer}", state["answer"]).replace("{question}", question)
    return [SystemMessage(NEXT[language]), HumanMessage(so_far)]
