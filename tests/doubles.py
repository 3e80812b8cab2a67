"""Stand-ins for the parts of a run that a test wants to decide itself."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from groundgraph.errors import WebSearchError
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import SearchResult
from groundgraph.knowledge.store import CollectionInfo


def passage(text: str, source: str = "notes.md", **fields: object) -> Passage:
    return Passage(id=f"{source}:{text[:20]}", page_content=text, source=source, end=len(text), **fields)


class FixedSearch:
    """Finds the same passages whatever is asked, and remembers what was asked."""

    def __init__(self, passages: Sequence[Passage], warnings: Sequence[str] = ()) -> None:
        self.passages = list(passages)
        self.warnings = list(warnings)
        self.queries: list[str] = []
        self.collections: list[list[str]] = []
        self.options: list[dict[str, Any]] = []

    def __call__(self, query: str, collections: Sequence[str], *, k: int, **options: Any) -> SearchResult:
        self.queries.append(query)
        self.collections.append(list(collections))
        self.options.append(options)
        return SearchResult([p.model_copy() for p in self.passages[:k]], list(self.warnings))


class FixedCollection:
    """A collection of which nothing is asked but what it is."""

    def __init__(self, name: str, description: str = "") -> None:
        self._info = CollectionInfo(name, description, 1, 1, "fixed:2", 2, "fixed", 1, Path(name))

    def info(self) -> CollectionInfo:
        return self._info


class FixedEvaluator:
    """Scores a passage by the first key that its text holds, else 0; a sentence likewise, else 1."""

    name = "fixed"
    embedding_model = "fixed"

    def __init__(self, scores: Mapping[str, float], sentences: Mapping[str, float] | None = None) -> None:
        self.scores = scores
        self.sentences = sentences or {}

    def score(self, question: str, passages: Sequence[Passage], vectors: object = None) -> list[float]:
        return [_first(self.scores, passage.page_content, 0.0) for passage in passages]

    def score_sentences(self, question: str, sentences: Sequence[str], passage: Passage) -> list[float]:
        return [_first(self.sentences, sentence, 1.0) for sentence in sentences]


class FixedWeb:
    """Finds the same results whatever is asked, or fails; remembers what it was sent."""

    def __init__(self, results: Sequence[str] = (), error: str | None = None) -> None:
        self.results = results
        self.error = error
        self.queries: list[str] = []

    async def search(self, query: str, k: int) -> SearchResult:
        self.queries.append(query)
        if self.error:
            raise WebSearchError(self.error)
        found = enumerate(self.results[:k], 1)
        return SearchResult([passage(text, f"https://example.org/{n}", origin="web") for n, text in found], [])


def _first(values: Mapping[str, float], text: str, default: float) -> float:
    return next((value for key, value in values.items() if key in text), default)
