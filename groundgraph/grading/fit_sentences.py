"""Fit the head that tells which sentences of a passage to keep, on relevant passages whose answers are known."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from groundgraph.grading.dataset import Dataset, Question, Split
from groundgraph.grading.features import Floats
from groundgraph.grading.head import Head, fit_head
from groundgraph.grading.sentence_features import SENTENCE_FEATURES, sentence_features
from groundgraph.grading.terms import content_terms
from groundgraph.grading.vector_cache import Vector
from groundgraph.knowledge.keywords import fold
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.sentences import sentences

SHORT_ANSWER = 60
"""Characters up to which an answer is looked for as it is; a longer one is met by sentences that share its terms."""

MAX_SENTENCES = 60
"""Passages with more sentences are left out: articles, not chunks."""


@dataclass(frozen=True)
class AnsweredPassage:
    """A relevant passage cut into sentences, with which of them hold an answer."""

    question: Question
    passage: Passage
    sentences: tuple[str, ...]
    answers: tuple[bool, ...]


@dataclass(frozen=True)
class SentenceExample:
    """An answered passage with the features of its sentences."""

    answered: AnsweredPassage
    rows: Floats


def answered_passages(dataset: Dataset, split: Split) -> Iterator[AnsweredPassage]:
    """Yield the relevant passages of a split that hold an answer in at least one of two or more sentences."""
    for question in dataset.questions:
        if question.split != split:
            continue
        for name in sorted(question.relevant):
            passage = dataset.passages[name]
            text = passage.page_content
            parts = tuple(text[start:end] for start, end in sentences(text))
            answers = tuple(holds_answer(part, question.answers) for part in parts)
            if 2 <= len(parts) <= MAX_SENTENCES and any(answers):
                yield AnsweredPassage(question, passage, parts, answers)


def holds_answer(sentence: str, answers: Sequence[str]) -> bool:
    """Tell whether a sentence holds a short answer as it stands, or 60 % of its own terms in a long one."""
    terms = frozenset(content_terms(sentence))
    for answer in answers:
        if len(answer) <= SHORT_ANSWER:
            if fold(answer).strip(" .。") in fold(sentence):
                return True
        elif len(terms) > 1 and len(terms.intersection(content_terms(answer))) >= 0.6 * len(terms):
            return True
    return False


def make_sentence_examples(
    answered: Sequence[AnsweredPassage], vectors: Mapping[str, Vector], questions: Mapping[str, Vector]
) -> list[SentenceExample]:
    """Compute the features of the sentences of answered passages, from vectors by text."""
    return [
        SentenceExample(
            part,
            sentence_features(
                part.question.text,
                questions[part.question.text],
                part.sentences,
                np.stack([vectors[sentence] for sentence in part.sentences]),
                part.passage.heading,
            ),
        )
        for part in answered
    ]


def fit_sentence_head(examples: Sequence[SentenceExample]) -> Head:
    """Return a head for P(sentence holds the answer); each source counts with the square root of its passages."""
    passages: dict[str, int] = {}
    for example in examples:
        source = example.answered.question.source
        passages[source] = passages.get(source, 0) + 1
    weights = [
        np.full(len(example.rows), passages[example.answered.question.source] ** -0.5 / len(example.rows))
        for example in examples
    ]
    labels = np.concatenate([example.answered.answers for example in examples]).astype(np.float64)
    rows = np.concatenate([example.rows for example in examples])
    return fit_head(SENTENCE_FEATURES, rows, labels, np.concatenate(weights), ridge=0.01)


def kept_sentences(head: Head, example: SentenceExample) -> list[bool]:
    """Return which sentences a head keeps: those at 0.5 or more, and always the best."""
    scores = head.predict(example.rows)
    return [bool(score >= min(0.5, scores.max())) for score in scores]


def refinement_figures(head: Head, examples: Sequence[SentenceExample]) -> dict[str, float]:
    """Return the share of passages whose answer survives refinement, and the share of characters that is kept."""
    survived, kept, total = 0, 0, 0
    for example in examples:
        keeps = kept_sentences(head, example)
        lengths = [len(sentence) for sentence in example.answered.sentences]
        survived += any(keep and holds for keep, holds in zip(keeps, example.answered.answers, strict=True))
        kept += sum(length for length, keep in zip(lengths, keeps, strict=True) if keep)
        total += sum(lengths)
    return {
        "passages": len(examples),
        "answers_survive": round(survived / len(examples), 4),
        "characters_kept": round(kept / total, 4),
    }


def set_threshold(head: Head, examples: Sequence[SentenceExample], survival: float) -> Head:
    """Shift a head so that 0.5 is the highest threshold at which the answers of `survival` of the passages are kept."""
    for shift in np.arange(-1.0, 6.0, 0.05):
        shifted = head.shifted(float(shift))
        if refinement_figures(shifted, examples)["answers_survive"] >= survival:
            return shifted
    return shifted
