"""Select the passages to write the next segment from (Self-RAG, arXiv:2310.11511)."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.grading.scale import HIGHEST, LOWEST, MIDDLE
from groundgraph.knowledge.passage import Passage
from nodes.fuse import key_of
from nodes.node import Update, node, said
from nodes.score import Scored, score
from state.context import Context


class Retrieved(TypedDict):
    """All passages so far, and which of them were found last and tried already; numbers count from 1."""

    query: str
    passages: list[Passage]
    found: list[int]
    tried: list[int]


class Selected(TypedDict):
    """Numbers of the passages to write from."""

    candidates: list[int]


@node
async def select(state: Retrieved, runtime: Runtime[Context]) -> Update:
    """Set `candidates`: of the passages found last and not tried yet, the first `self_rag.passages`.

    With `self_rag.relevance="evaluator"` they are those that score best, and poor ones are left out.
    """
    context, self_rag = runtime.context, runtime.context.self_rag
    passages = state["passages"]
    numbers = {key_of(passage): number for number, passage in reversed([*enumerate(passages, 1)])}
    found = state["found"] or sorted(numbers.values())
    left = [number for number in found if number not in state["tried"]]
    scored = Scored([], [], {})
    if self_rag.relevance == "evaluator":
        scored = await score(state["query"], [passages[number - 1] for number in left], context)
        graded = dict(zip(left, scored.passages, strict=True))
        passages = [graded.get(number, passage) for number, passage in enumerate(passages, 1)]
        good = [number for number in left if relevance(graded[number]) > self_rag.poor_relevant]
        left = sorted(good, key=lambda number: -relevance(graded[number]))
    candidates = left[: self_rag.passages]
    scores = {"relevance": [round(relevance(passage), 4) for passage in scored.passages]} if scored.passages else {}
    return {
        "passages": passages,
        "found": found,
        "candidates": candidates,
        "segments": [],
        "complete": False,
        "warnings": scored.warnings,
        "usage": scored.usage,
        "steps": said("select", f"{len(candidates)} passages", passages=candidates, **scores),
    }


def relevance(passage: Passage) -> float:
    """Return the evaluator's score on the critic's scale from 1 to 5; the middle where there is none."""
    return MIDDLE if passage.score is None else LOWEST + (HIGHEST - LOWEST) * passage.score
