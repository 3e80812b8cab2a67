"""How long the embedded evaluator takes to grade five passages: found in a collection, and never seen before.

    python -m benchmarks.evaluator [DATA_DIR] [--questions 40]

DATA_DIR (or GROUNDGRAPH_QA) holds `corpus.jsonl` and `queries.jsonl`. The vectors of passages in a collection are
stored; those of web results have to be made first. Either way the question was searched for, and its vector is at hand.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console
from rich.progress import track

from benchmarks.machine import machine
from benchmarks.report import markdown_table
from groundgraph.errors import GroundgraphError, InputError
from groundgraph.grading.dataset import Dataset, load_dataset
from groundgraph.grading.evaluator import EmbeddedEvaluator, embedded_evaluator
from groundgraph.knowledge.chunk import DEFAULT_SIZE
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import search, stored_vectors

PASSAGES = 5
LIMITS = {"stored": 0.020, "unseen": 1.5}
"""Seconds that grading five passages may take on two cores."""
_NAME = "benchmark"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return the exit status: 0, or 2 with one line on standard error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", default=os.environ.get("GROUNDGRAPH_QA"), metavar="DATA_DIR")
    parser.add_argument("--questions", type=int, default=40, help="questions to grade passages for")
    given = parser.parse_args(arguments)
    try:
        if given.data is None:
            raise InputError("no data: give a folder with corpus.jsonl and queries.jsonl, or set GROUNDGRAPH_QA")
        seconds = list(measure(load_dataset(Path(given.data)), given.questions, embedded_evaluator()))[1:]
    except GroundgraphError as error:
        Console(stderr=True).print(str(error), style="red", markup=False, soft_wrap=True)
        return 2
    table = markdown_table(f"{machine()}, {len(seconds)} questions", "five passages", "p50", "p95", "limit")
    for (name, limit), taken in zip(LIMITS.items(), zip(*seconds, strict=True), strict=True):
        table.add_row(name, *(f"{1e3 * value:,.1f} ms" for value in (*np.percentile(taken, [50, 95]), limit)))
    Console(width=120).print(table)
    return 0


def measure(dataset: Dataset, count: int, evaluator: EmbeddedEvaluator) -> Iterator[tuple[float, float]]:
    """Yield the seconds of each question, stored and unseen passages; the first question, one more, warms up.

    Raises:
        InputError: There are too few questions or passages.
    """
    asked = sorted({question.text for question in dataset.questions})
    texts = sorted({passage.context for passage in dataset.passages.values()} - {""})
    texts = [text for text in texts if len(text) <= DEFAULT_SIZE]
    needed = (count + 1) * PASSAGES
    if len(asked) <= count or len(texts) < 2 * needed:
        raise InputError(f"--questions {count!r}: {len(asked)} questions and {len(texts)} passages are too few for it")
    drawn, questions = Random(0).sample(texts, 2 * needed), Random(0).sample(asked, count + 1)
    with TemporaryDirectory() as folder:
        home = Path(folder)
        collection = Collection.open(_NAME, home, embedding_model=evaluator.embedding_model, create=True)
        collection.add([LoadedDocument(f"{place}", text) for place, text in enumerate(drawn[:needed])])
        for place in track(range(count + 1), "Grading", transient=True, console=Console(stderr=True)):
            found = search(questions[place], [_NAME], k=PASSAGES, home=home).passages
            unseen = [Passage(page_content=text) for text in drawn[needed + PASSAGES * place :][:PASSAGES]]
            grade = partial(_grading, evaluator, questions[place], home)
            yield grade(found), grade(unseen)


def _grading(evaluator: EmbeddedEvaluator, question: str, home: Path, passages: Sequence[Passage]) -> float:
    """Return the seconds that grading takes, as the node `grade` does it."""
    start = time.perf_counter()
    evaluator.score(question, passages, stored_vectors(passages, evaluator.embedding_model, home))
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
