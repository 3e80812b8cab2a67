"""Fault 31: embedding endpoints that accept only strings.

OpenAI-compatible embeddings endpoints that accept only strings, not token arrays → ingestion succeeds with a custom
base_url: what goes on the wire are the texts themselves, and plain numbers are asked for.
"""

import pytest

from groundgraph.models import embedding_model
from tests.endpoint import Endpoint


def test_only_strings_go_on_the_wire(monkeypatch: pytest.MonkeyPatch) -> None:
    with Endpoint() as endpoint:
        endpoint.configure(monkeypatch)
        model = embedding_model("openai:any-model")
        assert model.embed_passages(["好。", "long " * 3000]).shape == (2, 3)
        assert model.embed_query("好？").shape == (3,)
    assert endpoint.paths == ["/v1/embeddings"] * 2
    assert endpoint.requests[0]["input"] == ["好。", "long " * 3000]
    assert endpoint.requests[0]["encoding_format"] == "float"
