"""Measure how sure the chat model is of the sentence it drafted (FLARE, arXiv:2305.06983)."""

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from groundgraph.errors import ModelUnavailable
from groundgraph.grading.confidence import agreement, sentence_confidence
from groundgraph.grading.stated import Stated, stated
from groundgraph.models import Reply, ask, ask_several
from groundgraph.models.tokens import estimate_tokens
from nodes.language import language_of
from nodes.model import pattern_model
from nodes.prompt import unmarked
from nodes.sentence import first_sentence
from nodes.write_on import Writing, draft_of, place_of, prompt_of, tokens_left
from state.context import Context
from state.schemas import Draft

HOW_SURE = {
    "en": "How likely is it that the last sentence, “{sentence}”, is true? Reply with a percentage, a semicolon, and "
    "the words of the sentence that you doubt most, copied; no words if you doubt none.",
    "zh": "最后一句“{sentence}”属实的可能性有多大？先回复百分比，再写分号，然后照抄这句话中你最怀疑的词；"
    "没有怀疑就不写。",
}
WITHOUT_LOGPROBS = (
    "the chat model's endpoint gives no log probabilities: the confidence of a sentence is its agreement with "
    "{samples} sampled ones"
)

Measured = tuple[Draft, list[Reply], list[str]]
"""A draft with the confidence of its first sentence, what that took, and warnings."""

_TEMPERATURE = 0.7
"""Of the samples that a sentence is compared with."""
_SURE_TOKENS = 32
_THOUGHT_TOKENS = 1024
"""Tokens for a model that could not say at once how sure it is, such as one that thinks first."""


async def measured(draft: Draft, state: Writing, context: Context) -> Measured:
    """Return the draft with the confidence of its first sentence, what that took, and warnings.

    Without log probabilities, or where the run wants that, it is the agreement with other samples of the sentence, or
    what the model says of itself when asked.
    """
    flare = context.flare
    text, tokens = first_sentence(draft)
    if not text.strip():
        return draft, [], []
    if draft["tokens"]:
        return {**draft, "confidence": sentence_confidence(text, tokens, flare.uncertainty)}, [], []
    if never_retrieves(context):
        return draft, [], []
    if flare.uncertainty == "verbalised":
        return await _verbalised(draft, state, context)
    samples, replies, warnings = await _samples(state, context)
    draft = {**draft, "tokens": agreement(text, samples, state["query"])}
    warning = WITHOUT_LOGPROBS.replace("{samples}", str(flare.samples))
    if flare.uncertainty != "agreement" and warning not in state["warnings"]:
        warnings = [warning, *warnings]
    confidence = sentence_confidence(*first_sentence(draft), "agreement") if samples else None
    return {**draft, "confidence": confidence}, replies, warnings


def never_retrieves(context: Context) -> bool:
    """Tell whether no sentence of the run can be uncertain, whatever its confidence."""
    return context.flare.theta == 0 and context.flare.variant == "paper"


async def _samples(state: Writing, context: Context) -> tuple[list[str], list[Reply], list[str]]:
    """Return other sentences that the model might write next, what they took, and a warning for those that failed."""
    flare, written = context.flare, state["answer"]
    model = await pattern_model(context)
    place = await place_of(model, prompt_of(state, context)[0], state, context)
    sampled = await ask_several(
        model,
        place.messages,
        flare.samples,
        max_tokens=max(1, tokens_left(written, context)),
        temperature=_TEMPERATURE,
        max_concurrency=context.max_concurrency,
        **place.options,
    )
    replies = [reply for reply in sampled if isinstance(reply, Reply)]
    drafts = [draft_of(reply, written, place, context) for reply in replies]
    failures = dict.fromkeys(str(failed) for failed in sampled if not isinstance(failed, Reply))
    warnings = [f"{len(sampled) - len(replies)} of {flare.samples} samples failed: {failure}" for failure in failures]
    return [first_sentence(draft)[0] for draft in drafts], [*place.spent, *replies], warnings


async def _verbalised(draft: Draft, state: Writing, context: Context) -> Measured:
    """Return the draft with the confidence that the model states; unknown, with a warning, where it states none."""
    text, _ = first_sentence(draft)
    model, prompt = await pattern_model(context), _how_sure(text, state, context)
    replies: list[Reply] = []
    found: Stated | None = None
    try:
        replies.append(await ask(model, prompt, max_tokens=_SURE_TOKENS))
        found = stated(replies[0].text, text, state["query"])
        if found is None and replies[0].finish_reason == "length":
            replies.append(await ask(model, prompt, max_tokens=_THOUGHT_TOKENS))
            found = stated(replies[1].text, text, state["query"])
        why = f"the confidence {replies[-1].text[:60]!r} cannot be read"
    except ModelUnavailable as error:
        why = str(error)
    if found is None:
        return draft, replies, [f"searched for {unmarked(text).strip()[:60]!r}: {why}"]
    return {**draft, "tokens": found.tokens, "confidence": found.confidence}, replies, []


def _how_sure(text: str, state: Writing, context: Context) -> list[BaseMessage]:
    """Return the conversation in which the sentence was written, and one more turn: its beginning is read already."""
    written = state["answer"] + text
    asked = HOW_SURE[language_of(state["question"], context)].replace("{sentence}", unmarked(text).strip())
    prompt, _ = prompt_of(state, context, reserved=estimate_tokens(text + asked))
    return [*prompt, AIMessage(written), HumanMessage(asked)]
