"""What a second search adds to the recall of questions that take several passages, without any chat model.

    python -m benchmarks.second_search QUESTIONS --collection qa [--split train] [--source 2wiki,musique]

QUESTIONS is a file as `groundgraph eval` takes it, of which the questions with several relevant sources count. The
second search is that of the pattern flare with `flare.query=passage`, for a sentence that cites the first passage
found; what was found before is passed over. Beside it stands one search for as many passages.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from rich import box
from rich.console import Console
from rich.table import Table

from groundgraph.errors import GroundgraphError
from groundgraph.evaluation.metrics.retrieval import recall_at_k, relevant_sources
from groundgraph.evaluation.questions import Question, load_questions
from groundgraph.evaluation.sources import known_sources
from groundgraph.knowledge.search import search
from nodes.form_query import passage_query

FIRST, MORE = 5, 2
"""Passages of the first search, and of the second."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return the exit status: 0, or 2 with one line on standard error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path, metavar="QUESTIONS")
    parser.add_argument("--collection", default="default", metavar="NAME")
    parser.add_argument("--split", metavar="NAME[,NAME…]")
    parser.add_argument("--source", metavar="NAME[,NAME…]")
    given = parser.parse_args(arguments)
    try:
        loaded = load_questions(given.questions, split=given.split, source=given.source)
        questions = known_sources(loaded.items, [given.collection], given.questions.name).questions
        Console(width=120).print(table([one for one in questions if len(gold_of(one)) > 1], given.collection))
    except GroundgraphError as error:
        Console(stderr=True).print(str(error), style="red", markup=False, soft_wrap=True)
        return 2
    return 0


def table(questions: Sequence[Question], collection: str) -> Table:
    """Return the mean recall by source of the questions."""
    one, as_many, two = f"one search, {FIRST}", f"one search, {FIRST + MORE}", f"two searches, {FIRST} + {MORE}"
    shown = Table("source", "questions", one, as_many, two, title="recall", box=box.MARKDOWN)
    measured = [(question.source, recalls(question, collection)) for question in questions]
    for source in sorted({source for source, _ in measured}):
        own = [figures for name, figures in measured if name == source]
        shown.add_row(source, str(len(own)), *(f"{fmean(column):.3f}" for column in zip(*own, strict=True)))
    return shown


def recalls(question: Question, collection: str) -> tuple[float, float, float]:
    """Return the recall of one search, of one for as many passages as of two, and of two."""
    asked, rel = question.question, question.rel or {}
    first, longer = (search(asked, [collection], k=k).passages for k in (FIRST, FIRST + MORE))
    again = search(passage_query(asked, first[0]), [collection], k=FIRST + MORE).passages if first else []
    known = {passage.source for passage in first}
    both = [*first, *[passage for passage in again if passage.source not in known][:MORE]]
    one, as_many, two = (
        recall_at_k([passage.source for passage in found], rel, FIRST + MORE) or 0.0 for found in (first, longer, both)
    )
    return one, as_many, two


def gold_of(question: Question) -> frozenset[str]:
    """Return the sources that the question takes."""
    return relevant_sources(question.rel or {})


if __name__ == "__main__":
    sys.exit(main())
