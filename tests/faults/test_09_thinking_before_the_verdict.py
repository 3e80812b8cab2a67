"""Fault 9: a verdict behind thinking.

`<think>maybe no</think>` followed by a fenced `{"score":"yes"}` → yes;
an unclosed `<think>no` → unparseable, so ambiguous: None, which callers treat as undecided.
"""

from typing import Literal

from langchain_core.messages import HumanMessage
from pydantic import BaseModel

from groundgraph.grading.scale import scores_in
from groundgraph.models import ask, ask_json
from tests.scripted import scripted


class Verdict(BaseModel):
    score: Literal["yes", "no"]


async def verdict(said: str) -> Verdict | None:
    with scripted(said) as (name, _):
        return (await ask_json(name, [HumanMessage("Relevant?")], Verdict))[0]


async def test_the_verdict_after_the_thinking_counts() -> None:
    assert await verdict('<think>maybe no</think>\n```json\n{"score":"yes"}\n```') == Verdict(score="yes")


async def test_a_verdict_inside_the_thinking_does_not_count() -> None:
    assert await verdict('<think>{"score":"no"}</think>{"score":"yes"}') == Verdict(score="yes")


async def test_unclosed_thinking_is_unparseable() -> None:
    assert await verdict("<think>no") is None
    assert await verdict('<think>no {"score":"no"}') is None


async def test_so_it_is_with_a_score() -> None:
    """In Self-RAG: the score after the thinking counts, an unclosed one is unparseable."""
    for said, score in (('<think>maybe 2</think>\n```json\n{"score": "4"}\n```', 4), ("<think>2", None)):
        with scripted(said) as (name, _):
            reply = await ask(name, [HumanMessage("Relevant?")])
        assert scores_in(reply.text, {"score": ("score",)}) == {"score": score}
