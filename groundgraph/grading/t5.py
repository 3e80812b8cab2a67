"""The evaluator of the CRAG paper: a T5 that was fine-tuned to score passages (arXiv:2401.15884, section 4.2)."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from groundgraph.errors import ModelError
from groundgraph.knowledge.passage import Passage

MAX_TOKENS = 512
"""Tokens of question and passage together that the paper's model reads."""


class T5Evaluator:
    """A T5 with one regression output in [-1, 1], brought to [0, 1]."""

    def __init__(self, name: str, tokenizer: Any, model: Any) -> None:
        self.name = name
        self._tokenizer = tokenizer
        self._model = model

    def score(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """Return for each passage `(output + 1) / 2`, cut to [0, 1]; an empty passage scores 0."""
        import torch

        held = [place for place, passage in enumerate(passages) if passage.page_content.strip()]
        scores = [0.0] * len(passages)
        if not held:
            return scores
        texts = [f"{question} [SEP] {passages[place].context}" for place in held]
        batch = self._tokenizer(texts, padding=True, truncation=True, max_length=MAX_TOKENS, return_tensors="pt")
        with torch.inference_mode():
            outputs = self._model(**batch).logits.squeeze(-1)
        for place, output in zip(held, outputs.tolist(), strict=True):
            scores[place] = min(max((output + 1) / 2, 0.0), 1.0)
        return scores


@cache
def t5_evaluator(name: str) -> T5Evaluator:
    """Return the T5 evaluator of this name, loaded at its first use.

    Args:
        name: A folder, or a model on Hugging Face, with a sequence-classification head of one output.

    Raises:
        ModelError: transformers is not installed, or the model cannot be had or has no such head.
    """
    try:
        from transformers import AutoTokenizer, T5ForSequenceClassification
    except ImportError:
        raise ModelError(
            f"evaluator='t5:{name}' needs transformers and torch: pip install '.[cross-encoder]'"
        ) from None
    try:
        tokenizer = AutoTokenizer.from_pretrained(name)
        model, info = T5ForSequenceClassification.from_pretrained(name, num_labels=1, output_loading_info=True)
    except (OSError, ValueError, RuntimeError) as error:
        said = str(error).split("\n", 1)[0]
        raise ModelError(f"t5 evaluator {name!r} cannot be loaded: {said}: check the name or the path") from None
    if missing := sorted(info["missing_keys"]):
        raise ModelError(
            f"t5 evaluator {name!r} is not trained to score passages: {missing[0]!r} is missing; fine-tune it first"
        )
    return T5Evaluator(name, tokenizer, model.eval())
