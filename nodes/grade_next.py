"""Grade what was retrieved for the sentence being written, as Corrective RAG grades what the question found."""

import asyncio

from langgraph.runtime import Runtime

from groundgraph.grading.disagree import other_sides
from groundgraph.knowledge.passage import Passage
from nodes.fuse import key_of
from nodes.grade import tier_of, weight
from nodes.node import Update, node, said
from nodes.retrieve_next import Searched
from nodes.score import score
from state.context import Context
from state.reducers import Usage, add_usage


class Retrieved(Searched):
    """The question beside what was searched for."""

    query: str


@node
async def grade_next(state: Retrieved, runtime: Runtime[Context]) -> Update:
    """Score the passages that are new, and drop the Incorrect ones from `passages` and `current`.

    Each is graded against the question and against what was searched for, and its better score counts: a sentence may
    need what the question does not name. If none is left, the sentence stays as it was drafted.
    """
    context, crag = runtime.context, runtime.context.crag
    known = [passage for passage in state["passages"] if passage.tier is not None]
    new = [passage for passage in state["passages"] if passage.tier is None]
    queries = dict.fromkeys([state["query"], *state["draft_queries"]])
    rounds = await asyncio.gather(*(score(query, new, context) for query in queries))
    best = [max(versions, key=weight) for versions in zip(*(scored.passages for scored in rounds), strict=True)]
    graded = [
        passage.model_copy(update={"tier": tier_of(passage.score, crag.theta_low, crag.theta_high)}) for passage in best
    ]
    passages = [*known, *(passage for passage in graded if passage.tier != "incorrect")]
    passages += other_sides(state["query"], passages, [passage for passage in graded if passage.tier == "incorrect"])
    usage: Usage = {}
    for scored in rounds:
        usage = add_usage(usage, scored.usage)
    return {
        "passages": passages,
        "current": _renumbered(state, passages) or state["shown"],
        "warnings": [*dict.fromkeys(warning for scored in rounds for warning in scored.warnings)],
        "usage": usage,
        "steps": said(
            "grade_next",
            f"{len(passages) - len(known)} of {len(new)} new passages kept",
            scores=[None if passage.score is None else round(passage.score, 4) for passage in graded],
            tiers=[passage.tier for passage in graded],
        ),
    }


def _renumbered(state: Searched, passages: list[Passage]) -> list[int]:
    """Return the numbers of what was retrieved last among the passages that are left."""
    numbers = {key_of(passage): number for number, passage in enumerate(passages, 1)}
    keys = [key_of(state["passages"][number - 1]) for number in state["current"]]
    return [numbers[key] for key in keys if key in numbers]
