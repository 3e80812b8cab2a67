"""Reflect on segments: let the chat model rate each from 1 to 5 (Self-RAG, arXiv:2310.11511)."""

import asyncio
from collections.abc import Sequence
from typing import Literal, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.runtime import Runtime
from pydantic import BaseModel

from groundgraph.errors import ModelUnavailable
from groundgraph.grading.scale import MIDDLE, scores_in
from groundgraph.models import Reply, ask, ask_json
from groundgraph.models.tokens import estimate_tokens
from nodes.language import Language, language_of
from nodes.model import capped, pattern_model
from nodes.node import Update, cost, node, said
from nodes.select import relevance
from nodes.sentence import joint
from nodes.write_segments import Writing, conversation
from state.blocks import SelfRagSettings
from state.context import Context
from state.schemas import Segment

Aspect = Literal["relevant", "supported", "utility"]

RATE = {
    "en": "Rate your last reply, strictly, from 1 (worst) to 5 (best):\n{aspects}\nReply with {form} and nothing else.",
    "zh": "请严格地给你刚才的回答打分，1 分最差，5 分最好：\n{aspects}\n只回复{form}。",
}
ASPECTS: dict[Language, dict[Aspect, str]] = {
    "en": {
        "relevant": "relevance: does the passage help to answer the question? 1 not at all, 5 fully",
        "supported": "support: does the passage state what the reply says? 1 none of it, 3 a part, 5 all of it",
        "utility": "utility: does the answer so far answer the question? 1 not at all, 5 completely",
    },
    "zh": {
        "relevant": "相关性：段落是否有助于回答问题？1 完全没有，5 完全有",
        "supported": "支持度：段落是否说明了回答中的内容？1 完全没有，3 部分，5 全部",
        "utility": "有用性：目前的答案是否回答了问题？1 完全没有，5 完全回答",
    },
}
ONE = {"en": "the number", "zh": "这个数字"}
SEVERAL = {"en": "a JSON object of these numbers: {names}", "zh": "由这些数字组成的 JSON 对象：{names}"}
NAMES: dict[Language, dict[Aspect, str]] = {
    "en": {"relevant": "relevance", "supported": "support", "utility": "utility"},
    "zh": {"relevant": "relevance（相关性）", "supported": "support（支持度）", "utility": "utility（有用性）"},
}
LABELS: dict[Aspect, tuple[str, ...]] = {
    "relevant": ("relevance", "relevant", "相关性", "相关"),
    "supported": ("supported", "support", "支持度", "支持"),
    "utility": ("utility", "useful", "有用性", "有用"),
}
TOP_TOKENS = 20
ONE_TOKENS, SEVERAL_TOKENS = 12, 48
THOUGHT_TOKENS = 1024
"""Tokens for a model that could not rate at once, such as one that thinks first."""


class Ratings(BaseModel):
    """Ratings from 1 to 5 of a segment whose passage is graded already."""

    support: Literal[1, 2, 3, 4, 5]
    utility: Literal[1, 2, 3, 4, 5]


class AllRatings(BaseModel):
    """Ratings from 1 to 5 of a segment and its passage."""

    relevance: Literal[1, 2, 3, 4, 5]
    support: Literal[1, 2, 3, 4, 5]
    utility: Literal[1, 2, 3, 4, 5]


SHAPES: dict[int, type[Ratings] | type[AllRatings]] = {2: Ratings, 3: AllRatings}


class Reflecting(Writing):
    """What was written, and from what."""

    segments: list[Segment]
    warnings: list[str]


class Rating(NamedTuple):
    """What the critic said of some aspects of one segment."""

    scores: dict[Aspect, float]
    replies: list[Reply]
    unread: str
    """Which aspects of which passage could not be read; empty if all could."""
    why: str


@node
async def reflect(state: Reflecting, runtime: Runtime[Context]) -> Update:
    """Rate every segment; what cannot be read is the middle, 3, with a warning.

    Scores are means over the digits by their probabilities where the endpoint gives these, else as they are written.

    Raises:
        ModelError: The chat model refuses to work for us.
    """
    context, self_rag = runtime.context, runtime.context.self_rag
    model = await pattern_model(context)
    turns = asyncio.Semaphore(context.max_concurrency)
    wanted: list[Aspect] = ["supported", "utility"]
    if self_rag.relevance == "critic":
        wanted = ["relevant", *wanted]
    groups = [wanted] if self_rag.reflection == "joint" else [[aspect] for aspect in wanted]

    async def rate(segment: Segment, aspects: Sequence[Aspect]) -> Rating:
        async with turns:
            return await _rating(model, state, segment, aspects, context)

    asked = [(segment, aspects) for segment in state["segments"] for aspects in groups]
    ratings = await asyncio.gather(*(rate(segment, aspects) for segment, aspects in asked))
    rated = []
    for place, segment in enumerate(state["segments"]):
        own = ratings[place * len(groups) : (place + 1) * len(groups)]
        scores = {aspect: score for rating in own for aspect, score in rating.scores.items()}
        known = {"relevant": relevance(state["passages"][segment["passage"] - 1])} | scores
        rated.append(weighed({**segment, **known}, self_rag))  # type: ignore[typeddict-item]
    replies = [reply for rating in ratings for reply in rating.replies]
    return {
        "segments": rated,
        "warnings": [*capped(replies, state["warnings"]), *_unread(ratings)],
        "usage": cost(*replies),
        "steps": said(
            "reflect",
            ", ".join(f"passage {segment['passage']}: {segment['score']:.1f}" for segment in rated),
            segments=rated,
        ),
    }


