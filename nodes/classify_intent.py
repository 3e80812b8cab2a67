"""Classify the question's intent, and name the pattern that answers it."""

import asyncio
from typing import Any, Literal, get_args

from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.errors import InputError, ModelUnavailable
from groundgraph.grading.intent import classify_intent as embedded_intent
from groundgraph.models import Reply, ask
from nodes.courtesy import beside_courtesies
from nodes.model import NEEDS_MODEL, chat_model_of, required_chat_model
from nodes.node import Update, cost, node, said
from nodes.short_reply import short_reply
from nodes.smalltalk import is_about_the_assistant, may_be_answered
from state.blocks import RouterSettings
from state.context import Context

Pattern = Literal["reply", "naive", "hyde", "advanced", "flare", "crag", "adaptive", "self_rag", "combined"]

TABLE: dict[str, Pattern] = {
    "smalltalk": "reply",
    "simple_fact": "crag",
    "knowledge": "advanced",
    "comparative": "advanced",
    "multi_hop": "advanced",
    "entity_relation": "advanced",
    "long_document": "advanced",
    "long_answer": "flare",
    "vague": "hyde",
    "current_events": "crag",
    "high_stakes": "self_rag",
}
"""The one table from intent to pattern; `Context.router.table` overrides rows of it."""

SETTINGS: dict[str, dict[str, Any]] = {
    "knowledge": {"rerank": "evaluator"},
    "multi_hop": {"advanced": {"decompose": "model"}},
    "high_stakes": {"preset": "strict"},
}
"""Settings that an intent's questions are answered with, unless a person has set them."""

IN_PLACE: Pattern = "crag"
"""What answers in place of a pattern that needs a chat model, in a run without one."""

SURE_OF_SMALLTALK = 0.9
"""Confidence that small talk needs, since what it answers is answered without the documents.

Beside their greetings and thanks, all 40 pieces of small talk that the classifier is checked with have it, and none of
the 430 other utterances: one reaches 0.77.
"""

CLASSIFY = "Name the intent of the user's message. Reply with one of these words only: " + ", ".join(TABLE)


class Asked(TypedDict):
    """The question as it stands alone."""

    query: str


class Routed(TypedDict):
    """Where the question goes."""

    pattern: Pattern


@node
async def classify_intent(state: Asked, runtime: Runtime[Context]) -> Update:
    """Set `intent`, `pattern` and `route_settings`; a forced pattern skips classification, doubt goes to the default.

    What is said beside greetings and thanks decides: "Thank you letter template?" is no small talk. Nor is, whatever
    the classifier says, a question that is not about the assistant itself: "Do you have parking?".

    Raises:
        InputError: The context names a pattern that the router does not have.
    """
    context, router = runtime.context, runtime.context.router
    _known(router)
    if router.pattern:
        return {
            "pattern": router.pattern,
            "route_settings": {},
            "steps": said("classify_intent", f"forced → {router.pattern}", pattern=router.pattern),
        }
    asked = beside_courtesies(state["query"])
    needs_no_search = not asked or any(map(is_about_the_assistant, (asked, state["query"])))
    if needs_no_search:
        scores, replies, warnings = {"smalltalk": 1.0}, list[Reply](), list[str]()
    elif router.classifier == "llm":
        scores, replies, warnings = await _by_model(asked, context)
    else:
        scores, replies, warnings = await asyncio.to_thread(_by_head, asked), [], []
    intent, confidence = next(iter(scores.items()))
    pattern, why = pattern_of(intent, confidence, router)
    if why == "smalltalk" and pattern == "reply" and not needs_no_search and may_be_answered(asked):
        pattern, why = router.default, "smalltalk, but a document may answer"
    settings = SETTINGS.get(intent, {}) if why == intent else {}
    if pattern in NEEDS_MODEL and await chat_model_of(context) is None:
        pattern, why = IN_PLACE, f"{why}, but {pattern} needs a chat model"
    return {
        "intent": intent,
        "pattern": pattern,
        "route_settings": settings,
        "warnings": warnings,
        "usage": cost(*replies),
        "steps": said(
            "classify_intent",
            f"{why} → {pattern}",
            intent=intent,
            confidence=confidence,
            pattern=pattern,
            scores={name: round(score, 4) for name, score in scores.items()},
            **({"settings": settings} if settings else {}),
        ),
    }


def pattern_of(intent: str, confidence: float, router: RouterSettings) -> tuple[str, str]:
    """Return the pattern of an intent and why.

    It is the table's; the default for low confidence or an unknown label; `no_fit` where no intent fits.
    """
    if intent not in TABLE:
        return router.default, f"unknown intent {intent!r}"
    if confidence < router.min_fit:
        return router.no_fit, f"no intent fits, {intent} best with {confidence:.2f}"
    needed = max(router.min_confidence, SURE_OF_SMALLTALK if intent == "smalltalk" else 0)
    if confidence < needed:
        return router.default, f"{intent}, confidence {confidence:.2f} below {needed}"
    return router.table.get(intent, TABLE[intent]), intent


def label_of(reply: str) -> str:
    """Return the intent that a model's reply names, whatever its case and what is around it; else what it says."""
    said = short_reply(reply) or reply.strip()
    words = said.strip(".。\"'`*").lower().replace(" ", "_").replace("-", "_")
    return next((intent for intent in TABLE if intent == words), words[:40])


def _known(router: RouterSettings) -> None:
    patterns = get_args(Pattern)
    named = {"router.pattern": router.pattern, "router.default": router.default, "router.no_fit": router.no_fit}
    named |= {f"router.table.{intent}": pattern for intent, pattern in router.table.items()}
    for key, pattern in named.items():
        if pattern is not None and pattern not in patterns:
            raise InputError(f"Context.{key}={pattern!r}: unknown pattern; known are {', '.join(patterns)}")
    if unknown := router.table.keys() - TABLE.keys():
        raise InputError(f"Context.router.table: unknown intent {min(unknown)!r}; known are {', '.join(TABLE)}")


def _by_head(query: str) -> dict[str, float]:
    """Return the confidence in every intent, highest first."""
    return {str(intent): confidence for intent, confidence in embedded_intent(query).items()}


async def _by_model(query: str, context: Context) -> tuple[dict[str, float], list[Reply], list[str]]:
    """Return the one intent that the model named, the model's reply, and warnings."""
    model = await required_chat_model(context, "router.classifier='llm'")
    try:
        reply = await ask(model, [SystemMessage(CLASSIFY), HumanMessage(query)], max_tokens=12)
    except ModelUnavailable as error:
        return {"": 0.0}, [], [f"intent not classified: {error}"]
    label = label_of(reply.text)
    return {label: 1.0 if label in TABLE else 0.0}, [reply], []
