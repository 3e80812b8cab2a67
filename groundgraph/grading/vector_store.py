"""Vectors of training texts, kept in the user's cache between runs."""

import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from rich.console import Console
from rich.progress import track

from groundgraph.grading.vector_cache import Vector
from groundgraph.models import EmbeddingModel
from groundgraph.settings import get_settings

T = TypeVar("T")

_BATCH = 64
_SAVE_EVERY = 5
"""Batches after which what was embedded is saved: a minute of work on a slow core."""


class VectorStore:
    """Vectors by text in one `.npz` file; what is missing is embedded and added."""

    def __init__(self, path: Path, model: EmbeddingModel) -> None:
        """Open the file, or start one; it holds the vectors of `model` only."""
        self._path = path
        self._model = model
        self._vectors: dict[str, Vector] = {}
        if path.exists():
            with np.load(path) as stored:
                self._vectors = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))

    def passages(self, texts: Iterable[str], description: str) -> dict[str, Vector]:
        """Return the passage vectors of texts, by text, showing progress while any is embedded."""
        keys = {text: _key("passage", text) for text in texts}
        missing = [text for text, key in keys.items() if key not in self._vectors]
        batches = [missing[start : start + _BATCH] for start in range(0, len(missing), _BATCH)]
        for count, batch in enumerate(_track(batches, description), start=1):
            self._vectors.update(zip((keys[text] for text in batch), self._model.embed_passages(batch), strict=True))
            if count % _SAVE_EVERY == 0:
                self._save()
        if missing:
            self._save()
        return {text: self._vectors[key] for text, key in keys.items()}

    def questions(self, texts: Iterable[str], description: str) -> dict[str, Vector]:
        """Return the query vectors of questions, by text, showing progress while any is embedded."""
        keys = {text: _key("query", text) for text in texts}
        missing = [text for text, key in keys.items() if key not in self._vectors]
        for text in _track(missing, description):
            self._vectors[keys[text]] = self._model.embed_query(text)
        if missing:
            self._save()
        return {text: self._vectors[key] for text, key in keys.items()}

    def _save(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._path.with_suffix(f".{os.getpid()}.npz")
        np.savez(temporary, keys=np.array(list(self._vectors)), vectors=np.stack(list(self._vectors.values())))
        temporary.replace(self._path)


def _track(parts: Sequence[T], description: str) -> Iterable[T]:
    return track(parts, description, console=Console(stderr=True), disable=not parts)


def training_vectors(model: EmbeddingModel) -> VectorStore:
    """Return the vectors of training texts by a model, as the user's cache holds them."""
    return VectorStore(get_settings().cache / "training" / f"{model.name.replace(':', '-')}.npz", model)


def _key(kind: str, text: str) -> str:
    return hashlib.sha256(f"{kind}: {text}".encode()).hexdigest()[:32]
