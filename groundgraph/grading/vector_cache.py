"""Vectors of texts seen lately, so that a passage graded twice is embedded once."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


class VectorCache:
    """Least-recently-used vectors by text; safe to share between threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._vectors: OrderedDict[str, Vector] = OrderedDict()
        self._lock = Lock()

    def get(self, texts: Sequence[str], embed: Callable[[Sequence[str]], Iterable[Vector]]) -> list[Vector]:
        """Return one vector a text, in order; those not held are embedded in one call, outside the lock."""
        with self._lock:
            held = {text: self._vectors[text] for text in texts if text in self._vectors}
        missing = [text for text in dict.fromkeys(texts) if text not in held]
        if missing:
            held.update(zip(missing, embed(missing), strict=True))
        with self._lock:
            for text in texts:
                self._vectors[text] = held[text]
                self._vectors.move_to_end(text)
            while len(self._vectors) > self._size:
                self._vectors.popitem(last=False)
        return [held[text] for text in texts]
