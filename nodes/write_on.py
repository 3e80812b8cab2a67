"""Let the chat model write on, and measure how sure it is of its next sentence."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from groundgraph.grading.confidence import agreement, sentence_confidence, token_confidences
from groundgraph.models import Continuation, Reply, ask, ask_several, continuation
from groundgraph.models.tokens import estimate_tokens
from nodes.cite import cited_numbers
from nodes.generate import ANSWER
from nodes.language import language_of
from nodes.model import pattern_model
from nodes.prompt import fit, show
from nodes.sentence import first_sentence, joint, repeated, sentence_end
from nodes.settle import Grounded
from state.context import Context
from state.schemas import NO_DRAFT, Draft

QUESTION = {
    "en": "\n\nQuestion: {question}\nAnswer the question from the passages above in short, complete sentences, one "
    "fact each. After each sentence write the number of the passage it comes from, like [1]. The answer may be that "
    "something is not so. Only if the passages are about something else, reply NOT FOUND.",
    "zh": "\n\n问题：{question}\n请根据上面的段落，用简短完整的句子回答，每句话只说一个事实，句后写出所依据的段落编号，"
    "例如[1]。只有当段落讲的是别的事情时，才回复：未找到。",
}
GO_ON = {
    "en": "You have begun the answer as follows. Write only what comes after it, and repeat nothing. If nothing is "
    "missing, reply END.",
    "zh": "你已经写好了答案的开头，如下。只写接下来的内容，不要重复；如果已经完整，就回复：END。",
}
WITHOUT_LOGPROBS = (
    "the chat model's endpoint gives no log probabilities: the confidence of a sentence is its agreement with "
    "{samples} sampled ones"
)

_END = re.compile(r"(?:^|(?<=[.!?。！？\]\n]))\s*[*_(\[\"'“]*END\W*$")
"""What a model that was told to go on says, by itself, when the answer is complete; no word of a sentence."""
_UNFINISHED = re.compile(r"\s*[\[【][\d\s,，、;]*$")
"""A citation mark that the token limit has cut."""
_TOP = 10
"""Likeliest tokens to ask for at each place, for its entropy."""
_TEMPERATURE = 0.7
"""Of the samples that a sentence is compared with."""


class Writing(Grounded):
    """An answer that is being written."""

    current: list[int]
    answer: str
    warnings: list[str]


class WrittenOn(NamedTuple):
    """What the model wrote, from which passages, and what that took."""

    draft: Draft
    shown: list[int]
    """Numbers of the passages; empty if none fits into the prompt."""
    replies: list[Reply]


async def write_on(state: Writing, context: Context, question: dict[str, str] = QUESTION) -> WrittenOn:
    """Return what the model writes after the answer so far, not measured yet.

    Args:
        state: The answer so far; passages keep their numbers from sentence to sentence.
        context: Of the run.
        question: How to ask, by language.

    Raises:
        ModelError: The run has no chat model, or it fails.
    """
    prompt, shown = _prompt(state, context, question)
    if not shown:
        return WrittenOn(NO_DRAFT, [], [])
    model = await pattern_model(context)
    place = await _place(model, prompt, state, context)
    measured_by_tokens = context.flare.uncertainty != "agreement"
    reply = await ask(
        model,
        place.messages,
        max_tokens=tokens_left(state["answer"], context),
        top_logprobs=(_TOP if context.flare.uncertainty == "entropy" else 1) if measured_by_tokens else 0,
        **place.options,
    )
    return WrittenOn(_draft(reply, state["answer"], place, context), shown, [*place.spent, reply])


async def measured(draft: Draft, state: Writing, context: Context) -> tuple[Draft, list[Reply], list[str]]:
    """Return the draft with the confidence of its first sentence, what that took, and warnings.

    Without log probabilities, or where the run wants that, it is the agreement with other samples of the sentence.
    """
    flare = context.flare
    text, tokens = first_sentence(draft)
    if not text.strip():
        return draft, [], []
    if draft["tokens"]:
        return {**draft, "confidence": sentence_confidence(text, tokens, flare.uncertainty)}, [], []
    if never_retrieves(context):
        return draft, [], []
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


def tokens_left(written: str, context: Context) -> int:
    """Return how many tokens the model may write next; less than 1 if the answer has all it may have."""
    return min(context.flare.sentence_tokens, context.max_tokens - estimate_tokens(written))


async def _place(model: str, prompt: Sequence[BaseMessage], state: Writing, context: Context) -> Continuation:
    return await continuation(model, prompt, state["answer"], GO_ON[language_of(state["question"], context)])


async def _samples(state: Writing, context: Context) -> tuple[list[str], list[Reply], list[str]]:
    """Return other sentences that the model might write next, what they took, and a warning for those that failed."""
    flare, written = context.flare, state["answer"]
    model = await pattern_model(context)
    place = await _place(model, _prompt(state, context, QUESTION)[0], state, context)
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
    drafts = [_draft(reply, written, place, context) for reply in replies]
    failures = dict.fromkeys(str(failed) for failed in sampled if not isinstance(failed, Reply))
    warnings = [f"{len(sampled) - len(replies)} of {flare.samples} samples failed: {failure}" for failure in failures]
    return [first_sentence(draft)[0] for draft in drafts], [*place.spent, *replies], warnings


def _prompt(state: Writing, context: Context, question: dict[str, str]) -> tuple[list[BaseMessage], list[int]]:
    """Return the prompt, and the numbers of the passages that fit into it: what was retrieved last goes first."""
    language = language_of(state["question"], context)
    asked = question[language].replace("{question}", state["query"])
    current, passages = state["current"], state["passages"]
    numbers = current or range(1, len(passages) + 1)
    if context.flare.keep == "gather":
        cited = [number for number in cited_numbers(state["answer"]) if number <= len(passages)]
        numbers = [*dict.fromkeys([*current, *cited, *range(1, len(passages) + 1)])]
    room = context.prompt_tokens - estimate_tokens(ANSWER[language] + asked + state["answer"])
    kept = sorted(zip(numbers, fit([passages[number - 1] for number in numbers], room), strict=False))
    shown = "\n".join(show(passage, number) for number, passage in kept)
    return [SystemMessage(ANSWER[language]), HumanMessage(shown + asked)], [number for number, _ in kept]


def _draft(reply: Reply, written: str, place: Continuation, context: Context) -> Draft:
    """Return the reply as it joins the answer so far, what it repeats of that left out."""
    said = reply.text.rstrip()
    if reply.finish_reason == "length":
        said = _UNFINISHED.sub("", said)
    if place.continues:
        said = said.removeprefix(written)
    elif written:
        said = _END.sub("", said)
    measure = context.flare.uncertainty
    tokens = token_confidences(said, (reply.logprobs or ()) if measure != "agreement" else (), measure)
    cut = 0 if place.continues else repeated(written, said)
    lead = joint(written, said[cut:], continues=place.continues)
    shift = len(lead) - cut
    text = lead + said[cut:]
    return {
        "text": text,
        "end": sentence_end(written, text),
        "tokens": [
            {**token, "start": token["start"] + shift, "end": token["end"] + shift}
            for token in tokens
            if token["start"] >= cut
        ],
        "confidence": None,
        "ended": reply.finish_reason != "length",
        "guessed": False,
        "failed": "",
    }
