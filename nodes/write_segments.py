"""Write the next segment of the answer from each passage by itself (Self-RAG, arXiv:2310.11511)."""

import asyncio
import re
from collections.abc import Iterable, Sequence

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.errors import ModelUnavailable
from groundgraph.grading.answer_type import asks_yes_or_no
from groundgraph.grading.evaluator import embedded_evaluator
from groundgraph.grading.extract import extractive_answer
from groundgraph.knowledge.passage import Passage
from groundgraph.models import Reply, ask
from groundgraph.models.tokens import estimate_tokens
from nodes.cite import UNCITED, statements, with_mark
from nodes.generate import ANSWER
from nodes.language import language_of
from nodes.model import is_small, pattern_model
from nodes.node import Update, cost, node, said
from nodes.prompt import fit, marks, show, unmarked
from nodes.quote import joined
from nodes.refusal import is_refusal
from state.context import Context
from state.schemas import Segment

SEGMENT = {
    "en": "\n\nQuestion: {question}\nAnswer the question from the passage above in one or two short, complete "
    "sentences, and say nothing that is not in it. After each sentence write the number of the passage, like "
    "[{number}]. The answer may be that something is not so. Only if the passage is about something else, reply NOT "
    "FOUND.",
    "zh": "\n\n问题：{question}\n请只根据上面的段落，用一到两句简短完整的话回答，不写段落里没有的内容，每句话后写出段落"
    "编号，例如[{number}]。只有当段落讲的是别的事情时，才回复：未找到。",
}
GO_ON = {
    "en": "\nYou have begun the answer as follows. Write only what the passage adds to it, and repeat nothing. If it "
    "adds nothing, reply END.\n{answer}",
    "zh": "\n你已经写好了答案的开头，如下。只写这个段落能补充的内容，不要重复；"
    "如果没有可补充的，就回复：END。\n{answer}",
}

_END = re.compile(r"\W*END\W*")


class Writing(TypedDict):
    """An answer that is being written, and the numbers of the passages to go on from."""

    question: str
    query: str
    passages: list[Passage]
    answer: str
    candidates: list[int]
    tried: list[int]


class Tried(TypedDict):
    """What was written."""

    segments: list[Segment]


@node
async def write_segments(state: Writing, runtime: Runtime[Context]) -> Update:
    """Set `segments`, one for each candidate that answers; `complete` if these have nothing to add to the answer.

    Raises:
        ModelError: The run has no chat model, or it refuses to work for us; with `on_model_failure="error"` also if
            it is down.
    """
    context, numbers = runtime.context, state["candidates"]
    model = await pattern_model(context)
    turns = asyncio.Semaphore(context.max_concurrency)

    async def write(messages: list[BaseMessage]) -> Reply | ModelUnavailable:
        try:
            async with turns:
                return await ask(model, messages, max_tokens=context.self_rag.segment_tokens)
        except ModelUnavailable as error:
            return error

    prompts = {number: prompt for number in numbers if (prompt := conversation(state, number, context))}
    written: dict[int, Reply | ModelUnavailable]
    if is_small(model) and asks_yes_or_no(state["query"]):
        written = await asyncio.to_thread(_quotes, state, prompts)
    else:
        written = dict(zip(prompts, await asyncio.gather(*map(write, prompts.values())), strict=True))
    replies = {number: reply for number, reply in written.items() if isinstance(reply, Reply)}
    errors = {number: error for number, error in written.items() if not isinstance(error, Reply)}
    if errors and not replies and context.on_model_failure == "error":
        raise next(iter(errors.values()))
    texts = {number: new_text(reply, number, state["answer"], state["passages"]) for number, reply in replies.items()}
    segments = [blank(number, text) for number, text in texts.items() if text]
    silent = any(text is None for text in texts.values())
    failures = [f"no segment from passage {number}: {error}" for number, error in errors.items()] if replies else []
    cramped = f"no passage fits beside the question into prompt_tokens={context.prompt_tokens}; raise it"
    return {
        "segments": segments,
        "tried": [*state["tried"], *numbers],
        "complete": silent and not segments,
        "failure": "" if replies or not errors else str(next(iter(errors.values()))),
        "warnings": failures if prompts else [cramped],
        "usage": cost(*replies.values()),
        "steps": said("write_segments", f"{len(segments)} segments", passages=[s["passage"] for s in segments]),
    }


def _quotes(state: Writing, numbers: Iterable[int]) -> dict[int, Reply | ModelUnavailable]:
    """Return in a reply's place the best sentences of each passage: a small model says yes to what they deny."""
    evaluator, query = embedded_evaluator(), state["query"]
    found = {
        number: extractive_answer(query, [state["passages"][number - 1]], evaluator, relevant=0) for number in numbers
    }
    return {
        number: Reply(joined([quote.text for quote in quotes]) if quotes else "", calls=0)
        for number, quotes in found.items()
    }


def conversation(state: Writing, number: int, context: Context, reserved: int = 0) -> list[BaseMessage] | None:
    """Return the prompt for the segment from one passage, cut to the room it has; None if that holds none of it.

    Without a passage the model would have nothing but its memory. `reserved` tokens are left for what comes after.
    """
    language, answer = language_of(state["question"], context), state["answer"]
    asked = SEGMENT[language] + (GO_ON[language] if answer else "")
    asked = asked.replace("{number}", str(number)).replace("{answer}", answer).replace("{question}", state["query"])
    room = context.prompt_tokens - reserved - estimate_tokens(ANSWER[language] + asked)
    fitting = fit([state["passages"][number - 1]], room)
    if not fitting:
        return None
    return [SystemMessage(ANSWER[language]), HumanMessage(show(fitting[0], number) + asked)]


def new_text(reply: Reply, number: int, answer: str, passages: Sequence[Passage] = ()) -> str | None:
    """Return what the reply adds to the answer, each sentence cited; None if nothing, empty if it refuses."""
    text = reply.text.strip()
    if is_refusal(text, passages) or not _bare(text):
        return ""
    if _END.fullmatch(text):
        return None
    spans = statements(text)
    if reply.finish_reason == "length" and len(spans) > 1:
        spans = spans[:-1]
    known = _bare(answer)
    return cited_text(text, number, [span for span in spans if _bare(text[slice(*span)]) not in known]) or None


def cited_text(text: str, number: int, spans: Sequence[tuple[int, int]] | None = None) -> str:
    """Return the sentences of `text`, or those at `spans`, each cited; lines stay lines."""
    new, last = "", 0
    for start, end in statements(text) if spans is None else spans:
        gap = "\n" if "\n" in text[last:start] else " " if text[last:start] else ""
        new += (gap if new else "") + cited(text[start:end].strip(), number)
        last = end
    return new


def cited(sentence: str, number: int) -> str:
    """Return the sentence with the one mark `[number]`: at its first mark, or at its end if that is the start.

    A heading, or the header of a table, has none.
    """
    if UNCITED.match(sentence):
        return sentence
    bare, mark = unmarked(sentence), next(marks(sentence), None)
    before = sentence[: mark.start()].rstrip() if mark else ""
    return with_mark(before, number) + bare[len(before) :] if before else with_mark(bare.lstrip(), number)


def blank(number: int, text: str) -> Segment:
    """Return a segment that is not rated yet."""
    return {"passage": number, "text": text, "relevant": 0.0, "supported": 0.0, "utility": 0.0, "score": 0.0}


def _bare(text: str) -> str:
    return re.sub(r"\W", "", unmarked(text)).casefold()
