"""The combined pattern: HyDE's retrieval, every branch of Corrective RAG, FLARE's writing."""

from collections.abc import Callable
from typing import Any

import pytest

from graphs.combined import graph
from tests.doubles import FixedEvaluator, FixedSearch, FixedWeb, passage
from tests.logprobs import logprobs_of
from tests.scripted import Line, scripted

TOWER = "The Eiffel Tower is 330 metres tall. It was painted brown."
CATS = "Cats purr when they are content."
WRITTEN = ["draft", "append", "finish"]
CORRECTED = ["grade", "rewrite", "web_search", "grade_web"]


@pytest.mark.parametrize(
    ("found", "web_found", "settings", "reply", "path"),
    [
        (TOWER, None, {}, "330 metres [1].", ["grade", "refine", *WRITTEN]),
        (CATS, None, {}, None, ["grade", "refuse"]),
        (CATS, TOWER, {"web_search": "on"}, "330 metres [1].", [*CORRECTED, "refine", *WRITTEN]),
        (CATS, CATS, {"web_search": "on"}, None, [*CORRECTED, "refuse"]),
        (TOWER, None, {}, "NOT FOUND", ["grade", "refine", "draft", "form_query", "retrieve_next", "finish", "refuse"]),
    ],
)
def test_every_branch(
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    web: Callable[..., FixedWeb],
    found: str,
    web_found: str | None,
    settings: dict[str, Any],
    reply: str | None,
    path: list[str],
) -> None:
    search = finds([passage(found)])
    evaluates({"330": 0.9, "Cats": 0.1}, sentences={"painted": 0.1})
    web(*([web_found] if web_found else []))
    lines = [Line("Write a short passage", "The tower is 300 m tall.", times=3)]
    lines += [Line("search query", "tower height")] if web_found else []
    if reply:
        lines += [Line("something else", reply, logprobs=logprobs_of(reply))]
        lines += [
            Line("plausible names", "It is 300 m tall.", logprobs=logprobs_of("It is 300 m tall."), optional=True)
        ]
    with scripted(*lines) as (model, _):
        result = graph.invoke({"question": "How tall is the Eiffel Tower?"}, context={"chat_model": model, **settings})
    assert [step["node"] for step in result["steps"]] == ["receive", "hypothesize", "embed", "retrieve", *path]
    assert result["refused"] == (path[-1] == "refuse")
    assert search.options[0]["vectors"] == {"fixed:2": [0.6, 0.8]}
    if not result["refused"]:
        assert [one.page_content for one in result["passages"]] == ["The Eiffel Tower is 330 metres tall."]
