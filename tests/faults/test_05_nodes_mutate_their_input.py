"""Fault 5: a node mutates the state it was given.

A grader that appends, fails once and is retried leaves duplicates; a second question on the same thread starts with
the first one's passages. Here every node leaves its input untouched, a retried grader gives no duplicates, and a
second question starts with none.
"""

import copy
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.runtime import Runtime

from graphs.catalogue import PATTERNS, load
from graphs.crag import graph
from nodes.accept import accept
from nodes.append import append
from nodes.assess import assess
from nodes.choose import choose
from nodes.compress import compress
from nodes.conclude import conclude
from nodes.decide import decide
from nodes.draft import draft
from nodes.elect import elect
from nodes.finish import finish
from nodes.form_query import form_query
from nodes.grade import grade, grade_web
from nodes.grade_next import grade_next
from nodes.prune import prune
from nodes.refine import refine
from nodes.reflect import reflect
from nodes.reformulate import reformulate
from nodes.refuse import refuse
from nodes.regenerate import regenerate
from nodes.rerank import rerank
from nodes.retrieve_beams import retrieve_beams
from nodes.retrieve_evidence import retrieve_evidence
from nodes.retrieve_next import retrieve_next
from nodes.select import select
from nodes.write_segments import write_segments
from state.context import Context
from state.schemas import NO_DRAFT, Answer
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.logprobs import logprobs_of
from tests.scripted import Line, scripted

STATE: dict[str, Any] = {
    "question": "How tall?",
    "query": "How tall?",
    "passages": [passage("The tower is 330 metres tall."), passage("Cats purr.")],
    "web_passages": [passage("330 metres.", origin="web")],
    "refusal_reason": "",
    "subquestions": ["How tall is #2?"],
    "attempts": 0,
}


@pytest.mark.parametrize("node", [grade, grade_web, refine, assess, compress, rerank])
async def test_a_node_leaves_its_input_and_may_be_run_again(node: Any, evaluates: Callable[..., object]) -> None:
    evaluates({"330": 0.9})
    before = copy.deepcopy(STATE)
    first, again = [
        await node(STATE, Runtime(context=Context(rerank="evaluator", answerer="extractive"))) for _ in range(2)
    ]
    assert before == STATE
    assert first["passages"] == again["passages"]


@pytest.mark.parametrize("node", [draft, form_query, retrieve_next, grade_next, regenerate, append, finish])
async def test_writing_a_sentence_leaves_its_input(
    node: Any, finds: Callable[..., object], evaluates: Callable[..., object]
) -> None:
    finds(STATE["passages"])
    evaluates({})
    text = "It is tall [1]. It is old [1]."
    tokens = [{"start": 0, "end": 2, "confidence": 0.9}]
    written = {**NO_DRAFT, "text": text, "end": 15, "tokens": tokens, "ended": True}
    state = {
        **STATE, "draft": written, "shown": [1], "current": [1], "draft_queries": ["tall"], "retrievals": 0,
        "answer": "", "citations": [], "collections": ["default"], "intent": "", "sentences": [], "message_id": "",
        "warnings": [],
    }  # fmt: skip
    before = copy.deepcopy(state)
    with scripted(Line(None, text, logprobs=logprobs_of(text), times=2, optional=True)) as (model, _):
        for _ in range(2):
            update = node(state, Runtime(context=Context(chat_model=model)))
            await update if inspect.isawaitable(update) else update
    assert before == state


SEGMENT = {"passage": 1, "text": "It is tall [1].", "relevant": 5.0, "supported": 5.0, "utility": 3.0, "score": 4.6}
BEAM = {"raw": "", "segments": [SEGMENT], "score": 2.0, "need": "[Retrieval]", "found": [1]}
GROWING: dict[str, Any] = {
    **STATE, "answer": "", "accepted": [], "found": [], "tried": [], "candidates": [1], "segments": [SEGMENT],
    "best": SEGMENT, "searched_for": ["height"], "search_query": "", "complete": False, "failure": "",
    "message_id": "", "collections": ["default"], "warnings": [], "beams": [BEAM, {**BEAM, "need": ""}], "depth": 1,
}  # fmt: skip


@pytest.mark.parametrize(
    "node",
    [decide, select, write_segments, reflect, choose, reformulate, retrieve_evidence, accept, conclude, prune, elect,
     retrieve_beams],
)  # fmt: skip
async def test_a_node_of_self_rag_leaves_its_input(
    node: Any, finds: Callable[..., object], evaluates: Callable[..., object]
) -> None:
    finds(STATE["passages"])
    evaluates({"330": 0.9})
    before = copy.deepcopy(GROWING)
    with scripted(Line(None, "yes, 4", times=None, optional=True)) as (model, _):
        for _ in range(2):
            update = node(GROWING, Runtime(context=Context(chat_model=model)))
            await update if inspect.isawaitable(update) else update
    assert before == GROWING


def test_refusing_leaves_its_input() -> None:
    before = copy.deepcopy(STATE)
    refuse(STATE, Runtime(context=Context(rerank="evaluator", answerer="extractive")))
    assert before == STATE


def test_a_grader_that_fails_once_leaves_no_duplicates(
    finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator], monkeypatch: pytest.MonkeyPatch
) -> None:
    finds([passage("The tower is 330 metres tall.")])
    evaluator = evaluates({"330": 0.9})
    score, calls = evaluator.score, []

    def fails_once(*args: Any) -> list[float]:
        calls.append(args)
        if len(calls) == 1:
            raise OSError("disk hiccup")
        return score(*args)

    monkeypatch.setattr(evaluator, "score", fails_once)
    keeping = graph.copy(update={"checkpointer": InMemorySaver()})
    thread: Any = {"configurable": {"thread_id": "1"}}
    with scripted(("something else", "330 metres [1].")) as (model, _):
        context = Context(chat_model=model)
        with pytest.raises(OSError, match="hiccup"):
            keeping.invoke({"question": "How tall is the tower?"}, thread, context=context)
        result = keeping.invoke(None, thread, context=context)
    assert len(result["passages"]) == 1
    assert [step["node"] for step in result["steps"]] == ["receive", "retrieve", "grade", "refine", "generate"]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_second_question_on_a_thread_starts_clean(
    pattern: str,
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It ends as it would have on a thread of its own."""
    finds([passage("The tower is 330 metres tall."), passage("Cats purr.")])
    evaluates({"330": 0.6, "Cats": 0.6})
    monkeypatch.setattr("nodes.classify_intent.embedded_intent", lambda text: {"vague": 0.9})
    keeping = load(pattern).copy(update={"checkpointer": InMemorySaver()})
    with scripted(Line(None, "330 metres [1].", times=None)) as (model, _):
        results = []
        for thread, question in (("1", "How tall is the tower?"), ("1", "Do cats purr?"), ("2", "Do cats purr?")):
            config: Any = {"configurable": {"thread_id": thread}}
            results.append(keeping.invoke({"question": question}, config, context=Context(chat_model=model)))
    _, second, alone = results
    for key in Answer.__annotations__.keys() - {"messages", "usage"}:
        assert second[key] == alone[key], key
    assert second["usage"]["model_calls"] == alone["usage"]["model_calls"]
