"""Fault 34: a search provider rejects a long query, or is sent a model's JSON.

A question of 401 characters: the provider gets at most 400. A rewriter that says `{"query":"NBA 2023"}`: NBA 2023.
A Chinese question of 475 characters whose only space follows its first word: the provider gets 400 of them, not that
word alone.
"""

from collections.abc import Callable

import pytest

from graphs.crag import graph
from state.context import Context
from tests.doubles import FixedEvaluator, FixedSearch, FixedWeb
from tests.scripted import scripted


@pytest.mark.parametrize(
    ("reply", "sent"), [("word " * 100, None), ("长" * 500, None), ("", None), ('{"query":"NBA 2023"}', "NBA 2023")]
)
def test_the_provider_gets_a_short_bare_query(
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    web: Callable[..., FixedWeb],
    reply: str,
    sent: str | None,
) -> None:
    finds([])
    evaluates({})
    provider = web()
    question = "Who won " + "and won " * 49 + "?"
    assert len(question) == 401
    with scripted(("search query", reply)) as (model, _):
        result = graph.invoke({"question": question}, context=Context(chat_model=model, web_search="on"))
    (query,) = provider.queries
    assert 0 < len(query) <= 400
    assert sent in (None, query)
    assert result["messages"][0].text == question


def test_a_query_is_cut_at_a_space_only_where_enough_is_left(
    finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator], web: Callable[..., FixedWeb]
) -> None:
    finds([])
    evaluates({})
    provider = web()
    chinese = "Acme " + "公司的年度报告" * 67 + "？"
    for question in (chinese, "words " * 80 + "?"):
        graph.invoke({"question": question}, context=Context(answerer="extractive", web_search="on"))
    assert len(chinese) == 475
    assert provider.queries == [chinese[:400], ("words " * 80)[:395]]
