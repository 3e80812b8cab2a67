"""Check a question against the collection, as a pattern would come upon it."""

from collections.abc import Sequence
from typing import NamedTuple

from groundgraph.evaluation.answering import RETRIEVAL, graph_of
from groundgraph.evaluation.testset.attempts import Attempt
from groundgraph.evaluation.testset.records import Reason
from groundgraph.evaluation.testset.wording import agrees, wording_fault
from groundgraph.evaluation.testset.write import Made
from groundgraph.grading.dataset import RELEVANT
from groundgraph.knowledge.diversify import folded
from groundgraph.knowledge.passage import Passage
from nodes.grade import tier_of
from nodes.quote import quote
from nodes.score import score
from state.context import Context
from state.reducers import Usage


class Checked(NamedTuple):
    """What the checks say of a question."""

    fault: Reason | None
    """Why it is to be discarded; None if it is good."""
    usage: Usage
    """What an evaluator that asks a chat model cost."""
    rel: dict[str, float] | None = None
    """Sources that hold the passages it was made from, or passages of their wording, graded 2."""


async def check(attempt: Attempt, made: Made, context: Context) -> Checked:
    """Return whether a question is good: well worded, on its subject, and answered, or not, as it should be.

    Args:
        attempt: What the question was made from.
        made: The question.
        context: Of the search, the evaluator and its thresholds.

    Raises:
        ModelError: The evaluator needs a model that cannot be had.
        CollectionError: The collection is gone.
    """
    if fault := wording_fault(attempt, made):
        return Checked(fault, {})
    state = await graph_of(RETRIEVAL).ainvoke({"question": made.question}, context=context)
    scored = await score(made.question, state["passages"], context)
    golds = [_found(passage, scored.passages) for passage in attempt.passages]
    if not all(golds):
        return Checked("search does not find its passage", scored.usage)
    if attempt.kind == "unanswerable":
        crag = context.crag
        tiers = {tier_of(passage.score, crag.theta_low, crag.theta_high) for passage in scored.passages}
        return Checked("a passage answers it" if "correct" in tiers else None, scored.usage)
    found = [passages[0] for passages in golds]
    fault = await _answer_fault(attempt, made, found, context)
    sources = [source for p in found for source in (p.source, *p.metadata.get("also_in", []))]
    rel = dict.fromkeys([*(passage.source for passage in attempt.passages), *sources], float(RELEVANT))
    return Checked(fault, scored.usage, rel)


async def _answer_fault(attempt: Attempt, made: Made, golds: Sequence[Passage], context: Context) -> Reason | None:
    """Return what the evaluator, and the answer quoted without a model, have against the stated answer."""
    if any(tier_of(gold.score, context.crag.theta_low, context.crag.theta_high) == "incorrect" for gold in golds):
        return "evaluator rejects its passage"
    if attempt.kind == "multi" or context.evaluator == "llm":
        return None  # a quotation may come from one passage alone; and it takes the embedded evaluator
    quoted = (await quote(made.question, golds, show=False))["answer"]
    return None if agrees(made.answer, quoted, made.question, attempt.language) else "extractive answer differs"


def _found(passage: Passage, among: Sequence[Passage]) -> list[Passage]:
    """Return the passages of the same wording."""
    return [found for found in among if len(folded([passage, found])) == 1]
