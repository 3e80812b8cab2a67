import json

import numpy as np
import pytest

from groundgraph.errors import InputError, ModelError, ModelUnavailable
from groundgraph.models import embedding_model
from tests.endpoint import Endpoint


def test_vectors_of_an_endpoint_have_length_1(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint(dimension=5) as endpoint:
        endpoint.configure(monkeypatch)
        model = embedding_model("openai:m")
        assert model.dimension == 5
        vectors = model.embed_passages(["a", "b", "c"])
        query = model.embed_query("b")
    assert vectors.shape == (3, 5)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(query, vectors[1])


def test_many_texts_go_in_batches_and_come_back_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"text {n}" for n in range(70)]
    with Endpoint() as endpoint:
        endpoint.configure(monkeypatch)
        model = embedding_model("openai:m")
        vectors = model.embed_passages(texts)
        np.testing.assert_array_equal(vectors[69], model.embed_query("text 69"))
    assert [len(request["input"]) for request in endpoint.requests[:3]] == [32, 32, 6]


def test_no_texts_give_no_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint(dimension=4) as endpoint:
        endpoint.configure(monkeypatch)
        assert embedding_model("openai:m").embed_passages([]).shape == (0, 4)


def test_an_empty_text_is_sent_as_a_space(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint() as endpoint:
        endpoint.configure(monkeypatch)
        embedding_model("openai:m").embed_passages(["", "ok\0\udbff"])
    assert endpoint.requests[0]["input"] == [" ", "ok "]


@pytest.mark.parametrize(("status", "is_down"), [(401, False), (404, False), (429, True), (500, True)])
def test_errors_read_like_those_of_chat_models(monkeypatch: pytest.MonkeyPatch, status: int, is_down: bool) -> None:
    with Endpoint(always_fail=status) as endpoint:
        endpoint.configure(monkeypatch, max_retries=0)
        with pytest.raises(ModelError, match=rf"model 'openai:m' at 127.0.0.1:\d+ .*{status}") as raised:
            embedding_model("openai:m").embed_query("a")
    assert isinstance(raised.value, ModelUnavailable) == is_down


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize("vectors", [[], [[1.0, 2.0], [1.0, 2.0]], [[]], [[float("nan"), 1.0]], ["text"], [[1.0, "x"]]])
def test_rubbish_vectors_count_as_unavailable(monkeypatch: pytest.MonkeyPatch, vectors: list[object]) -> None:
    data = [{"object": "embedding", "index": n, "embedding": vector} for n, vector in enumerate(vectors)]
    with Endpoint(body=json.dumps({"object": "list", "data": data, "model": "m"})) as endpoint:
        endpoint.configure(monkeypatch, max_retries=0)
        with pytest.raises(ModelUnavailable):
            embedding_model("openai:m").embed_passages(["a"])


def test_a_changed_dimension_is_an_error_naming_both(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint(dimension=3) as endpoint:
        endpoint.configure(monkeypatch)
        model = embedding_model("openai:m")
        model.embed_query("a")
        endpoint.dimension = 4
        with pytest.raises(ModelError, match="4 dimensions after 3"):
            model.embed_query("a")


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("e5", "give it as provider:model"),
        ("e5:large", "the embedded one is 'e5:multilingual-e5-small'"),
        ("nobody:m", "nobody"),
    ],
)
def test_an_unknown_name_is_told_with_the_known_ones(name: str, match: str) -> None:
    with pytest.raises(InputError, match=match):
        embedding_model(name)