def _unread(ratings: Sequence[Rating]) -> list[str]:
    """Return a warning for each reason why ratings could not be read: it names the first, and counts them."""
    unread: dict[str, list[str]] = {}
    for rating in ratings:
        if rating.unread:
            unread.setdefault(rating.why, []).append(rating.unread)
    counts = {why: f" ({len(places)} ratings in all)" if len(places) > 1 else "" for why, places in unread.items()}
    return [f"{places[0]} taken as 3{counts[why]}: {why}" for why, places in unread.items()]


def weighed(segment: Segment, self_rag: SelfRagSettings) -> Segment:
    """Return the segment with its `score`: the mean of its three ratings, weighted 1, 1 and 0.5 by default."""
    weights = self_rag.relevant_weight, self_rag.supported_weight, self_rag.utility_weight
    values = segment["relevant"], segment["supported"], segment["utility"]
    total = sum(weight * value for weight, value in zip(weights, values, strict=True))
    relevant, supported, utility = (round(value, 4) for value in values)
    return {
        **segment,
        "relevant": relevant,
        "supported": supported,
        "utility": utility,
        "score": round(total / sum(weights), 4),
    }


async def _rating(
    model: str, state: Reflecting, segment: Segment, aspects: Sequence[Aspect], context: Context
) -> Rating:
    labels = {aspect: LABELS[aspect] for aspect in aspects}
    prompt = _prompt(state, segment, aspects, context)
    replies: list[Reply] = []
    read: dict[Aspect, float | None] = dict.fromkeys(labels)
    try:
        if prompt is None:
            why = f"no room for the passage in prompt_tokens={context.prompt_tokens}; raise it"
        else:
            replies.append(await _asked(model, prompt, len(aspects)))
            read = scores_in(replies[0].text, labels, replies[0].logprobs)
            if replies[0].finish_reason == "length" and not any(read.values()):
                replies.append(await ask(model, prompt, max_tokens=THOUGHT_TOKENS))
                read = scores_in(replies[-1].text, labels)
            why = f"the rating {replies[-1].text[:60]!r} cannot be read"
    except ModelUnavailable as error:
        why = str(error)
    unread = [aspect for aspect in aspects if read[aspect] is None]
    scores = {aspect: MIDDLE if (s := read[aspect]) is None else s for aspect in aspects}
    return Rating(scores, replies, f"passage {segment['passage']}, {' and '.join(unread)}" if unread else "", why)


async def _asked(model: str, prompt: list[BaseMessage], count: int) -> Reply:
    """Return the reply of one number, or of several in JSON, to which the endpoint is held if it can be."""
    if count == 1:
        return await ask(model, prompt, max_tokens=ONE_TOKENS, top_logprobs=TOP_TOKENS)
    tokens = SEVERAL_TOKENS
    return (await ask_json(model, prompt, SHAPES[count], max_tokens=tokens, top_logprobs=TOP_TOKENS))[1]


def _prompt(
    state: Reflecting, segment: Segment, aspects: Sequence[Aspect], context: Context
) -> list[BaseMessage] | None:
    """Return the conversation in which the segment was written, and one more turn: its beginning is read already."""
    language = language_of(state["question"], context)
    names = NAMES[language]
    several = SEVERAL[language].replace("{names}", ", ".join(names[aspect] for aspect in aspects))
    form = ONE[language] if len(aspects) == 1 else several
    lines = "\n".join(ASPECTS[language][aspect] for aspect in aspects)
    rate = RATE[language].replace("{aspects}", lines).replace("{form}", form)
    written = state["answer"] + joint(state["answer"], segment["text"]) + segment["text"]
    before = conversation(state, segment["passage"], context, reserved=estimate_tokens(written + rate))
    return before and [*before, AIMessage(written), HumanMessage(rate)]
