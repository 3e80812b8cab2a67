"""Answer without a language model: the best supporting sentences, quoted as they stand."""

from collections.abc import Sequence
from typing import NamedTuple

from groundgraph.grading.evaluator import Evaluator
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.sentences import Span, explained, read_alone, sentences, table_headers

RELEVANT = 0.5
"""A passage must score above this to be quoted."""
MAX_SENTENCES = 3

CLOSE = 0.85
"""A further sentence is quoted if it scores at least this share of the best one."""


class Ranked(NamedTuple):
    """A sentence of a passage: its score in [0, 1], the place of the passage, and its characters there."""

    score: float
    place: int
    span: Span


class Quote(NamedTuple):
    """A sentence of a passage, verbatim, and the passage's number counted from 1.

    The first row that is quoted of a table has the table's header above it; a sentence that begins with a pronoun
    follows what it stands for, unless that is quoted already.
    """

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
    """Return the sentences that rank best, in the order of the passages; empty if no passage is relevant.

    Passages that carry a score are not graded again.

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
    places = above[:max_passages]
    ranked = rank_sentences(question, [passages[p] for p in places], [scores[p] for p in places], evaluator)
    chosen: dict[str, tuple[int, Span]] = {}
    for score, rank, span in ranked:
        if len(chosen) < max_sentences and score >= CLOSE * ranked[0].score:
            chosen.setdefault(passages[places[rank]].page_content[slice(*span)], (places[rank], span))
    return _quotes(sorted(chosen.values()), passages)


def _quotable(text: str) -> list[Span]:
    """Return the spans of the sentences of a text, without the headers of tables, which say nothing without a row."""
    spans = sentences(text)
    headers = set(table_headers(text, spans).values())
    return [span for span in spans if span not in headers]


def _quotes(chosen: Sequence[tuple[int, Span]], passages: Sequence[Passage]) -> list[Quote]:
    """Return the quotes at these places, in their order; a table's header stands above the first of its rows."""
    quotes: list[Quote] = []
    shown: set[tuple[int, Span]] = set()
    for place, span in chosen:
        text = passages[place].page_content
        header = table_headers(text, [span]).get(span)
        if header is not None and (place, header) not in shown:
            quote = read_alone(text, [span])[0]
        else:
            needed = [one for one in explained(text, [span], sentences(text)) if (place, one) not in shown]
            quote = text[needed[0][0] : span[1]]
            shown |= {(place, one) for one in needed}
        quotes.append(Quote(quote, place + 1))
        shown |= {(place, header)} if header else set()
    return quotes


def rank_sentences(
    question: str, passages: Sequence[Passage], scores: Sequence[float], evaluator: Evaluator
) -> list[Ranked]:
    """Return all sentences of the passages, best first: a sentence ranks by its own score times its passage's."""
    ranked: list[Ranked] = []
    for place, (passage, score) in enumerate(zip(passages, scores, strict=True)):
        spans = _quotable(passage.page_content)
        graded = evaluator.score_sentences(question, read_alone(passage.page_content, spans), passage)
        ranked += [Ranked(own * score, place, span) for own, span in zip(graded, spans, strict=True)]
    return sorted(ranked, key=lambda found: -found.score)


def _scores(question: str, passages: Sequence[Passage], evaluator: Evaluator) -> list[float]:
    known = [passage.score for passage in passages if passage.score is not None]
    return known if len(known) == len(passages) else evaluator.score(question, passages)
