"""How well and how fast passages are found, beside the raw engines and LangChain's retrievers.

    python -m benchmarks.retrieval [DATA_DIR] [--sizes 1000 100000 1000000] [--skip quality embedding speed peers]

DATA_DIR (or GROUNDGRAPH_QA) holds `corpus.jsonl` and `queries.jsonl`. The first run embeds all of it, which takes a
quarter of an hour; vectors are kept in the cache folder for the next. Only the ratios of one run mean anything.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console
from rich.progress import Progress

from benchmarks import quality, report, speed
from benchmarks.cached_embedding import CachedEmbedding
from benchmarks.machine import machine
from benchmarks.synthetic import Chunks
from groundgraph.errors import GroundgraphError, InputError
from groundgraph.grading.dataset import Dataset, load_dataset
from groundgraph.grading.vector_store import training_vectors
from groundgraph.knowledge.chunk import CHUNKERS, DEFAULT_SIZE
from groundgraph.knowledge.passage import Passage
from groundgraph.models import EMBEDDING_PROVIDERS, embedding_model
from groundgraph.settings import get_settings

PARTS = ("quality", "embedding", "speed", "peers")
MOST_FOR_PEERS = 100_000
EMBEDDED = 256
"""Passages that are embedded to compare indexing with the embedder alone."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; return the exit status: 0, or 2 with one line on standard error."""
    given = _given(arguments)
    progress = Progress(console=Console(stderr=True), transient=True)
    console = Console(width=200)
    try:
        with progress:
            _run(given, console, progress)
    except GroundgraphError as error:
        Console(stderr=True).print(str(error), style="red", markup=False, soft_wrap=True)
        return 2
    return 0


def _given(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", default=os.environ.get("GROUNDGRAPH_QA"), metavar="DATA_DIR")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 100_000, 1_000_000], help="chunks to search")
    parser.add_argument("--skip", nargs="+", default=[], choices=PARTS, help="parts to leave out")
    parser.add_argument("--chunkers", nargs="+", default=[*CHUNKERS], choices=CHUNKERS, help="chunkers to compare")
    parser.add_argument("--real", type=int, default=10_000, help="most real passages among the chunks to search")
    parser.add_argument("--questions", type=int, default=50, help="questions to time a search with")
    return parser.parse_args(arguments)


def _run(given: argparse.Namespace, console: Console, progress: Progress) -> None:
    if given.data is None:
        raise InputError("no data: give a folder with corpus.jsonl and queries.jsonl, or set GROUNDGRAPH_QA")
    dataset = load_dataset(Path(given.data))
    console.print(machine(), highlight=False)
    if "quality" not in given.skip:
        console.print(report.quality_tables(_quality(dataset, given.chunkers, progress)))
    if "embedding" not in given.skip:
        texts = [passage.page_content for passage in _sample(dataset) if len(passage.page_content) <= DEFAULT_SIZE]
        console.print(report.embedding_table(speed.embed(texts[:EMBEDDED])))
    if "speed" not in given.skip:
        console.print(report.speed_tables(_speed(dataset, given, progress)))


def _quality(dataset: Dataset, chunkers: Sequence[str], progress: Progress) -> list[quality.Row]:
    e5 = embedding_model(speed.MODEL)
    training = training_vectors(e5)
    questions = training.questions((question.text for question in dataset.questions), "Embedding questions")
    passages = training.passages((passage.context for passage in dataset.passages.values()), "Embedding passages")
    cached = CachedEmbedding(e5, get_settings().cache / "benchmark" / "vectors.sqlite", questions)
    cached.remember(passages)
    EMBEDDING_PROVIDERS["cached"] = lambda _: cached
    with TemporaryDirectory() as home:
        return list(quality.measure(dataset, cached, chunkers, Path(home), progress))


def _speed(dataset: Dataset, given: argparse.Namespace, progress: Progress) -> list[speed.Speed]:
    asked = [question.text for question in dataset.questions if question.split != "train"]
    questions = Random(0).sample(sorted({*asked}), given.questions + 1)
    texts = [passage.context for passage in _sample(dataset)[: given.real]]
    vectors = training_vectors(embedding_model(speed.MODEL)).passages(texts, "Embedding passages")
    measured = []
    with TemporaryDirectory() as name:
        Chunks.save(Path(name), [*vectors], np.stack([*vectors.values()]))
        for count in given.sizes:
            task = progress.add_task(f"{count:,} chunks", total=None)
            with_peers = "peers" not in given.skip and count <= MOST_FOR_PEERS
            measured.append(speed.measure(Path(name), count, questions, with_peers))
            progress.remove_task(task)
    return measured


def _sample(dataset: Dataset) -> list[Passage]:
    """Return the passages in an order that is random and always the same."""
    return Random(0).sample([*dataset.passages.values()], len(dataset.passages))


if __name__ == "__main__":
    sys.exit(main())
