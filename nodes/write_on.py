"""Let the chat model write on after the answer so far."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from groundgraph.grading.confidence import Measure, Token, token_confidences
from groundgraph.knowledge.keywords import CJK
from groundgraph.models import Continuation, Reply, ask, continuation
from groundgraph.models.tokens import estimate_tokens
from nodes.cite import cited_numbers
from nodes.generate import ANSWER
from nodes.language import language_of
from nodes.model import pattern_model
from nodes.prompt import fit, open_fence, show
from nodes.sentence import WIDE_MARKS, joint, repeated, sentence_end
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
BY_ASKING: tuple[Measure, ...] = ("agreement", "verbalised")
"""Measures that take no log probabilities, but further calls."""

_END = re.compile(r"(?:^|(?<=[.!?。！？\]\n]))\s*[*_(\[\"'“]*END\W*$")
"""What a model that was told to go on says, by itself, when the answer is complete; no word of a sentence."""
_UNFINISHED = re.compile(r"\s*[\[【][\d\s,，、;]*$")
"""A citation mark that the token limit has cut."""
_WORD = re.compile(rf"[^\s{CJK}{WIDE_MARKS}]*(?![{CJK}])\w\Z|(?<![A-Za-z])(?:[$€£¥]?\d[\d.,:/-]*|(?:[A-Za-z]\.)+)\Z")
_LINE = re.compile(r"\S[^\n]*\s*\Z")
"""A word, number or abbreviation, or a line of code, that may go on; below a line its indentation may be cut."""
_TOP = 10
"""Likeliest tokens to ask for at each place, for its entropy."""


class Writing(Grounded):
    """An answer that is being written, and what the model has written after it already."""

    current: list[int]
    answer: str
    draft: Draft
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
    prompt, shown = prompt_of(state, context, question)
    if not shown:
        return WrittenOn(NO_DRAFT, [], [])
    model = await pattern_model(context)
    place = await place_of(model, prompt, state, context)
    measure = context.flare.uncertainty
    reply = await ask(
        model,
        place.messages,
        max_tokens=tokens_left(state["answer"], context),
        top_logprobs=0 if measure in BY_ASKING else _TOP if measure == "entropy" else 1,
        **place.options,
    )
    begun = state["draft"]["text"]
    space = begun[: len(begun) - len(begun.lstrip())]
    return WrittenOn(draft_of(reply, state["answer"], place, context, space), shown, [*place.spent, reply])


def tokens_left(written: str, context: Context) -> int:
    """Return how many tokens the model may write next; less than 1 if the answer has all it may have."""
    return min(context.flare.sentence_tokens, context.max_tokens - estimate_tokens(written))


async def place_of(model: str, prompt: Sequence[BaseMessage], state: Writing, context: Context) -> Continuation:
    """Return the conversation at whose end the model writes on after the answer so far.

    Raises:
        ModelError: The model fails.
    """
    return await continuation(model, prompt, state["answer"], GO_ON[language_of(state["question"], context)])


def prompt_of(
    state: Writing, context: Context, question: dict[str, str] = QUESTION, *, reserved: int = 0
) -> tuple[list[BaseMessage], list[int]]:
    """Return the prompt, and the numbers of the passages that fit into it: what was retrieved last goes first.

    Args:
        state: The answer so far, and the passages.
        context: Of the run.
        question: How to ask, by language.
        reserved: Tokens that something else takes of `prompt_tokens`.
    """
    language = language_of(state["question"], context)
    asked = question[language].replace("{question}", state["query"])
    current, passages = state["current"], state["passages"]
    numbers = current or range(1, len(passages) + 1)
    if context.flare.keep == "gather":
        cited = [number for number in cited_numbers(state["answer"]) if number <= len(passages)]
        numbers = [*dict.fromkeys([*current, *cited, *range(1, len(passages) + 1)])]
    room = context.prompt_tokens - estimate_tokens(ANSWER[language] + asked + state["answer"]) - reserved
    kept = sorted(zip(numbers, fit([passages[number - 1] for number in numbers], room), strict=False))
    shown = "\n".join(show(passage, number) for number, passage in kept)
    return [SystemMessage(ANSWER[language]), HumanMessage(shown + asked)], [number for number, _ in kept]


def draft_of(reply: Reply, written: str, place: Continuation, context: Context, space: str = "") -> Draft:
    """Return the reply as it joins the answer so far, what it repeats of that left out.

    What goes beyond `tokens_left`, because the endpoint heeds no limit, is cut off as the endpoint should have: the
    model looks no further ahead, and writes on after the last sentence that is kept. The word, or the line of code,
    that a limit cuts is left out, and the white space before it kept: the model writes it again.

    Args:
        reply: What the model said next.
        written: The answer so far.
        place: Where the model wrote on.
        context: Of the run.
        space: White space that the model wrote after `written` before.
    """
    said = reply.text if reply.finish_reason == "length" else reply.text.rstrip()
    if place.continues:
        said = said.removeprefix(written)
    elif written:
        said = _END.sub("", said)
    measure = context.flare.uncertainty
    tokens = token_confidences(said, () if measure in BY_ASKING else reply.logprobs or (), measure)
    cut = 0 if place.continues else repeated(written, said)
    lead = joint(written, said[cut:], continues=place.continues, space=space)
    shift = len(lead) - cut
    text = lead + said[cut:]
    tokens = [
        {**token, "start": token["start"] + shift, "end": token["end"] + shift}
        for token in tokens
        if token["start"] >= cut
    ]
    stop = _stop(text, tokens, reply, max(1, tokens_left(written, context)))
    ended = reply.finish_reason != "length" and stop == len(text)
    text = text if ended else _whole(written, text, stop)
    return {
        "text": text,
        "end": sentence_end(written, text),
        "tokens": [token for token in tokens if token["end"] <= len(text)],
        "confidence": None,
        "ended": ended,
        "guessed": False,
        "failed": "",
    }


def _stop(text: str, tokens: Sequence[Token], reply: Reply, limit: int) -> int:
    """Return where the first `limit` tokens of a text end; counted, else estimated.

    An estimate cuts nothing off if the endpoint says that it kept to the limit, unless twice as much is written.
    """
    estimate = estimate_tokens(text)
    if len(tokens) > limit:
        return tokens[limit - 1]["end"]
    if (tokens and tokens[-1]["end"] >= len(text.rstrip())) or estimate <= limit:
        return len(text)
    if 0 < reply.completion_tokens <= limit and estimate <= 2 * limit:
        return len(text)
    return len(text) * limit // estimate


def _whole(written: str, text: str, stop: int) -> str:
    """Return the text up to where a limit cuts it, without a word, number, line of code or mark that is cut there."""
    kept = text[: stop + len(text[stop:]) - len(text[stop:].lstrip())]
    in_code = bool(open_fence(written + kept))
    begun = (_LINE if in_code else _WORD).search(kept)
    whole = kept[: begun.start()] if begun else kept
    kept = whole if whole.strip() else kept
    return kept if in_code else _UNFINISHED.sub("", kept)
