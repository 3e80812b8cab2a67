"""Score one row for how well its answer stands on its passages, by the verdicts of a judge."""

import asyncio
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from groundgraph.evaluation.metrics import grounding, retrieval
from groundgraph.evaluation.metrics.grounding import CitedStatement, Verdict
from groundgraph.evaluation.records import PassageRecord, Row
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.sentences import sentences
from nodes.cite import MARK, cited_numbers, statements
from state.reducers import Usage

Numbers = tuple[int, ...]
"""Numbers of passages, counted from 1, ascending."""

_WORD = re.compile(r"\w")
_MARKS = re.compile(rf"\s*{MARK.pattern}")


class Judge(Protocol):
    """Gives verdicts about one answer; None is a verdict that could not be had."""

    usage: Usage
    """What its verdicts have cost so far."""
    reads_grades: bool
    """Whether to go by the question file's grades of passages where there are any, instead of asking the judge."""

    async def claims(self, question: str, sentences: Sequence[str]) -> list[list[str]]:
        """Return the claims of each sentence."""
        ...

    async def supported(self, question: str, claims: Sequence[str], evidence: str) -> list[Verdict]:
        """Return for each claim whether `evidence` supports it."""
        ...

    async def useful(self, question: str, passages: Sequence[Passage]) -> list[Verdict]:
        """Return for each passage whether it helps to answer."""
        ...

    async def relevancy(self, question: str, answer: str) -> float | None:
        """Return in [0, 1] how well the answer fits the question."""
        ...

    async def correctness(self, question: str, answer: str, golds: Sequence[str]) -> float | None:
        """Return in [0, 1] how well the answer agrees with the gold answers."""
        ...


class Figure(NamedTuple):
    """The value of a metric on a row, None if it could not be had; `missing` says which verdicts are missing."""

    value: float | None
    missing: str = ""


class Statement(NamedTuple):
    """A sentence of an answer without its marks, and the numbers of the passages it cites."""

    text: str
    cited: Numbers


def cited_statements(row: Row) -> list[Statement]:
    """Return the sentences of the row's answer that hold a word; numbers without a passage do not count."""
    found = [row.answer[start:end] for start, end in statements(row.answer)]
    return [
        Statement(text, tuple(n for n in cited_numbers(sentence) if 1 <= n <= len(row.passages)))
        for sentence in found
        if _WORD.search(text := _MARKS.sub("", sentence).strip())
    ]


async def faithfulness(row: Row, judge: Judge) -> dict[str, Figure]:
    """Return the share of the answer's claims that the passages cited for them support (RAGAS, arXiv:2309.15217).

    A claim whose sentence cites nothing is held against all passages of the answer.
    """
    said = cited_statements(row)
    every = tuple(range(1, len(row.passages) + 1))
    claims = await judge.claims(row.question, [statement.text for statement in said])
    wanted = [(claim, s.cited or every) for s, found in zip(said, claims, strict=True) for claim in found]
    verdicts = await _verdicts(row, judge, wanted)
    found = [verdicts[pair] for pair in wanted]
    return {"faithfulness": _figure(grounding.share(found), found)}


async def citations(row: Row, judge: Judge) -> dict[str, Figure]:
    """Return the precision and recall of the answer's citations (ALCE, arXiv:2305.14627)."""
    said = cited_statements(row)
    subsets = {s: [(alone, tuple(n for n in s.cited if n != alone)) for alone in s.cited] for s in said}
    wanted = [(s.text, s.cited) for s in said]
    wanted += [(s.text, part) for s in said for alone, rest in subsets[s] for part in ((alone,), rest)]
    verdicts = await _verdicts(row, judge, wanted)
    judged = [
        CitedStatement(
            verdicts[s.text, s.cited],
            [verdicts[s.text, (alone,)] for alone, _ in subsets[s]],
            [verdicts[s.text, rest] for _, rest in subsets[s]],
        )
        for s in said
    ]
    every = list(verdicts.values())
    return {
        "citation_precision": _figure(grounding.citation_precision(judged), every),
        "citation_recall": _figure(grounding.citation_recall(judged), every),
    }


async def answer_relevancy(row: Row, judge: Judge) -> dict[str, Figure]:
    """Return how well the answer fits the question, right or wrong."""
    answer = " ".join(statement.text for statement in cited_statements(row))
    value = await judge.relevancy(row.question, answer)
    return {"answer_relevancy": Figure(value, "" if value is not None else "the judge's reply holds no question")}


async def context_precision(row: Row, judge: Judge) -> dict[str, Figure]:
    """Return whether the useful passages come first among those the answer was written from."""
    if judge.reads_grades and retrieval.relevant_sources(row.rel or {}):
        value = retrieval.context_precision([passage.source for passage in row.passages], row.rel or {})
        return {"context_precision": Figure(value)}
    verdicts = await judge.useful(row.question, [_passage(passage) for passage in row.passages])
    return {"context_precision": _figure(grounding.mean_precision(verdicts), verdicts)}


async def context_recall(row: Row, judge: Judge) -> dict[str, Figure]:
    """Return how much of the relevant sources, or of the first gold answer, is in the passages of the answer.

    Of a gold answer: the share of its sentences that all passages together support (RAGAS); 0 without passages.
    """
    if (judge.reads_grades or not row.answers) and retrieval.relevant_sources(row.rel or {}):
        value = retrieval.context_recall([passage.source for passage in row.passages], row.rel or {})
        return {"context_recall": Figure(value)}
    gold = row.answers[0]
    every = tuple(range(1, len(row.passages) + 1))
    wanted = [(gold[start:end], every) for start, end in sentences(gold)]
    verdicts = await _verdicts(row, judge, wanted)
    found = [verdicts[pair] for pair in wanted]
    return {"context_recall": _figure(grounding.share(found), found)}


async def correctness(row: Row, judge: Judge) -> dict[str, Figure]:
    """Return how well the answer agrees with the gold answers, by the judge's rating."""
    value = await judge.correctness(row.question, row.answer, row.answers)
    return {"correctness": Figure(value, "" if value is not None else "the judge's reply holds no rating")}


async def _verdicts(
    row: Row, judge: Judge, wanted: Iterable[tuple[str, Numbers]]
) -> dict[tuple[str, Numbers], Verdict]:
    """Return the verdict on each (claim, numbers of the passages that should support it); no passage supports nothing.

    Claims with the same evidence are judged at once.
    """
    groups: dict[Numbers, dict[str, None]] = {}
    for claim, numbers in wanted:
        groups.setdefault(numbers, {})[claim] = None

    async def judged(numbers: Numbers, claims: list[str]) -> list[Verdict]:
        if not numbers:
            return [False] * len(claims)
        evidence = "\n\n".join(row.passages[number - 1].context for number in numbers)
        return await judge.supported(row.question, claims, evidence)

    found = await asyncio.gather(*(judged(numbers, list(claims)) for numbers, claims in groups.items()))
    return {
        (claim, numbers): verdict
        for (numbers, claims), verdicts in zip(groups.items(), found, strict=True)
        for claim, verdict in zip(claims, verdicts, strict=True)
    }


def _figure(value: float | None, verdicts: Sequence[Verdict]) -> Figure:
    missing = verdicts.count(None)
    return Figure(value, f"{missing} of {len(verdicts)} verdicts could not be had" if missing else "")


def _passage(record: PassageRecord) -> Passage:
    return Passage(page_content=record.text, heading=record.heading, source=record.source)
