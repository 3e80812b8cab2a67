"""Fault 15: the vectors of hypothetical documents are pooled otherwise than said.

Question vector [1, 0], two hypotheticals [0, 1], question included → the normalised mean ≈ [0.447, 0.894].
"""

from typing import Any

import numpy as np
import pytest

from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.hypothetical import hypothetical_vectors, pooled
from groundgraph.knowledge.index import Collection
from tests.embedder import use_bag_embedder


@pytest.mark.parametrize(
    ("options", "vector"),
    [
        ({}, [0.447, 0.894]),
        ({"include_question": False}, [0, 1]),
        ({"pool": "max"}, [0.707, 0.707]),
    ],
)
def test_the_mean_is_normalised(monkeypatch: pytest.MonkeyPatch, options: Any, vector: list[float]) -> None:
    embedder = use_bag_embedder(monkeypatch, dimension=2)
    Collection.open("notes", create=True).add([LoadedDocument("a.md", "text")])
    monkeypatch.setattr(embedder, "embed_query", lambda text: np.array([1, 0], np.float32))
    monkeypatch.setattr(embedder, "embed_passages", lambda texts: np.array([[0, 1]] * len(texts), np.float32))
    found = hypothetical_vectors("Q?", ["one", "two"], ["notes"], **options)
    assert found["bag:2"] == pytest.approx(np.array(vector), abs=1e-3)


def test_vectors_that_cancel_out_are_near_nothing() -> None:
    assert pooled([np.array([1, 0], np.float32), np.array([-1, 0], np.float32)], "mean").tolist() == [0, 0]
