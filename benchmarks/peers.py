"""langchain-community's FAISS store, BM25Retriever and EnsembleRetriever, as their documentation sets them up."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings

from groundgraph.knowledge.store import Vectors
from groundgraph.models import EmbeddingModel


class Peers:
    """The three retrievers over the same texts; each finds texts by their positions."""

    def __init__(self, texts: Sequence[str], vectors: Vectors, model: EmbeddingModel, k: int) -> None:
        """Index texts with ready vectors, shape (len(texts), dimension).

        Args:
            texts: Non-empty texts.
            vectors: Their vectors.
            model: What embeds the questions.
            k: How many texts FAISS and BM25 find each; the ensemble returns what either found.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the package's sunset
            from langchain_classic.retrievers import EnsembleRetriever
            from langchain_community.retrievers import BM25Retriever
            from langchain_community.vectorstores import FAISS
        places = [{"place": place} for place in range(len(texts))]
        store = FAISS.from_embeddings(zip(texts, vectors, strict=True), _Ready(model), places)
        self.vector: Any = store.as_retriever(search_kwargs={"k": k})
        self.keyword: Any = BM25Retriever.from_texts(texts, places, k=k)
        self.ensemble: Any = EnsembleRetriever(retrievers=[self.vector, self.keyword], weights=[0.5, 0.5])

    @staticmethod
    def places(retriever: Any, question: str) -> list[int]:
        """Return the positions of the texts that a retriever finds, best first."""
        return [document.metadata["place"] for document in retriever.invoke(question)]


class _Ready(Embeddings):
    """One of our models as LangChain's."""

    def __init__(self, model: EmbeddingModel) -> None:
        self._model = model

    def embed_query(self, text: str) -> list[float]:
        vector: list[float] = np.asarray(self._model.embed_query(text)).tolist()
        return vector

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = np.asarray(self._model.embed_passages(texts)).tolist()
        return vectors
