"""Receive a question: validate it, start the run clean, make a follow-up stand alone."""

import asyncio
import re
import uuid
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from groundgraph.errors import InputError
from groundgraph.knowledge.choose import named
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.web import check_web_provider
from groundgraph.models import check_provider
from nodes.node import Update, cost, node, said
from nodes.standalone import STANDALONE, standalone
from state.context import Context
from state.schemas import NO_DRAFT, Question

MAX_CHARACTERS = 8_000
_WORD = re.compile(r"\w")


@node
async def receive(state: Question, runtime: Runtime[Context]) -> Update:
    """Validate the question, reset every key of an earlier run on the thread, and set `query` and `collections`.

    Raises:
        InputError: The question is missing, empty, without a word, or longer than 8,000 characters; or the context
            names a provider that there is none of.
        CollectionError: The context or the route names a collection that there is none of.
    """
    asked, earlier = _question(state)
    _validate(asked.text)
    route = state.get("route") or {}
    collections = await asyncio.to_thread(_checked_names, runtime.context, route.get("collections"))
    query, replies, warnings = await standalone(asked, earlier, runtime.context)
    asked = asked.model_copy(update={"additional_kwargs": {**asked.additional_kwargs, STANDALONE: query}})
    follow_up = query not in asked.text
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
        "collections": collections,
        "intent": route.get("intent", ""),
        "route": {},
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
        "draft": NO_DRAFT,
        "current": [],
        "shown": [],
        "draft_queries": [],
        "retrievals": 0,
        "sentences": [],
        "found": [],
        "tried": [],
        "candidates": [],
        "segments": [],
        "best": None,
        "accepted": [],
        "searched_for": [],
        "complete": False,
        "beams": [],
        "depth": 0,
        "failure": "",
        "message_id": "",
        "steps": Overwrite(
            said("receive", "follow-up" if follow_up else "question", query=query, preset=runtime.context.preset)
        ),
        "warnings": Overwrite(warnings),
        "usage": Overwrite(cost(*replies)),
    }


def _question(state: Question) -> tuple[HumanMessage, list[AnyMessage]]:
    """Return the question as a message with an id, and the turns before it.

    A last human message that no run has received yet is the newest thing said; otherwise `question` is. Beside such a
    message, `question` may only repeat it, or be what the thread remembers of the run before.

    Raises:
        InputError: There is no question, or there are two.
    """
    messages: list[Any] = _heard_once(state.get("messages") or [])
    text = state.get("question")
    last = messages[-1] if messages else None
    if isinstance(last, HumanMessage) and (STANDALONE not in last.additional_kwargs or text in (None, last.text)):
        if str(text or "").strip() not in ("", last.text.strip(), (_last_received(messages) or "").strip()):
            raise InputError(
                f"question={_short(text)!r} beside `messages` that end with the human one {_short(last.text)!r}: "
                "ask one of them"
            )
        return last, messages[:-1]
    if text is None:
        raise InputError("no question: give `question`, or `messages` that end with a human one")
    if not isinstance(text, str):
        raise InputError(f"question={text!r}: must be text")
    return HumanMessage(text, id=str(uuid.uuid4())), messages


def _last_received(messages: Sequence[AnyMessage]) -> str | None:
    """Return the last question that a run has received."""
    return next((m.text for m in reversed(messages) if STANDALONE in m.additional_kwargs), None)


def _short(value: object) -> object:
    return value[:40] if isinstance(value, str) else value


def _heard_once(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return the messages without the turns that a caller has sent again on a thread that remembers them."""
    received = [place for place, message in enumerate(messages) if STANDALONE in message.additional_kwargs]
    humans = [place for place, message in enumerate(messages) if isinstance(message, HumanMessage)]
    if not received or humans[-1] == received[-1]:
        return list(messages)
    new = next(place for place in humans if place > received[-1])
    old, fresh = messages[:new], messages[new:]
    for again in range(min(len(old), len(fresh) - 1), 0, -1):
        if [(m.type, m.text) for m in old[-again:]] == [(m.type, m.text) for m in fresh[:again]]:
            return [*old, *fresh[again:]]
    return list(messages)


def _validate(text: str) -> None:
    if not text.strip():
        raise InputError("the question is empty: ask something")
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"the question has {len(text):,} characters, at most {MAX_CHARACTERS:,} may be: index long text instead"
        )
    if not _WORD.search(text):
        raise InputError(f"the question {text[:40]!r} holds no word: ask in words")


def _checked_names(context: Context, routed: Sequence[str] | None) -> list[str]:
    """Return the collections there are to search; raise for a name that a later node would stumble on."""
    names = named(routed or context.collections)
    for name in names:
        Collection.open(name, embedding_model=context.embedding_model)
    check_web_provider(context.web_provider)
    if context.chat_model:
        check_provider(context.chat_model)
    return names
