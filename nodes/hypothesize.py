"""Write hypothetical documents: what a passage that answers the question might say (HyDE, arXiv:2212.10496)."""

import asyncio
import re
from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.knowledge.index import Collection
from groundgraph.models import Reply, ask_several
from groundgraph.models.escape import escape
from nodes.language import written_in
from nodes.model import pattern_model
from nodes.node import Update, cost, node, said
from nodes.retrieve_leg import leg_weights
from state.context import Context

HYPOTHESIZE = {
    "en": "Write a short passage that answers the question, as it might stand in the documents described: in their "
    "manner and with their terms, stating facts that are plausible. Reply with the passage only.",
    "zh": "写一小段能回答问题的文字，就像摘自所描述的文档：用文档的语气和术语，直接陈述合理的事实。只回复这段文字。",
}
ABOUT = {"en": "Documents: ", "zh": "文档："}
ASK = {"en": "Question: {question}\nPassage:", "zh": "问题：{question}\n段落："}

_REFUSAL = re.compile(
    r"\W*(?:i(?:'m| am)? (?:sorry|do(?:n't| not) (?:know|have)|cannot|can't|can not|am unable|'m not able|am not able)"
    r"|sorry|apologies|unfortunately,? i|as an ai|no (?:information|answer)|not found|unknown\W*$"
    r"|th(?:e|is|ese) (?:given |provided )?(?:passages?|documents?|texts?) do(?:es)?(?:n't| not) "
    r"(?:mention|provide|contain|specify|say|state|answer|give)"
    r"|抱歉|对不起|很遗憾|我(?:不知道|无法|不能|不清楚|没有)|作为一?[个名]?(?:ai|人工智能)|无法(?:回答|提供)|未找到|没有找到"
    r"|[该本这]?(?:段落|段文字|文档|文本)中?(?:没有|并?未)(?:提及|提到|提供|说明))",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"[\[<{（(【]\s*(?:(?:insert|your|placeholder|name of|fill|add|date|year|number|n/?a)\b|此处|插入|填写|填入|请|某)"
    r"[^\])>}）】]*[\])>}）】]|\bx{3,}\b|lorem ipsum|_{3,}",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w{2}")


class Asked(TypedDict):
    """The question as it stands alone, and what is searched for it."""

    query: str
    collections: list[str]


@node
async def hypothesize(state: Asked, runtime: Runtime[Context]) -> Update:
    """Set `hypotheticals`: at most `hyde.k`, in the question's language and the collections' manner.

    What says nothing, refuses or leaves blanks is dropped, and what could not be written costs a warning.

    Raises:
        ModelError: The run has no chat model, or it refuses to work for us.
    """
    context, hyde = runtime.context, runtime.context.hyde
    model = await pattern_model(context)
    if "vector" not in leg_weights(context):
        return {"hypotheticals": [], "steps": said("hypothesize", "none: the search goes by words alone")}
    prompt = _prompt(state["query"], await asyncio.to_thread(_descriptions, state["collections"]))
    written = await ask_several(
        model,
        prompt,
        hyde.k,
        max_tokens=hyde.max_tokens,
        temperature=hyde.temperature,
        max_concurrency=context.max_concurrency,
    )
    replies = [reply for reply in written if isinstance(reply, Reply)]
    failures = dict.fromkeys(str(failed) for failed in written if not isinstance(failed, Reply))
    kept = [reply.text.strip() for reply in replies if says_something(reply.text)]
    warnings = [f"{len(written) - len(replies)} of {hyde.k} hypothetical documents failed: {f}" for f in failures]
    if not kept:
        warnings.append("no hypothetical document can be used: the question itself was searched for")
    return {
        "hypotheticals": kept,
        "warnings": warnings,
        "usage": cost(*replies),
        "steps": said("hypothesize", f"{len(kept)} of {hyde.k} kept", hypotheticals=kept),
    }


def says_something(text: str) -> bool:
    """Return whether a hypothetical document is one: not empty, not a refusal, without blanks to be filled in."""
    return bool(_WORD.search(text)) and not _REFUSAL.match(text) and not _PLACEHOLDER.search(text)


def _prompt(question: str, descriptions: Sequence[str]) -> list[BaseMessage]:
    language = written_in(question)
    about = f"{ABOUT[language]}{escape('; '.join(descriptions))}\n" if descriptions else ""
    return [SystemMessage(HYPOTHESIZE[language]), HumanMessage(about + ASK[language].replace("{question}", question))]


def _descriptions(collections: Sequence[str]) -> list[str]:
    """Return what the collections are said to hold."""
    described = (Collection.open(name).info().description.strip() for name in collections)
    return [description for description in described if description]
