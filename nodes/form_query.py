"""Form what to search for where a drafted sentence is uncertain (FLARE, arXiv:2305.06983)."""

import asyncio

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langgraph.runtime import Runtime

from groundgraph.errors import ModelUnavailable
from groundgraph.grading.confidence import masked, weak_spans
from groundgraph.knowledge.passage import Passage
from groundgraph.models import Reply, ask
from nodes.cite import cited_numbers
from nodes.draft import Drafting
from nodes.language import written_in
from nodes.model import pattern_model
from nodes.node import Update, cost, node, said
from nodes.prompt import unmarked
from nodes.sentence import first_sentence
from nodes.short_reply import short_reply
from state.context import Context

SPAN_QUESTION = {
    "en": "Given a question and the beginning of an answer, ask one short question that can be understood by itself "
    "and that the given part answers. Reply with that question only.",
    "zh": "给出一个问题和回答的开头，请就给出的部分提一个简短、能独立理解、并以该部分为答案的问题。只回复这个问题。",
}
ASK = {
    "en": 'Question: {question}\nAnswer: {answer}\nAsk the question to which the answer is "{span}":',
    "zh": "问题：{question}\n回答：{answer}\n提出以“{span}”为答案的问题：",
}
PREFIX = 100
"""Characters of the end of the answer so far that `flare.query="prefix"` searches for."""
PASSAGE = 300
"""Characters of the beginning of a passage that `flare.query="passage"` searches for."""


@node
async def form_query(state: Drafting, runtime: Runtime[Context]) -> Update:
    """Set `draft_queries` by `flare.query`; where that leaves nothing to search for, the question itself.

    Raises:
        ModelError: `flare.query="question"`, and the chat model refuses to work for us.
    """
    flare = runtime.context.flare
    sentence, tokens = first_sentence(state["draft"])
    replies: list[Reply] = []
    warnings: list[str] = []
    queries: list[str] = []
    if flare.query == "prefix":
        end = unmarked(state["answer"])[-PREFIX:]
        queries = [f"{state['query']} {end}".strip()]
    elif flare.query == "passage":
        queries = [passage_query(state["query"], passage) for passage in _cited(sentence, state)]
    elif flare.query == "question":
        spans = weak_spans(sentence, tokens, flare.beta, flare.variant)
        queries, replies, warnings = await _questions(spans, sentence, state, runtime.context)
    if not queries:
        kept = masked(sentence, tokens, flare.beta, flare.variant) if tokens else unmarked(sentence).strip()
        queries = [kept or state["query"]]
    return {
        "draft_queries": queries,
        "warnings": warnings,
        "usage": cost(*replies),
        "steps": said("form_query", flare.query, queries=queries),
    }


def passage_query(question: str, passage: Passage) -> str:
    """Return what to search for where a passage that was found leads to others (arXiv:2009.12756)."""
    return f"{question} {passage.page_content[:PASSAGE]}"


def _cited(sentence: str, state: Drafting) -> list[Passage]:
    """Return the passages that a sentence cites, or the first one that it was written from."""
    passages = state["passages"]
    numbers = [number for number in cited_numbers(sentence) if number <= len(passages)] or state["shown"][:1]
    return [passages[number - 1] for number in dict.fromkeys(numbers)]


async def _questions(
    spans: list[str], sentence: str, state: Drafting, context: Context
) -> tuple[list[str], list[Reply], list[str]]:
    """Return a question for each span, what they took, and warnings for those that could not be asked."""
    model = await pattern_model(context)
    turns = asyncio.Semaphore(context.max_concurrency)

    async def one(span: str) -> Reply | str:
        try:
            async with turns:
                return await ask(model, _prompt(span, sentence, state), max_tokens=48)
        except ModelUnavailable as error:
            return f"no question asked for {span!r}: {error}"

    asked = await asyncio.gather(*map(one, spans))
    replies = [reply for reply in asked if isinstance(reply, Reply)]
    questions = dict.fromkeys(short_reply(reply.text) for reply in replies)
    return [question for question in questions if question], replies, [said for said in asked if isinstance(said, str)]


def _prompt(span: str, sentence: str, state: Drafting) -> list[BaseMessage]:
    language = written_in(state["query"])
    parts = {"question": state["query"], "answer": state["answer"] + sentence, "span": span}
    asked = ASK[language]
    for name, part in parts.items():
        before, hole, after = asked.partition(f"{{{name}}}")  # one after the other: braces in a part are text
        asked = before + part + after if hole else asked
    return [SystemMessage(SPAN_QUESTION[language]), HumanMessage(asked)]
