"""A passage: a chunk that was retrieved."""

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Literal, Self

from langchain_core.documents import Document

from groundgraph.knowledge.sentences import table_headers

Tier = Literal["correct", "ambiguous", "incorrect"]
Origin = Literal["local", "web", "graph", "model"]


class Passage(Document):
    """A chunk of a document with where it stands and how well it fits the question.

    `page_content` is the chunk's exact text: the document's characters `start` to `end`.
    `metadata` holds what the document brought along; everything we add is a field of its own.
    """

    source: str = ""
    """Path, address or id of the document."""
    heading: str = ""
    """Headings above the chunk, joined by `>`; empty if there are none."""
    page: int | None = None
    """Page the chunk stands on, counted from 1, where the document has pages."""
    start: int = 0
    end: int = 0
    collection: str = ""
    origin: Origin = "local"
    score: float | None = None
    """Relevance to the question in [0, 1] by the evaluator; None before grading."""
    tier: Tier | None = None

    @property
    def locator(self) -> str:
        """Return where in the source the passage stands: page, heading, or character span."""
        parts = [f"p. {self.page}"] if self.page else []
        parts += [self.heading] if self.heading else []
        return ", ".join(parts) or f"characters {self.start}-{self.end}"

    @property
    def context(self) -> str:
        """Return the text with its heading above it, as it is embedded and graded."""
        return f"{self.heading}\n{self.page_content}" if self.heading else self.page_content

    def __repr_args__(self) -> Iterator[tuple[str | None, object]]:
        """Yield where it stands and how it is graded, so that a state full of passages can be read."""
        yield None, PurePath(self.source).name
        yield None, self.locator
        if self.score is not None:
            yield "score", round(self.score, 2)
        if self.tier is not None:
            yield "tier", self.tier

    def cut(self, spans: Sequence[tuple[int, int]]) -> Self:
        """Return the passage with these sentences only; lines stay lines, and rows of a table keep its header."""
        text, kept, last = self.page_content, "", 0
        for start, end in sorted({*spans, *table_headers(text, spans).values()}):
            gap = "\n" if "\n" in text[last:start] else " "
            kept, last = f"{kept}{gap if kept else ''}{text[start:end].strip()}", end
        return self.model_copy(update={"page_content": kept})
