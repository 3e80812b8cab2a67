"""Compress passages to the sentences that matter most, within a budget of tokens."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from langgraph.runtime import Runtime

from groundgraph.grading.evaluator import embedded_evaluator
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.sentences import Span, explained, read_alone, sentences, table_headers
from groundgraph.models.tokens import count_tokens
from nodes.model import chat_model_of
from nodes.node import Update, node, said
from nodes.rerank import Retrieved, questions
from state.context import Context

RELEVANT = 0.5
"""Score from which a sentence is worth keeping."""


Piece: TypeAlias = tuple[int, Span]
"""Which passage a piece of text is of, and where it stands there."""


class Sentence(NamedTuple):
    """A relevant sentence: which passage it is of, where it stands there, and how relevant it is."""

    place: int
    span: Span
    score: float
    needs: tuple[Span, ...] = ()
    """What is kept with it: the header of its table, what its first pronoun stands for."""

    @property
    def pieces(self) -> list[Piece]:
        """Return what is kept with the sentence, itself included."""
        return [(self.place, span) for span in (*self.needs, self.span)]


@node
async def compress(state: Retrieved, runtime: Runtime[Context]) -> Update:
    """Keep the relevant sentences, in their order, that fit into `compress_tokens`; what scores lowest goes first.

    Tokens are counted by the chat model's own tokenizer where it is embedded. A passage left with no sentence is
    dropped; the others keep their source and place, so that citations stay right.
    """
    context, passages = runtime.context, state["passages"]
    relevant = await asyncio.to_thread(_relevant, questions(state), passages)
    pieces = list(dict.fromkeys(piece for one in relevant for piece in one.pieces))
    texts = [passages[place].page_content[slice(*span)] for place, span in pieces]
    counts = await count_tokens(await chat_model_of(context), texts)
    kept, tokens = within(relevant, dict(zip(pieces, counts, strict=True)), context.compress_tokens)
    spans: dict[int, list[Span]] = {}
    for one in sorted(kept):
        spans.setdefault(one.place, []).extend(span for _, span in one.pieces)
    compressed = [passages[place].cut(parts) for place, parts in spans.items()]
    return {
        "passages": compressed,
        "refusal_reason": "" if compressed else "no sentence of the passages is relevant",
        "steps": said(
            "compress",
            f"{len(kept)} of {len(relevant)} relevant sentences kept",
            passages=len(compressed),
            tokens=tokens,
            budget=context.compress_tokens,
        ),
    }


def within(sentences: Sequence[Sentence], counts: Mapping[Piece, int], budget: int) -> tuple[list[Sentence], int]:
    """Return the best sentences that fit into `budget` tokens together, and how many tokens they have.

    The best one is kept whatever its length. The header of a table is counted once, with its first row.
    """
    kept: list[Sentence] = []
    counted: set[Piece] = set()
    total = 0
    for one in sorted(sentences, key=lambda one: -one.score):
        new = set(one.pieces) - counted
        count = sum(counts[piece] for piece in new)
        if not kept or total + count <= budget:
            kept.append(one)
            counted |= new
            total += count
    return kept, total


def _relevant(queries: Sequence[str], passages: Sequence[Passage]) -> list[Sentence]:
    """Return the sentences that are relevant to a query, with the score for the one that they fit best."""
    evaluator, found = embedded_evaluator(), []
    for place, passage in enumerate(passages):
        spans = sentences(passage.page_content)
        texts = read_alone(passage.page_content, spans)
        scores = map(max, zip(*(evaluator.score_sentences(query, texts, passage) for query in queries), strict=True))
        headers = table_headers(passage.page_content, spans)
        found += [
            Sentence(place, span, score, _needs(passage.page_content, span, spans, headers))
            for span, score in zip(spans, scores, strict=True)
            if score >= RELEVANT
        ]
    return found


def _needs(text: str, span: Span, spans: Sequence[Span], headers: Mapping[Span, Span]) -> tuple[Span, ...]:
    if span in headers:
        return (headers[span],)
    return tuple(other for other in explained(text, [span], spans) if other != span)
