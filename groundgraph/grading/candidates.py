"""Candidate sets to learn from: what a search over the source's own passages brings up, and harder or emptier sets."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

import numpy as np

from groundgraph.grading.dataset import Corpus, Dataset, Question, Split
from groundgraph.grading.terms import content_terms
from groundgraph.grading.vector_cache import Vector
from groundgraph.knowledge.fuse import reciprocal_rank_fusion

Kind = Literal["retrieved", "withheld", "graded", "foreign", "crossed"]
SIZE = 5


@dataclass(frozen=True)
class Candidates:
    """Passages that come up together for one question.

    `retrieved`: the top five of hybrid search over the question's corpus. `withheld`: the same after every relevant
    passage was taken out. `graded`: two to eight passages that people graded. `foreign`: the top five of another
    source; of data with one source, five passages drawn at random among those that the question does not grade.
    `crossed`: the top five of the same articles in the other language.
    """

    question: Question
    kind: Kind
    ids: tuple[str, ...]
    labels: tuple[bool | None, ...]
    """Whether each passage is relevant; None where nobody knows."""

    @property
    def is_known(self) -> bool:
        """Tell whether every passage has a label."""
        return None not in self.labels


class Retriever:
    """Hybrid search over the passages of one corpus, in memory."""

    def __init__(self, dataset: Dataset, corpus: Corpus, vectors: Mapping[str, Vector]) -> None:
        self._ids = dataset.corpora[corpus]
        self._matrix = np.stack([vectors[dataset.passages[name].context] for name in self._ids])
        self._terms = [frozenset(content_terms(dataset.passages[name].context)) for name in self._ids]
        frequency = Counter(term for terms in self._terms for term in terms)
        self._rarity = {term: math.log(1 + len(self._ids) / count) for term, count in frequency.items()}

    def search(self, question: str, vector: Vector, depth: int = 20) -> list[str]:
        """Return passage ids, best first: similarity and rarity-weighted term overlap, fused by rank."""
        by_similarity = np.argsort(-(self._matrix @ vector), kind="stable")[:depth]
        wanted = frozenset(content_terms(question))
        overlap = np.array(
            [sum(self._rarity[term] for term in wanted & terms) / (1 + len(terms) / 200) for terms in self._terms]
        )
        by_terms = [place for place in np.argsort(-overlap, kind="stable")[:depth] if overlap[place] > 0]
        legs = [[self._ids[place] for place in by_similarity], [self._ids[place] for place in by_terms]]
        return [name for name, _ in reciprocal_rank_fusion(legs)]


class CandidateMaker:
    """Makes the candidate sets of a data set's questions."""

    def __init__(self, dataset: Dataset, vectors: Mapping[str, Vector], questions: Mapping[str, Vector]) -> None:
        """Take the data and the vectors of its passages and of its questions, each by text."""
        self._dataset = dataset
        self._questions = questions
        self._retrievers = {corpus: Retriever(dataset, corpus, vectors) for corpus in dataset.corpora}
        self._translations: dict[str, list[Question]] = {}
        for question in dataset.questions:
            if question.parallel_id:
                self._translations.setdefault(question.parallel_id, []).append(question)

    def make(self, split: Split, seed: int = 0) -> list[Candidates]:
        """Return the candidate sets of one split; the same seed gives the same sets."""
        random = Random(f"{split}-{seed}")
        questions = [question for question in self._dataset.questions if question.split == split]
        return [
            found for question in questions for found in (*self._own(question, random), *self._others(question, random))
        ]

    def _own(self, question: Question, random: Random) -> Iterator[Candidates]:
        ranked = [name for name in self._search(question, question.corpus) if _is_usable(question, name)]
        yield _labelled(question, "retrieved", _with_graded(question, ranked)[:SIZE])
        relevant = question.relevant
        if relevant:
            yield _labelled(question, "withheld", [name for name in ranked if name not in relevant][:SIZE])
        graded = [name for name, grade in question.grades.items() if grade is not None and _is_usable(question, name)]
        if relevant and len(graded) > 2:
            yield _labelled(question, "graded", random.sample(graded, random.randint(2, min(8, len(graded)))))

    def _others(self, question: Question, random: Random) -> Iterator[Candidates]:
        own = question.corpus
        corpora = (corpus for corpus in self._dataset.corpora if corpus.part == own.part)
        foreign = [corpus for corpus in corpora if corpus.language == own.language and corpus.source != own.source]
        names = self._search(question, random.choice(foreign))[:SIZE] if foreign else self._drawn(question, random)
        yield Candidates(question, "foreign", tuple(names), (False,) * len(names))
        for twin in self._translations.get(question.parallel_id or "", ()):
            if twin.corpus != question.corpus:
                names = self._search(question, twin.corpus)[:SIZE]
                yield Candidates(question, "crossed", tuple(names), tuple(name in twin.relevant for name in names))

    def _drawn(self, question: Question, random: Random) -> list[str]:
        ungraded = [name for name in self._dataset.corpora[question.corpus] if name not in question.grades]
        return random.sample(ungraded, min(SIZE, len(ungraded)))

    def _search(self, question: Question, corpus: Corpus) -> list[str]:
        return self._retrievers[corpus].search(question.text, self._questions[question.text])


def _labelled(question: Question, kind: Kind, names: Sequence[str]) -> Candidates:
    return Candidates(question, kind, tuple(names), tuple(_label(question, name) for name in names))


def _label(question: Question, name: str) -> bool | None:
    """Tell whether a passage is relevant: not if nobody graded it; None where only the whole set was judged."""
    if None in question.grades.values():
        return None
    return name in question.relevant


def _is_usable(question: Question, name: str) -> bool:
    """Leave out NovelEval's grade 1: on topic, and neither right nor wrong as an answer."""
    return not (question.source == "noveleval" and question.grades.get(name) == 1)


def _with_graded(question: Question, ranked: list[str]) -> list[str]:
    """Put a question's only graded passage (CLAPNQ) among the first, whether or not search found it."""
    if len(question.grades) != 1 or (name := next(iter(question.grades))) in ranked[:SIZE]:
        return ranked
    return [*ranked[: SIZE - 1], name]
