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
from nodes.prompt import CODE
from nodes.refusal import is_refusal
from nodes.retrieve_leg import leg_weights
from state.context import Context

HYPOTHESIZE = {
    "en": "Write a short passage that answers the question, as it might stand in the documents described: in their "
    "manner and with their terms, stating facts that are plausible. Reply with the passage only.",
    "zh": "写一小段能回答问题的文字，就像摘自所描述的文档：用文档的语气和术语，直接陈述合理的事实。只回复这段文字。",
}
ABOUT = {"en": "Documents: ", "zh": "文档："}
ASK = {"en": "Question: {question}\nPassage:", "zh": "问题：{question}\n段落："}

_PLACEHOLDER = re.compile(
    r"[\[<{（(【]\s*(?:(?:insert|your|placeholder|name of|fill|add|date|year|number|n/?a)\b|此处|插入|填写|填入|请|某)"
    r"[^\])>}）】]*[\])>}）】]|\bx{3,}\b|lorem ipsum|_{3,}|(?<![a-z\d])[xＸ×]+(?=[年月日元名个])"
    r"|(?<![a-z])[xＸ×]{2,}(?=[公省市县区路大先女])|(?<!\d)(?:19|20)x{2}(?![a-z\d])",
    re.IGNORECASE,
)
_BLANK = re.compile(
    r"(?<![A-Za-z0-9_\])\\])\[(?:[A-Z]|(?i:(?:[A-Z][A-Z'’]*[ _-]+)*(?:names?|amount|price|cost|fee|value|percentage"
    r"|percent|company|person|city|country|location|place|address|title|position|department|product|duration|period"
    r"|time|day|month|year|number|reason|topic|description|details))"
    r"|[\u4e00-\u9fff]{0,8}(?:名称|姓名|名字|金额|价格|数字|数量|人数|比例|日期|时间|期限|年份|[年月日]|地点|地址|城市"
    r"|国家|公司|部门|职位|产品|电话|原因|内容))\](?![(\[:A-Za-z])"
    r"|(?<![\w}^\\])\{{1,2}[A-Za-z]{3,}(?:[ _][A-Za-z]+)*\}{1,2}"
)
"""A bracket to be filled in: `[Company Name]`, `[X]`, `[amount]`, `[公司名称]`, `{company_name}`.

None are `[1]`, `[sic]`, `[Ctrl]`, a link of Markdown, and `x[i]` or `^{max}` in mathematics.
"""
_LITERAL = re.compile(
    rf"{CODE.pattern}|\$(?=\S)[^$\n]+(?<=\S)\$(?!\d)|\\\(.*?\\\)|\\\[[\s\S]*?\\\]|(?m:^\s*[-*+] \[[ xX]\])"
)
"""Code, mathematics, and the box of a list of tasks."""
_WORD = re.compile(r"\w{2}")
_LONGEST_TOKEN = 8
"""Characters of a token at most, on average: an endpoint that writes more than that has ignored `max_tokens`."""


class Asked(TypedDict):
    """The question as it stands alone, and what is searched for it."""

    query: str
    collections: list[str]


@node
async def hypothesize(state: Asked, runtime: Runtime[Context]) -> Update:
    """Set `hypotheticals`: at most `hyde.k`, in the question's language and the collections' manner.

    They end at `hyde.max_tokens` also where the endpoint has no such limit, since all of a text is embedded.

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
    longest = _LONGEST_TOKEN * hyde.max_tokens
    kept = [reply.text.strip()[:longest] for reply in replies if says_something(reply.text)]
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
    blank = _PLACEHOLDER.search(text) or _BLANK.search(_LITERAL.sub(" ", text))
    return bool(_WORD.search(text)) and not is_refusal(text) and not blank


def _prompt(question: str, descriptions: Sequence[str]) -> list[BaseMessage]:
    language = written_in(question)
    about = f"{ABOUT[language]}{escape('; '.join(descriptions))}\n" if descriptions else ""
    return [SystemMessage(HYPOTHESIZE[language]), HumanMessage(about + ASK[language].replace("{question}", question))]


def _descriptions(collections: Sequence[str]) -> list[str]:
    """Return what the collections are said to hold."""
    described = (Collection.open(name).info().description.strip() for name in collections)
    return [description for description in described if description]
