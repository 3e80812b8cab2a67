"""Cross-encoders of sentence-transformers: they read question and passage together."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from groundgraph.errors import ModelError
from groundgraph.grading.head import sigmoid
from groundgraph.knowledge.passage import Passage


class CrossEncoder:
    """A cross-encoder by name or path."""

    def __init__(self, name: str, model: Any) -> None:
        self.name = name
        self._model = model

    def score(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """Return one score in [0, 1] a passage, in order: the logistic function of the model's output."""
        if not passages:
            return []
        pairs = [(question, passage.context) for passage in passages]
        outputs = self._model.predict(pairs, activation_fn=_raw, show_progress_bar=False)
        return [float(score) for score in sigmoid(outputs)]


def _raw(outputs: Any) -> Any:
    """Keep the outputs as they are: models differ in the activation they bring along."""
    return outputs


@cache
def cross_encoder(name: str) -> CrossEncoder:
    """Return the cross-encoder of this name, loaded at its first use.

    Args:
        name: A folder, or a model on Hugging Face such as `BAAI/bge-reranker-v2-m3`, downloaded once.

    Raises:
        ModelError: sentence-transformers is not installed, or the model cannot be had.
    """
    try:
        from sentence_transformers import CrossEncoder as Model
    except ImportError:
        raise ModelError(
            f"'cross-encoder:{name}' needs sentence-transformers: pip install '.[cross-encoder]'"
        ) from None
    try:
        return CrossEncoder(name, Model(name, num_labels=1))
    except (OSError, ValueError) as error:
        said = str(error).split("\n", 1)[0]
        raise ModelError(f"cross-encoder {name!r} cannot be loaded: {said}: check the name or the path") from None
