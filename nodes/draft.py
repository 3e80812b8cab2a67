"""Draft the next sentence of an answer (FLARE, arXiv:2305.06983)."""

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from groundgraph.errors import ModelUnavailable
from groundgraph.grading.confidence import is_uncertain
from groundgraph.knowledge.passage import Passage
from groundgraph.models import Reply
from nodes.measure import measured, never_retrieves
from nodes.model import is_small, pattern_model
from nodes.node import Update, cost, node, said
from nodes.refusal import is_refusal
from nodes.sentence import first_sentence, is_whole, weakest
from nodes.settle import settle
from nodes.write_on import Writing, WrittenOn, write_on
from state.context import Context
from state.schemas import NO_DRAFT, Draft

GUESS = {
    "en": "\n\nQuestion: {question}\nThe passages above may lack the answer. Write the one sentence that would answer "
    "the question, with plausible names and facts. Reply with the sentence only.",
    "zh": "\n\n问题：{question}\n上面的段落可能没有答案。写出一句会回答这个问题的话，用合理的名称和事实。"
    "只回复这句话。",
}


class Drafting(Writing):
    """An answer that is being written: from what its draft is, and how often was retrieved for it."""

    shown: list[int]
    retrievals: int


@node
async def draft(state: Drafting, runtime: Runtime[Context]) -> Update:
    """Set `draft` to the next sentence with the model's confidence in it; its text is empty where the answer ends.

    What the model wrote after the sentence before is the draft if it holds a whole sentence: asked again, it would
    write the same. Where the first draft says that the passages do not answer, a guess is drafted, to be searched for.

    Where the passages settle what a small model could not, the answer is quoted from them at once.

    Raises:
        ModelError: The run has no chat model, or it refuses to work for us, or is down where a failure is wanted then.
    """
    context = runtime.context
    if not state["answer"] and is_small(await pattern_model(context)) and (update := await settle(state, context)):
        return {**update, "draft": {**NO_DRAFT, "ended": True}}
    try:
        written, shown, replies = await _next(state, context)
        if not shown:
            return _no_room(context)
        # Samples would not guess: a guess is measured by its own tokens or not at all.
        measurable = written["tokens"] or not written["guessed"]
        written, spent, warnings = await measured(written, state, context) if measurable else (written, [], [])
    except ModelUnavailable as error:
        if context.on_model_failure == "error":
            raise
        failed: Draft = {**NO_DRAFT, "ended": True, "failed": str(error)}
        return {"draft": failed, "steps": said("draft", "the chat model is down")}
    if not written["text"].strip() and not state["answer"]:
        warnings = [*warnings, _empty(replies)]
    return {
        "draft": written,
        "shown": shown,
        "warnings": warnings,
        "usage": cost(*replies, *spent),
        "steps": said("draft", _decision(written, replies), **sentence_figures(written)),
    }


async def _next(state: Drafting, context: Context) -> WrittenOn:
    """Return the next draft, not measured yet: what was written already, what the model writes on, or a guess.

    Where the passages do not answer at first, and the search goes by these, the refusal takes the guess's place.
    """
    if is_whole(state["draft"]):
        return WrittenOn(state["draft"], state["shown"], [])
    written = await write_on(state, context)
    if state["answer"] or not refuses(written.draft, state["passages"]) or never_retrieves(context):
        return written
    if context.flare.query == "passage":  # the search needs no words of the model's
        return written._replace(draft={**written.draft, "guessed": True})
    guess = await write_on(state, context, GUESS)
    return WrittenOn({**guess.draft, "guessed": True}, written.shown, [*written.replies, *guess.replies])


def is_doubtful(written: Draft, context: Context) -> bool:
    """Tell whether a draft is to be searched for before it may stand."""
    flare = context.flare
    if written["guessed"] or refuses(written):
        return written["guessed"]
    return is_uncertain(written["confidence"] or 0.0, flare.theta, flare.variant)


def refuses(written: Draft, passages: Sequence[Passage] = ()) -> bool:
    """Tell whether a draft says that the passages do not answer, and no passage that it cites says the same."""
    return is_refusal(written["text"], passages)


def sentence_figures(written: Draft) -> dict[str, Any]:
    """Return what a step shows of a draft: its first sentence, how confident the model is of it, and of what least."""
    return {
        "sentence": first_sentence(written)[0].strip(),
        "confidence": written["confidence"],
        "weakest": weakest(written),
    }


def _decision(written: Draft, replies: list[Reply]) -> str:
    if not written["text"].strip():
        return "the answer ends"
    if written["guessed"]:
        return "a refusal, to be searched for" if refuses(written) else "a guess, to be searched for"
    return "written" if replies else "written already, after the sentence before"


def _empty(replies: list[Reply]) -> str:
    cut = any(reply.finish_reason == "length" for reply in replies)
    remedy = (
        "its thinking took all of flare.sentence_tokens; raise it" if cut else "ask again, or take another chat_model"
    )
    return f"the model's reply was empty: {remedy}"


def _no_room(context: Context) -> Update:
    reason = f"no passage fits beside the question into prompt_tokens={context.prompt_tokens}; raise it"
    return {
        "draft": {**NO_DRAFT, "ended": True},
        "refusal_reason": reason,
        "steps": said("draft", "no room for passages"),
    }
