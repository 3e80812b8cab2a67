"""Check an answer against the passages it was written from: keep what is cited or supported, refuse the rest."""

import re
from collections.abc import Callable, Sequence

from groundgraph.grading.facts import facts_stand
from groundgraph.grading.support import SUPPORTED, support
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.sentences import sentences
from nodes.prompt import CODE
from state.schemas import Citation

Similarity = Callable[[str, str], float]
"""Support in [0, 1] of a claim by a passage's text, by meaning."""

MARK = re.compile(r"\[(\d+)\]")
MAX_QUOTE = 300
UNCITED = re.compile(r"#{1,6}\s|\|.*\n")
"""A heading, or a table's header with the rule below it."""


def cited_numbers(answer: str) -> list[int]:
    """Return the numbers that the answer cites, each once, in ascending order; brackets in code cite nothing."""
    return sorted({int(number) for number in MARK.findall(CODE.sub("", answer))})


def add_missing(
    answer: str, passages: Sequence[Passage], question: str, similarity: Similarity | None = None, *, shown: int = 0
) -> str:
    """Return the answer with a citation after each sentence that has none but is supported by a passage.

    A table's row is cited in its last cell, a block of code on the line below it, a heading not at all. Across
    languages, where words cannot be compared, `similarity` decides. The first `shown` characters stay as they are;
    what goes on with a sentence or block of code that began there is judged with it.
    """
    parts: list[str] = []
    end = 0
    spans = statements(answer)
    for start, stop in spans:
        parts.append(answer[end:start])
        text = answer[start:stop]
        cited = stop <= shown or cited_numbers(text) or UNCITED.match(text)
        number = None if cited else supporting(text, passages, question, similarity)
        parts.append(with_mark(text.rstrip(), number) if number else text)
        end = stop
    return "".join([*parts, answer[end:]])


def with_mark(text: str, number: int) -> str:
    """Return a sentence, item, row or block of code with its citation."""
    if text.startswith("|") and text.endswith("|"):
        return f"{text[:-1].rstrip()} [{number}] |"
    return f"{text}\n[{number}]" if text.startswith(("```", "~~~")) else f"{text} [{number}]"


def supporting(
    claim: str, passages: Sequence[Passage], question: str, similarity: Similarity | None = None
) -> int | None:
    """Return the number of the passage that supports the claim best; None if none does, and holds its facts."""
    scores = [
        support(claim, passage.context, question, similarity) if facts_stand(claim, passage.context, question) else 0.0
        for passage in passages
    ]
    best = max(range(len(scores)), key=scores.__getitem__, default=None)
    return best + 1 if best is not None and scores[best] >= SUPPORTED else None


def citation(number: int, passage: Passage, answer: str) -> Citation:
    """Return the citation, with the sentence of the passage that the answer rests on as its quote."""
    text = passage.page_content
    claim = MARK.sub("", answer)
    quotes = [text[start:end].strip() for start, end in sentences(text)] or [text]
    quote = max(quotes, key=lambda sentence: support(claim, sentence) + support(sentence, claim))
    return {
        "number": number,
        "source": passage.source,
        "locator": passage.locator,
        "quote": quote[:MAX_QUOTE],
        "collection": passage.collection,
    }


def statements(answer: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences; marks that follow a full stop belong to the sentence before them."""
    spans: list[tuple[int, int]] = []
    for start, end in sentences(answer):
        after = re.match(r"(?:\s*\[\d+\])+", answer[start:end])
        if after and spans:
            spans[-1] = (spans[-1][0], start + after.end())
            start += after.end()
        if answer[start:end].strip():
            spans.append((start, end))
    return spans
