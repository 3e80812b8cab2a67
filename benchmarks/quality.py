"""Which passages each way of searching brings up, source by source."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import NamedTuple, get_args

import numpy as np
from rich.progress import Progress

from benchmarks.cached_embedding import CachedEmbedding
from benchmarks.peers import Peers
from groundgraph.evaluation.metrics.retrieval import ndcg_at_k, recall_at_k, reciprocal_rank
from groundgraph.grading.dataset import Corpus, Dataset, Question
from groundgraph.grading.evaluator import EmbeddedEvaluator
from groundgraph.grading.weights import load_weights
from groundgraph.knowledge.chunk import DEFAULT_CHUNKER, chunk
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import SearchMode, search, stored_vectors

DEPTH = 20
"""Passages that a search returns, and that are reranked: 4 x top_k at its default."""
HARD = ("musique", "2wiki", "noveleval")
"""Sources that tell retrievers apart; the other chunkers are compared on them alone."""

Ranker = Callable[[str], Sequence[str]]
"""Returns the documents whose passages are found for a question, best first, each as often as it was found."""


class Quality(NamedTuple):
    """Means over the questions of one source, each in [0, 1]."""

    recall: float
    """recall@5."""
    reciprocal_rank: float
    """MRR@10."""
    ndcg: float
    """nDCG@10; a document is relevant or not."""


class Row(NamedTuple):
    """The mean quality of one way of searching over the questions of one source."""

    corpus: Corpus
    chunker: str
    method: str
    questions: int
    quality: Quality


def measure(
    dataset: Dataset, model: CachedEmbedding, chunkers: Sequence[str], home: Path, progress: Progress
) -> Iterator[Row]:
    """Yield the quality of every method on the val and test questions that have a relevant passage.

    A question is asked of the passages of its own source and language, each of which is one document. What counts is
    the documents that a method's passages come from, each at its best rank.

    Args:
        dataset: Graded questions and passages.
        model: Embedding model of all methods.
        chunkers: Chunkers to compare on the hard sources; the default one is measured on all sources anyway.
        home: Empty folder for the collections.
        progress: Where to show what is being done.
    """
    for corpus in dataset.corpora:
        questions = [q for q in dataset.questions if q.corpus == corpus and q.split != "train" and q.relevant]
        documents = _documents(dataset, corpus)
        for chunker in dict.fromkeys((DEFAULT_CHUNKER, *chunkers)) if questions else ():
            if chunker == DEFAULT_CHUNKER or corpus.source in HARD:
                rankers = _ours("-".join((*corpus[:2], chunker)), chunker, documents, model, home, progress)
                rankers |= _peers(documents, model) if chunker == DEFAULT_CHUNKER else {}
                for method, ranker in rankers.items():
                    yield Row(corpus, chunker, method, len(questions), _quality(questions, ranker))


def _documents(dataset: Dataset, corpus: Corpus) -> list[LoadedDocument]:
    passages = ((name, dataset.passages[name]) for name in dataset.corpora[corpus])
    return [LoadedDocument(name, passage.page_content, title=passage.heading) for name, passage in passages]


def _quality(questions: Sequence[Question], ranker: Ranker) -> Quality:
    rankings = [(ranker(question.text), question.relevant) for question in questions]
    return Quality(
        recall=_mean(recall_at_k(*ranking, 5) for ranking in rankings),
        reciprocal_rank=_mean(reciprocal_rank(*ranking) for ranking in rankings),
        ndcg=_mean(ndcg_at_k(*ranking) for ranking in rankings),
    )


def _mean(figures: Iterable[float | None]) -> float:
    return fmean(figure for figure in figures if figure is not None)


def _ours(
    name: str,
    chunker: str,
    documents: Sequence[LoadedDocument],
    model: CachedEmbedding,
    home: Path,
    progress: Progress,
) -> dict[str, Ranker]:
    """Index documents, and return what ranks them by each search mode, and reranked."""
    collection = Collection.open(name, home, embedding_model=model.name, chunker=chunker, create=True)
    task = progress.add_task(f"indexing {name}", total=None)
    collection.add(documents, lambda _, done, total: progress.update(task, completed=done, total=total))
    progress.remove_task(task)
    evaluator = EmbeddedEvaluator(load_weights(), model)

    def found(mode: SearchMode, question: str) -> list[Passage]:
        return search(question, [name], k=DEPTH, mode=mode, home=home).passages

    def ranked(mode: SearchMode, question: str) -> list[str]:
        return [passage.source for passage in found(mode, question)]

    def reranked(question: str) -> list[str]:
        passages = found("hybrid", question)
        scores = evaluator.score(question, passages, stored_vectors(passages, model.name, home))
        return [passages[place].source for place in np.argsort(-np.array(scores), kind="stable")]

    modes: tuple[SearchMode, ...] = get_args(SearchMode)
    return {mode: partial(ranked, mode) for mode in modes} | {"hybrid + rerank": reranked}


def _peers(documents: Sequence[LoadedDocument], model: CachedEmbedding) -> dict[str, Ranker]:
    """Return what ranks the same chunks by LangChain's retrievers; each finds as many as one of our legs."""
    chunks = [(document.source, piece.context) for document in documents for piece in chunk(document)]
    sources, texts = zip(*chunks, strict=True)
    peers = Peers(texts, model.embed_passages(texts), model, k=2 * DEPTH)

    def ranked(retriever: object, question: str) -> list[str]:
        return [sources[place] for place in peers.places(retriever, question)[:DEPTH]]

    return {
        "FAISS (langchain)": partial(ranked, peers.vector),
        "BM25Retriever": partial(ranked, peers.keyword),
        "EnsembleRetriever": partial(ranked, peers.ensemble),
    }
