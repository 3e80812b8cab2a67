"""An answer's citations: checked, added where the passages support it, and quoted."""

from collections.abc import Callable
from typing import Any

import pytest

from graphs.naive import graph
from nodes.cite import add_missing, citation, cited_numbers, supporting
from state.context import Context
from tests.doubles import FixedSearch, passage
from tests.scripted import scripted

TOWER = passage("The Eiffel Tower is 330 metres tall. It was finished in 1889.", heading="Towers > Eiffel", page=2)
CATS = passage("Cats purr when they are content.")
PASSAGES = [CATS, TOWER]


def test_a_supported_sentence_without_citation_gets_one() -> None:
    answer = "The Eiffel Tower is 330 metres tall. Cats purr [1]."
    assert add_missing(answer, PASSAGES, "") == "The Eiffel Tower is 330 metres tall. [2] Cats purr [1]."


def test_a_mark_after_the_full_stop_belongs_to_the_sentence_before() -> None:
    answer = "The Eiffel Tower is 330 metres tall. [2] Cats purr when content. [1]"
    assert add_missing(answer, PASSAGES, "") == answer


def test_tables_headings_and_code_stay_whole() -> None:
    prices = passage("| plan | price |\n|---|---|\n| Gold | 20 euros |\n\nRun `groundgraph index notes` first.")
    answer = "# Prices\n\n| plan | price |\n|---|---|\n| Gold | 20 euros |\n\n```\ngroundgraph index notes\n```"
    assert add_missing(answer, [prices], "") == (
        "# Prices\n\n| plan | price |\n|---|---|\n| Gold | 20 euros [1] |\n\n```\ngroundgraph index notes\n```\n[1]"
    )


def test_brackets_in_code_cite_nothing() -> None:
    assert cited_numbers("Take `row[3]` [1].\n```\nx[2]\n```") == [1]


def test_what_is_shown_stays_and_what_goes_on_with_it_is_judged_with_it() -> None:
    judged = []

    def similarity(claim: str, text: str) -> float:
        judged.append(claim)
        return 0.9

    shown, tower = "塔高330米。\n```\nx = y", passage("埃菲尔铁塔高330米，位于巴黎。")
    answer = add_missing(f"{shown}\n```", [tower], "", similarity, shown=len(shown))
    assert judged == ["```\nx = y\n```"] and answer == f"{shown}\n```\n[1]"
    assert supporting("```", [tower], "", similarity) is None, "it has no word"


def test_a_claim_of_nobody_gets_none() -> None:
    assert add_missing("Bob runs Acme.", PASSAGES, "Who runs Acme?") == "Bob runs Acme."
    assert supporting("Bob runs Acme.", [], "Who runs Acme?") is None


def test_a_chinese_claim() -> None:
    tower = passage("埃菲尔铁塔高330米，位于巴黎。")
    assert add_missing("埃菲尔铁塔高330米。", [CATS, tower], "埃菲尔铁塔有多高？") == "埃菲尔铁塔高330米。 [2]"


def test_a_claim_in_another_language_goes_by_meaning() -> None:
    claim = "这座塔很高，而且很有名。"
    assert add_missing(claim, PASSAGES, "") == claim
    near = {TOWER.context: 0.9, CATS.context: 0.1}
    assert add_missing(claim, PASSAGES, "", lambda claim, text: near[text]) == f"{claim} [2]"


def test_the_quote_is_the_sentence_the_answer_rests_on() -> None:
    assert citation(2, TOWER, "It was finished in 1889 [2].") == {
        "number": 2,
        "source": "notes.md",
        "locator": "p. 2, Towers > Eiffel",
        "quote": "It was finished in 1889.",
        "collection": "",
    }


def ask(finds: Callable[..., FixedSearch], says: str, **settings: Any) -> dict[str, Any]:
    finds(PASSAGES)
    with scripted((None, says)) as (model, _):
        return graph.invoke({"question": "How tall is the tower?"}, context=Context(chat_model=model, **settings))


def test_a_number_of_no_passage_is_removed_with_a_warning(finds: Callable[..., FixedSearch]) -> None:
    result = ask(finds, "The Eiffel Tower is 330 metres tall [2][7].")
    assert result["answer"] == "The Eiffel Tower is 330 metres tall [2]."
    assert result["warnings"] == ["citation [7] removed: there is no passage 7"]


def test_an_answer_without_citation_or_support_is_refused(finds: Callable[..., FixedSearch]) -> None:
    result = ask(finds, "Bob runs Acme, as everybody knows.")
    assert result["refused"] and "Bob" not in result["answer"] and result["citations"] == []
    assert result["refusal_reason"] == "the answer has no citation and no support in the passages"


STAFF = passage("The notice period is two weeks for interns.\n\n| Office | Staff |\n|---|---|\n| Bern | 12 |")


@pytest.mark.parametrize(("says", "stands"), [
    ("Two weeks.", True), ("Forty-two bananas.", False), ("It is 12 years.", False), ("Seventeen.", False),
])  # fmt: skip
def test_a_citation_is_added_only_where_the_numbers_stand_with_what_they_count(
    finds: Callable[..., FixedSearch], says: str, stands: bool
) -> None:
    finds([STAFF])
    with scripted((None, says)) as (model, _):
        result = graph.invoke({"question": "How long is the notice period?"}, context=Context(chat_model=model))
    assert result["refused"] == (not stands)
    assert result["answer"] == f"{says} [1]" or not stands


def test_unless_the_context_allows_it(finds: Callable[..., FixedSearch]) -> None:
    result = ask(finds, "Bob runs Acme, as everybody knows.", require_citations=False)
    assert result["answer"] == "Bob runs Acme, as everybody knows." and not result["refused"]


def test_marks_alone_are_no_answer(finds: Callable[..., FixedSearch]) -> None:
    assert ask(finds, "[2]")["refused"]
