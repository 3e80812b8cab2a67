"""Mix data sets: some to learn from and to measure on, others of which a sample serves for one of the two."""

import zlib
from collections.abc import Sequence
from dataclasses import replace

from groundgraph.grading.dataset import Corpus, Dataset, Question
from groundgraph.knowledge.passage import Passage


def merged(datasets: Sequence[Dataset]) -> Dataset:
    """Return several data sets as one.

    Sources of one name stay apart when passages are searched, since nobody graded the passages of one data set for the
    questions of another, and are one source wherever sources are told apart. A text that an earlier data set holds is
    one passage, so that its questions are never divided between learning and measuring.
    """
    passages: dict[str, Passage] = {}
    corpora: dict[Corpus, tuple[str, ...]] = {}
    questions: list[Question] = []
    known: dict[str, str] = {}
    for part, dataset in enumerate(datasets):
        mark = f"{part}:" if part else ""
        ids = {name: known.get(found.page_content, mark + name) for name, found in dataset.passages.items()}
        for name, passage in dataset.passages.items():
            passages.setdefault(ids[name], passage)
        known |= {passage.page_content: name for name, passage in passages.items()}
        for corpus, names in dataset.corpora.items():
            corpora[corpus._replace(part=part)] = tuple(dict.fromkeys(ids[name] for name in names))
        questions += (
            replace(
                question,
                id=mark + question.id,
                corpus=question.corpus._replace(part=part),
                parallel_id=question.parallel_id and mark + question.parallel_id,
                grades={ids[name]: grade for name, grade in question.grades.items()},
            )
            for question in dataset.questions
        )
    files = tuple(file for dataset in datasets for file in dataset.files)
    return Dataset(files, passages, corpora, tuple(questions))


def sampled(dataset: Dataset, limit: int) -> Dataset:
    """Return a data set with `limit` questions at most of each corpus that is only learned from, always the same ones.

    Of such a corpus only the passages that these questions grade are kept, and grades of other corpora's passages are
    left out, so that little has to be embedded.
    """
    corpora: dict[Corpus, tuple[str, ...]] = {}
    questions: list[Question] = []
    for corpus, names in dataset.corpora.items():
        own = [question for question in dataset.questions if question.corpus == corpus]
        if corpus not in dataset.measured:
            own = sorted(own, key=lambda question: zlib.crc32(question.group.encode()))[:limit]
            own = [_graded_among(question, frozenset(names)) for question in own]
            graded = {name for question in own for name in question.grades}
            names = tuple(name for name in names if name in graded)
        questions += own
        corpora[corpus] = names
    held = {name for names in corpora.values() for name in names}
    passages = {name: passage for name, passage in dataset.passages.items() if name in held}
    return replace(dataset, passages=passages, corpora=corpora, questions=tuple(questions))


def unseen(dataset: Dataset) -> Dataset:
    """Return a data set of which nothing is learned: all of its questions are to measure on."""
    return replace(dataset, questions=tuple(replace(question, split="unseen") for question in dataset.questions))


def _graded_among(question: Question, names: frozenset[str]) -> Question:
    return replace(question, grades={name: grade for name, grade in question.grades.items() if name in names})
