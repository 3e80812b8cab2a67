"""Answer without a language model: the best supporting sentences, quoted as they stand."""

from collections.abc import Sequence
from typing import NamedTuple

from groundgraph.grading.evaluator import Evaluator
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.sentences import sentences

RELEVANT = 0.5
"""A passage must score above this to be quoted."""
MAX_SENTENCES = 3

CLOSE = 0.85
"""A further sentence is quoted if it scores at least this share of the best one."""


class Quote(NamedTuple):
    """A sentence of a passage, verbatim, and the passage's number counted from 1."""

    text: str
    number: int


def extractive_answer(
    question: str,
    passages: Sequence[Passage],
    evaluator: Evaluator,
    max_sentences: int = MAX_SENTENCES,
    max_passages: int = 3,
    *,
    relevant: float = RELEVANT,
) -> list[Quote]:
    """Return the sentences that answer best, in the order of the passages; empty if no passage is relevant.

    A sentence ranks by its own score times its passage's. Passages that carry a score are not graded again.

    Args:
        question: The question as it was asked.
        passages: What was retrieved; their order gives the numbers.
        evaluator: Grades passages and sentences.
        max_sentences: Sentences quoted at most.
        max_passages: Passages looked into at most, the best ones.
        relevant: Score above which a passage may be quoted.
    """
    scores = _scores(question, passages, evaluator)
    above = sorted((place for place, score in enumerate(scores) if score > relevant), key=lambda p: -scores[p])
    ranked: list[tuple[float, int, int, str]] = []
    for place in above[:max_passages]:
        text = passages[place].page_content
        parts = [text[start:end] for start, end in sentences(text)]
        graded = evaluator.score_sentences(question, parts, passages[place])
        ranked += [
            (score * scores[place], place, order, part)
            for order, (part, score) in enumerate(zip(parts, graded, strict=True))
        ]
    ranked.sort(key=lambda found: -found[0])
    chosen: dict[str, tuple[int, int]] = {}
    for score, place, order, part in ranked:
        if len(chosen) < max_sentences and score >= CLOSE * ranked[0][0]:
            chosen.setdefault(part, (place, order))
    return [Quote(part, place + 1) for part, (place, _) in sorted(chosen.items(), key=lambda found: found[1])]


def _scores(question: str, passages: Sequence[Passage], evaluator: Evaluator) -> list[float]:
    known = [passage.score for passage in passages if passage.score is not None]
    return known if len(known) == len(passages) else evaluator.score(question, passages)
