"""FLARE: which sentences stand as drafted, and what is searched for and written again for the others."""

from collections.abc import Callable
from typing import Any

import pytest

from groundgraph.errors import ModelUnavailable
from groundgraph.knowledge.passage import Passage
from nodes.retrieve_next import in_turns
from tests.doubles import FixedSearch, passage
from tests.flare import ASK, BUILT, GO_ON, GUESS, QUESTION, TOWER, Shelf, ask, figures, first, path, says, stock
from tests.scripted import Line, scripted


@pytest.fixture
def shelf(finds: Callable[..., object], evaluates: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> Shelf:
    finds([])
    evaluates({"Tower": 0.9, "Gustave": 0.9})
    return stock(monkeypatch)


def test_a_confident_answer_takes_one_call(shelf: Shelf) -> None:
    with scripted(says(ASK, "The Eiffel Tower is 330 metres tall [1]. It is a tower [1].")) as (model, _):
        result = ask(model)
    assert path(result) == ["draft", "append", "draft", "append", "finish"]
    assert result["answer"] == "The Eiffel Tower is 330 metres tall [1]. It is a tower [1]."
    assert result["usage"]["model_calls"] == 1 and shelf.queries == [QUESTION]
    assert figures(result, "append")[0] == {
        "sentence": "The Eiffel Tower is 330 metres tall [1].", "confidence": 0.95, "weakest": "The", "asked": [],
    }  # fmt: skip
    assert result["warnings"] == []


def test_an_uncertain_sentence_is_searched_for_and_written_again(shelf: Shelf) -> None:
    draft = says(first, "Gustave Perret built it [1].", {"Perret": 0.1})
    again = says(lambda prompt: '<passage n="2">' in prompt, "Gustave Eiffel built it [2].")
    with scripted(draft, again) as (model, chat):
        result = ask(model, "Who built it?")
    assert path(result) == ["draft", "form_query", "retrieve_next", "regenerate", "append", "finish"]
    assert shelf.queries == ["Who built it?", "Gustave built it ."]
    assert result["answer"] == "Gustave Eiffel built it [2]."
    assert [c["source"] for c in result["citations"]] == ["Gustave"] and len(result["passages"]) == 2
    assert "Perret" not in chat.prompts[1], "the draft was only to be searched for"
    assert figures(result, "draft")[0]["weakest"] == "Perret"
    assert figures(result, "append")[0]["asked"] == ["Gustave built it ."]


def test_theta_zero_never_retrieves_and_one_nearly_always(shelf: Shelf) -> None:
    with scripted(says(ASK, "It is 330 metres tall [1].", {"330": 1e-9})) as (model, _):
        assert "form_query" not in path(ask(model, flare={"theta": 0}))
    with scripted(says(ASK, "It is 330 metres tall [1].")) as (model, _):
        assert "form_query" in path(ask(model, flare={"theta": 1}))


def test_a_search_that_brings_nothing_new_takes_no_second_call(shelf: Shelf) -> None:
    with scripted(says(ASK, "It is 330 metres tall [1].", {"330": 0.1})) as (model, _):
        result = ask(model)
    assert path(result) == ["draft", "form_query", "retrieve_next", "append", "finish"]
    assert result["usage"]["model_calls"] == 1 and not result["refused"]


@pytest.mark.parametrize(
    ("theta", "path_of_code", "calls"),
    [
        (0.2, ["draft", "regenerate", "append", "finish"], 2),
        (0.0, ["draft", "form_query", "retrieve_next", "regenerate", "append", "finish"], 2),
    ],
)
def test_the_official_code_writes_every_sentence_again(
    shelf: Shelf, theta: float, path_of_code: list[str], calls: int
) -> None:
    lines = [says(ASK, "Gustave built it [1]."), says(ASK, "Gustave Eiffel built it [1].")]
    with scripted(*lines) as (model, _):
        result = ask(model, flare={"variant": "official_code", "theta": theta})
    assert path(result) == path_of_code and result["usage"]["model_calls"] == calls
    assert result["answer"] == "Gustave Eiffel built it [1]."


def test_the_paper_preset_replaces_passages_and_keeps_their_numbers(shelf: Shelf) -> None:
    draft = says(first, "Gustave Perret built it [1].", {"Perret": 0.79})
    again = says(lambda prompt: TOWER not in prompt and '<passage n="2">' in prompt, "Gustave Eiffel built it [2].")
    with scripted(draft, again) as (model, _):
        result = ask(model, preset="paper")
    assert result["answer"] == "Gustave Eiffel built it [2]."
    assert [p.source for p in result["passages"]] == ["tower", "Gustave"]


def test_passages_are_gathered_once_and_stay_under_their_numbers(shelf: Shelf) -> None:
    """Three sentences, two searches; the passage found twice is shown once."""
    lines = [
        says(first, "Gustave Perret built it.", {"Perret": 0.1}),
        says(first, "Gustave Eiffel built it [2].", finish_reason="length"),
        says(GO_ON, "Gustave died in Rome. It is tall.", {"Rome": 0.1}),
        says(GO_ON, "He died in Paris [3]."),
    ]
    with scripted(*lines) as (model, chat):
        result = ask(model, "Where did its builder die?", flare={"top_k": 2})
    assert result["answer"] == "Gustave Eiffel built it [2]. He died in Paris [3]."
    assert [c["number"] for c in result["citations"]] == [2, 3]
    assert [chat.prompts[3].count(p) for p in ('n="1"', 'n="2"', 'n="3"', 'n="4"')] == [1, 1, 1, 0]
    assert chat.prompts[3].endswith("\nGustave Eiffel built it [2].")


def test_four_sentences_that_are_all_searched_for_take_eight_calls(shelf: Shelf) -> None:
    shelf.passages += [passage(f"Fact {n}.", f"found{n}") for n in range(4)]
    lines = []
    for n in range(4):
        lines.append(says(None, f"Fact {n} is Ann found{n}.", {"Ann": 0.1}, finish_reason="length"))
        lines.append(says(None, f"Fact {n} is so [{n + 2}].", finish_reason="stop" if n == 3 else "length"))
    with scripted(*lines) as (model, _):
        result = ask(model, "What are the facts?")
    assert len(result["citations"]) == 4 and len(shelf.queries) == 5
    assert result["usage"]["model_calls"] == 8


def test_questions_are_asked_about_each_weak_span_in_parallel(shelf: Shelf) -> None:
    weak = {"Perret": 0.1, "Rome": 0.3}
    lines = [
        says(first, "Gustave Perret built it and later died in Rome.", weak),
        Line('answer is "Perret"', "Who, Gustave, built the tower?", latency=0.05),
        Line('answer is "Rome"', '"Where had he died?"', latency=0.05),
        says(ASK, "Gustave Eiffel built it [2] and died in Paris [3]."),
    ]
    with scripted(*lines) as (model, chat):
        result = ask(model, flare={"query": "question"})
    assert shelf.queries[1:] == ["Who, Gustave, built the tower?", "Where had he died?"]
    assert [p.source for p in result["passages"]] == ["tower", "Gustave", "died"]
    assert f"Question: {QUESTION}" in chat.prompts[1] and result["usage"]["model_calls"] == 4


def test_a_question_that_cannot_be_asked_costs_a_warning_and_none_falls_back_to_the_mask(shelf: Shelf) -> None:
    lines = [
        says(first, "Gustave Perret built it.", {"Perret": 0.1}),
        Line('answer is "Perret"', ModelUnavailable("busy")),
        says(ASK, "Gustave Eiffel built it [2]."),
    ]
    with scripted(*lines) as (model, _):
        result = ask(model, flare={"query": "question"})
    assert result["warnings"] == ["no question asked for 'Perret': busy"]
    assert shelf.queries[1] == "Gustave built it."


def test_the_prefix_query_is_the_question_and_the_end_of_the_answer(shelf: Shelf) -> None:
    long = "Gustave " + "a" * 120 + " [1]."
    lines = [says(first, long, finish_reason="length"), says(GO_ON, "He died in Rome.", {"Rome": 0.1})]
    with scripted(*lines) as (model, _):
        ask(model, flare={"query": "prefix"})
    assert shelf.queries[1] == f"{QUESTION} {'a' * 99}."


@pytest.mark.parametrize(
    ("draft", "queries"),
    [
        ("Gustave Perret built it [1].", [f"Who built it? {TOWER}"]),
        ("Gustave Perret built it.", [f"Who built it? {TOWER}"]),  # it cites none: the first one
        ("Gustave Perret built it [9].", [f"Who built it? {TOWER}"]),
        ("Gustave Perret built it [2][1].", [f"Who built it? {TOWER}", f"Who built it? {'b' * 300}"]),
    ],
)
def test_the_passage_query_is_the_question_and_what_the_sentence_cites(
    finds: Callable[..., FixedSearch], shelf: Shelf, draft: str, queries: list[str]
) -> None:
    """A passage names what the question leaves to be found, as a film's names its director (arXiv:2009.12756)."""
    search = finds([passage(TOWER, "tower"), passage("b" * 400, "built")])
    with scripted(says(first, draft, {"Perret": 0.1})) as (model, _):
        ask(model, "Who built it?", flare={"query": "passage"}, top_k=2)
    assert search.queries[1:] == queries


@pytest.mark.parametrize(("keep", "found"), [("gather", ["c", "d"]), ("replace", [])])
def test_what_is_there_already_is_passed_over_where_passages_are_gathered(
    finds: Callable[..., FixedSearch], shelf: Shelf, keep: str, found: list[str]
) -> None:
    """The same four passages are found for the question and for the sentence; two are taken each time."""
    finds([passage(f"Passage {name}.", name) for name in "abcd"])
    lines = [says(ASK, "Ann did it [1].", {"Ann": 0.1}), says(ASK, "Bob did it [1].", optional=True)]
    with scripted(*lines) as (model, _):
        result = ask(model, "Who did it?", top_k=2, flare={"top_k": 2, "keep": keep})
    assert [one.source for one in result["passages"]] == ["a", "b", *found]


def test_what_is_found_for_a_sentence_is_reranked_where_the_run_wants_that(
    shelf: Shelf, evaluates: Callable[..., object]
) -> None:
    shelf.passages += [passage(f"{n} died.", "died") for n in range(5)]
    evaluates({"Tower": 0.9, "2 died": 0.8})
    lines = [says(first, "Who died?", {"Who": 0.1}), says(ASK, "Someone died [2].")]
    with scripted(*lines) as (model, _):
        result = ask(model, rerank="evaluator", flare={"top_k": 1})
    assert shelf.queries[1] == "died?" and [p.page_content for p in result["passages"]] == [TOWER, "2 died."]


def test_everything_masked_is_the_question(shelf: Shelf) -> None:
    with scripted(says(ASK, "It is so [1].", {"It": 0.1, "is": 0.1, "so": 0.1})) as (model, _):
        ask(model)
    assert shelf.queries == [QUESTION, QUESTION]


@pytest.mark.parametrize(("limit", "searches"), [(1, 2), (2, 3), (3, 4)])
def test_a_sentence_that_stays_uncertain_is_searched_for_as_often_as_is_allowed(
    shelf: Shelf, limit: int, searches: int
) -> None:
    names = ["Gustave", "died", "tower"]
    lines = [says(ASK, f"Ann{name} saw {name} there [1].", {f"Ann{name}": 0.1}, optional=True) for name in names]
    with scripted(*lines, says(ASK, "So it is [1].", optional=True)) as (model, _):
        result = ask(model, flare={"retrieve_per_step": limit, "keep": "replace"})
    assert len(shelf.queries) == searches and path(result).count("append") == 1


def test_a_first_draft_that_refuses_is_searched_for_by_a_guess(shelf: Shelf) -> None:
    lines = [
        says(first, "NOT FOUND"),
        says(GUESS, "Gustave Perret built it.", {"Perret": 0.1}),
        says(lambda prompt: BUILT in prompt, "Gustave Eiffel built it [2]."),
    ]
    with scripted(*lines) as (model, chat):
        result = ask(model, "Who built it?")
    assert shelf.queries[1] == "Gustave built it."
    assert result["answer"] == "Gustave Eiffel built it [2]." and len(chat.prompts) == 3


def test_a_first_draft_that_refuses_needs_no_guess_where_a_passage_is_searched_for(
    finds: Callable[..., FixedSearch], shelf: Shelf
) -> None:
    search = finds([passage(TOWER, "tower"), passage(BUILT, "Gustave")])
    lines = [says(first, "NOT FOUND"), says(lambda prompt: BUILT in prompt, "Gustave Eiffel built it [2].")]
    with scripted(*lines) as (model, _):
        result = ask(model, "Who built it?", top_k=1, flare={"query": "passage"})
    assert search.queries[1] == f"Who built it? {TOWER}"
    assert result["answer"] == "Gustave Eiffel built it [2]." and result["usage"]["model_calls"] == 2


@pytest.mark.parametrize(
    ("guess", "lines"), [("Nobody knows.", []), ("Gustave did it.", [("something else", "NOT FOUND")])]
)
def test_a_guess_never_stands(shelf: Shelf, guess: str, lines: list[Any]) -> None:
    """The search for it brings nothing new, or nothing that answers."""
    with scripted(says(first, "NOT FOUND"), says(GUESS, guess), *lines) as (model, _):
        result = ask(model)
    assert result["refused"] and result["citations"] == result["passages"] == []
    assert result["refusal_reason"] == "the passages do not answer the question, says the model"


def test_results_of_several_queries_take_turns() -> None:
    def named(*names: str) -> list[Passage]:
        return [passage(name, name) for name in names]

    assert [p.source for p in in_turns([named("a", "b", "c"), named("b", "d")])] == ["a", "b", "d", "c"]
    assert in_turns([]) == in_turns([[], []]) == []
