"""Tell which documents of the collections the grades of a file of questions mean."""

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import NamedTuple

from groundgraph.errors import InputError, shown
from groundgraph.evaluation.questions import Question
from groundgraph.knowledge.index import Collection


class Known(NamedTuple):
    """Questions whose grades go by the documents' sources."""

    questions: tuple[Question, ...]
    warnings: list[str]
    """That names are in no collection, in one line; empty if all are."""


def known_sources(questions: Sequence[Question], collections: Iterable[str], file: str) -> Known:
    """Return the questions with the sources that their `rel` means: the very name, else the last parts of a path.

    Of two names of one document the higher grade stays. A name that is in no collection stays as it is.

    Args:
        questions: With names as a person wrote them.
        collections: Names of those that are searched.
        file: Name of the file of questions, for messages.

    Raises:
        InputError: A name fits several documents; the message names its line.
        CollectionError: There is no such collection.
    """
    sources = {source for name in collections for source in Collection.open(name).sources()}
    ends: dict[str, list[str]] = {}
    for source in sorted(sources):
        ends.setdefault(PurePath(source).name, []).append(source)
    absent: dict[str, None] = {}
    names = {name for question in questions for name in question.rel or ()}

    def source_of(name: str, question: Question) -> str:
        if name in sources:
            return name
        last = PurePath(name).parts
        found = [one for one in ends.get(PurePath(name).name, []) if last and PurePath(one).parts[-len(last) :] == last]
        if len(found) > 1:
            raise InputError(
                f"questions {file!r} line {question.line}: rel={shown(name)} fits {len(found)} documents, "
                f"such as {found[0]!r} and {found[1]!r}: give more of its path"
            )
        if not found:
            absent[name] = None
        return found[0] if found else name

    known = tuple(
        _renamed(question, {name: source_of(name, question) for name in question.rel or ()}) for question in questions
    )
    if not absent:
        return Known(known, [])
    first = shown(next(iter(absent)))
    return Known(
        known, [f"{len(absent)} of {len(names)} sources in rel are in no collection searched, such as {first}"]
    )


def _renamed(question: Question, sources: dict[str, str]) -> Question:
    if all(name == source for name, source in sources.items()):
        return question
    rel: dict[str, float | None] = {}
    for name, grade in (question.rel or {}).items():
        grades = [one for one in (rel.get(sources[name]), grade) if one is not None]
        rel[sources[name]] = max(grades, default=None)
    return question.model_copy(update={"rel": rel})
