"""Receive a question: validate it, start the run clean, make a follow-up stand alone."""

import asyncio
import re
import uuid
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from groundgraph.errors import InputError, ModelUnavailable
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.web import web_provider
from groundgraph.models import Reply, ask, check_provider
from nodes.language import language_of
from nodes.model import chat_model_of
from nodes.node import Update, cost, node, said
from state.context import Context
from state.schemas import Question

MAX_CHARACTERS = 8_000
TURNS = 4
STANDALONE = "standalone"
"""Key in a human message's `additional_kwargs`: how it reads without the turns before it."""

CONDENSE = {
    "en": "Rewrite the last question so that it can be understood without the conversation: put the names that its "
    "pronouns and omissions stand for. If it already stands alone, repeat it. Reply with the question only.",
    "zh": "改写最后一个问题，使其脱离对话也能看懂：用具体名称替换代词和省略的内容。"
    "如果问题本身已经完整，就原样重复。只回复改写后的问题。",
}

_WORD = re.compile(r"\w")
_FOLLOW_UP = re.compile(
    r"\b(it|its|they|them|their|he|him|his|she|her|this|that|these|those|there|one|ones|else|more|another|former|latter)\b"
    r"|^(and|or|but|so|what about|how about|why|why not)\b"
    r"|[它他她其那这该]|呢[？?]?$|^(还有|另外|那么|为什么)",
    re.IGNORECASE,
)


@node
async def receive(state: Question, runtime: Runtime[Context]) -> Update:
    """Validate the question, reset every key of an earlier run on the thread, and set `query`.

    Raises:
        InputError: The question is missing, empty, without a word, or longer than 8,000 characters; or the context
            names a provider that there is none of.
        CollectionError: The context names a collection that there is none of.
    """
    asked, earlier = _question(state)
    _validate(asked.text)
    await asyncio.to_thread(_check_names, runtime.context)
    query, replies, warnings = await _standalone(asked, earlier, runtime.context)
    asked = asked.model_copy(update={"additional_kwargs": {**asked.additional_kwargs, STANDALONE: query}})
    follow_up = query != asked.text.strip()
    return {
        "question": asked.text,
        "query": query,
        # Overwrite, not append: LangGraph's message stream shows appended messages, and the question is no answer.
        "messages": Overwrite([*earlier, asked]),
        "answer": "",
        "citations": [],
        "passages": [],
        "web_passages": [],
        "web_query": "",
        "refused": False,
        "refusal_reason": "",
        "intent": "",
        "pattern": "",
        "search_web": False,
        "route_settings": {},
        "search_query": "",
        "hypotheticals": [],
        "query_vectors": {},
        "subquestions": [],
        "rankings": Overwrite([]),
        "hops": 0,
        "attempts": 0,
        "steps": Overwrite(
            said("receive", "follow-up" if follow_up else "question", query=query, preset=runtime.context.preset)
        ),
        "warnings": Overwrite(warnings),
        "usage": Overwrite(cost(*replies)),
    }


def _question(state: Question) -> tuple[HumanMessage, list[AnyMessage]]:
    """Return the question as a message with an id, and the turns before it.

    A last human message that no run has received yet is the newest thing said; otherwise `question` is.
    """
    messages: list[Any] = list(state.get("messages") or [])
    text = state.get("question")
    last = messages[-1] if messages else None
    if isinstance(last, HumanMessage) and (STANDALONE not in last.additional_kwargs or text in (None, last.text)):
        return last, messages[:-1]
    if text is None:
        raise InputError("no question: give `question`, or `messages` that end with a human one")
    if not isinstance(text, str):
        raise InputError(f"question={text!r}: must be text")
    return HumanMessage(text, id=str(uuid.uuid4())), messages


def _validate(text: str) -> None:
    if not text.strip():
        raise InputError("the question is empty: ask something")
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"the question has {len(text):,} characters, at most {MAX_CHARACTERS:,} may be: index long text instead"
        )
    if not _WORD.search(text):
        raise InputError(f"the question {text[:40]!r} holds no word: ask in words")


def _check_names(context: Context) -> None:
    """Raise for a name that a later node would stumble on, or never come to."""
    for name in context.collections:
        Collection.open(name, embedding_model=context.embedding_model)
    if context.web_search != "off":
        web_provider(context.web_provider)
    if context.chat_model:
        check_provider(context.chat_model)


async def _standalone(
    asked: HumanMessage, earlier: Sequence[AnyMessage], context: Context
) -> tuple[str, list[Reply], list[str]]:
    """Return the question as it reads without the earlier turns, the model calls that took, and warnings."""
    question = asked.text.strip()
    if known := asked.additional_kwargs.get(STANDALONE):
        return known, [], []
    spoken = [m for m in earlier if isinstance(m, HumanMessage | AIMessage)][-TURNS:]
    if not spoken or not _FOLLOW_UP.search(question):
        return question, [], []
    last_question = next((m.text for m in reversed(spoken) if isinstance(m, HumanMessage)), "")
    joined = f"{last_question} {question}".strip()
    model = await chat_model_of(context)
    if model is None:
        return joined, [], []
    turns = "\n".join(f"{'User' if isinstance(m, HumanMessage) else 'Assistant'}: {m.text[:500]}" for m in spoken)
    prompt = [
        SystemMessage(CONDENSE[language_of(question, context)]),
        HumanMessage(f"{turns}\nUser: {question}\n\nStandalone question:"),
    ]
    try:
        reply = await ask(model, prompt, max_tokens=96)
    except ModelUnavailable as error:
        return joined, [], [f"follow-up joined with the question before it: {error}"]
    line = reply.text.strip().splitlines()[0].strip(' "“”') if reply.text.strip() else ""
    return line if _WORD.search(line) and len(line) <= 2 * len(joined) + 80 else joined, [reply], []
