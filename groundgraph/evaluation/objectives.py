"""What settings are chosen and measured by: a value for each question, under each of several settings."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from groundgraph.evaluation.answering import GRADING, RETRIEVAL
from groundgraph.evaluation.asker import Asker
from groundgraph.evaluation.metrics.retrieval import ndcg_at_k, recall_at_k, relevant_sources
from groundgraph.evaluation.outcome import quality
from groundgraph.evaluation.profile import changed
from groundgraph.evaluation.questions import Question
from groundgraph.evaluation.records import Row
from groundgraph.evaluation.thresholds import GradedQuestion, credit, graded_question
from state.context import Context

DEPTH = 10
"""Passages that rankings are compared on."""
NDCG = f"nDCG@{DEPTH}"
RECALL = "recall"
DECISIONS = "right decisions to answer or refuse, both kinds weighed alike"
QUALITY = "quality of answers and refusals"

Values = list[list[float | None]]
"""Of each settings the values of the same questions, in the same order; None where one could not be scored."""
Measure = Callable[[Sequence[Context], Sequence[Question], int], Awaitable[Values]]
"""Returns the values of several settings on these questions, for so many model calls at most."""


@dataclass(frozen=True)
class Objectives:
    """The objectives of a pattern; each method is a `Measure`."""

    pattern: str
    asker: Asker

    async def ndcg(self, contexts: Sequence[Context], questions: Sequence[Question], _: int) -> Values:
        """Return the nDCG of the first `DEPTH` passages found."""
        ranked = await self._ranked(contexts, questions)
        return [
            [None if row.error else ndcg_at_k(row.retrieved, row.rel or {}, DEPTH) for row in rows] for rows in ranked
        ]

    async def recall(self, contexts: Sequence[Context], questions: Sequence[Question], _: int) -> Values:
        """Return how many of the sources that answer are among the first `top_k` passages."""
        ranked = await self._ranked(contexts, questions)
        return [[_recall(row, one.top_k) for row in rows] for one, rows in zip(contexts, ranked, strict=True)]

    async def decisions(self, contexts: Sequence[Context], questions: Sequence[Question], allowance: int) -> Values:
        """Return whether each question is rightly answered or refused by what its passages score.

        One that the documents answer should keep such a passage, so that a search that does not find it is wrong too.
        """
        return [
            balanced(
                [_by_documents(row) for row in await self.graded(one, questions, allowance)], one, web=web_asked(one)
            )
            for one in contexts
        ]

    async def quality(self, contexts: Sequence[Context], questions: Sequence[Question], allowance: int) -> Values:
        """Return how good the pattern's answers and refusals are; see `outcome.quality`."""
        judged = [question for question in questions if is_judged(question)]
        rows = await self.asker.ask(self.pattern, contexts, judged, allowance)
        return [[quality(row) for row in own] for own in rows]

    async def graded(self, context: Context, questions: Sequence[Question], allowance: int) -> list[Row]:
        """Return what is retrieved and how it is graded, for each question of which it is known what should be."""
        if context.evaluator == "embedded":
            context = changed(context, {"answerer": "extractive"})  # a follow-up then asks no model either
        known = [question for question in questions if question.rel or question.answerable is not None]
        return (await self.asker.ask(GRADING, [context], known, allowance))[0]

    async def _ranked(self, contexts: Sequence[Context], questions: Sequence[Question]) -> list[list[Row]]:
        """Return what is retrieved, `DEPTH` passages or more, for each question with a known relevant source."""
        known = [question for question in questions if relevant_sources(question.rel or {})]
        deep = [changed(one, {"top_k": max(DEPTH, one.top_k), "answerer": "extractive"}) for one in contexts]
        return await self.asker.ask(RETRIEVAL, deep, known, 0)


def is_judged(question: Question) -> bool:
    """Tell whether enough is known of a question to judge its answer by."""
    return bool(question.answers) or question.answerable is False


def balanced(graded: Sequence[GradedQuestion | None], context: Context, *, web: bool) -> list[float | None]:
    """Return each question's credit, weighted so that the mean is that of the two kinds' means."""
    kinds = [question.answerable for question in graded if question]
    weights = {kind: len(kinds) / (len({*kinds}) * kinds.count(kind)) for kind in {*kinds}}
    return [
        None if question is None else weights[question.answerable] * credit(question, context.crag, web=web)
        for question in graded
    ]


def web_asked(context: Context) -> bool:
    """Tell whether the web may be asked for questions that are not Correct."""
    return context.web_search != "off"


def _recall(row: Row, k: int) -> float | None:
    return None if row.error else recall_at_k(row.retrieved[:k], row.rel or {}, k)


def _by_documents(row: Row) -> GradedQuestion | None:
    """Return the graded question, answerable if the documents answer it, whether that was found or not."""
    graded = graded_question(row)
    is_answerable = bool(relevant_sources(row.rel or {})) or row.answerable is True
    return graded and graded._replace(answerable=is_answerable)
