"""FLARE: how an answer ends, is refused, streamed and counted."""

from collections.abc import Callable
from typing import Any

import pytest

from graphs.flare import graph
from groundgraph.errors import ModelUnavailable
from tests.doubles import passage
from tests.flare import ASK, BUILT, GO_ON, GUESS, QUESTION, TOWER, Shelf, ask, first, path, says, stock
from tests.scripted import Line, scripted


@pytest.fixture
def shelf(finds: Callable[..., object], evaluates: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> Shelf:
    finds([])
    evaluates({"Tower": 0.9, "Gustave": 0.9})
    return stock(monkeypatch)


def test_what_no_passage_supports_is_refused_and_not_streamed(shelf: Shelf) -> None:
    with scripted(says(ASK, "Bob runs Acme. He is rich.")) as (model, _):
        shown, final = [], {}
        for mode, chunk in graph.stream(
            {"question": "Who runs Acme?"}, context={"chat_model": model}, stream_mode=["messages", "values"]
        ):
            if mode == "messages":
                shown.append(chunk[0].text)
            else:
                final = chunk
    assert final["refused"] and final["refusal_reason"] == "the answer has no citation and no support in the passages"
    assert "Bob" not in "".join(shown) + final["answer"]


def test_accepted_sentences_are_streamed_one_by_one(shelf: Shelf) -> None:
    lines = [
        says(first, "Gustave Perret built it.", {"Perret": 0.1}),
        says(first, "Gustave Eiffel built it [2]. He was an engineer. It is 330 metres tall [9]."),
    ]
    with scripted(*lines) as (model, _):
        pieces = [
            chunk.text
            for chunk, _ in graph.stream({"question": "?built"}, context={"chat_model": model}, stream_mode="messages")
            if chunk.text
        ]
    assert pieces == ["Gustave Eiffel built it [2].", " He was an engineer.", " It is 330 metres tall. [1]"]


def test_a_citation_of_no_passage_is_removed_with_a_warning(shelf: Shelf) -> None:
    with scripted(says(ASK, "It is 330 metres tall [7].")) as (model, _):
        result = ask(model)
    assert result["warnings"] == ["citation [7] removed: there is no passage 7"]
    assert result["answer"] == "It is 330 metres tall. [1]", "the passage that supports it is cited instead"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("It was abandoned when done [1]. The END came [1].", "It was abandoned when done [1]. The END came [1]."),
        ("It is tall [1]. It is tall [1]. It is old [1].", "It is tall [1]."),  # a repetition ends it
        ("It is tall [1]. NOT FOUND", "It is tall [1]."),
        ("It is tall [1]. The passages do not say more.", "It is tall [1]."),
    ],
)
def test_where_the_answer_ends(shelf: Shelf, text: str, answer: str) -> None:
    with scripted(says(ASK, text)) as (model, _):
        assert ask(model)["answer"] == answer


@pytest.mark.parametrize("last", ["", "END", "END.", "**END**", "It is tall [1].", "It is tall [1]. END"])
def test_a_model_that_has_no_more_to_say_ends(shelf: Shelf, last: str) -> None:
    with scripted(says(first, "It is tall [1].", finish_reason="length"), Line(GO_ON, last)) as (model, _):
        result = ask(model)
    assert result["answer"] == "It is tall [1]." and path(result)[-2:] == ["draft", "finish"]


def test_the_word_by_which_a_model_ends_is_none_of_the_answer(shelf: Shelf) -> None:
    lines = [says(first, "It is tall [1].", finish_reason="length"), says(GO_ON, "That is the END [1]. END")]
    with scripted(*lines) as (model, _):
        assert ask(model)["answer"] == "It is tall [1]. That is the END [1]."


def test_sentences_and_tokens_are_counted(shelf: Shelf) -> None:
    def facts() -> list[Line]:
        return [says(None, f"Fact {n} is tall [1].", finish_reason="length", optional=True) for n in range(9)]

    with scripted(*facts()) as (model, chat):
        result = ask(model, flare={"max_steps": 3})
    assert result["answer"].count("Fact") == 3 == len(chat.prompts)
    with scripted(*facts()) as (model, chat):
        result = ask(model, max_tokens=20)
    assert result["answer"].count("Fact") == 2, "for a third, 6 tokens would be left"
    assert [options["max_tokens"] for options in chat.options] == [20, 13]


def test_a_sentence_cut_by_the_limit_goes_on(shelf: Shelf) -> None:
    lines = [
        says(first, "The Eiffel Tower, which is 330 [", finish_reason="length"),
        says(GO_ON, "metres tall, is old [1]."),
    ]
    with scripted(*lines) as (model, _):
        assert ask(model)["answer"] == "The Eiffel Tower, which is 330 metres tall, is old [1]."


def test_a_model_that_is_down_costs_the_answer_or_its_rest(shelf: Shelf) -> None:
    down = ModelUnavailable("scripted:test is down")
    with scripted((ASK, down)) as (model, _):
        result = ask(model)
    assert result["warnings"] == [f"the answer is quoted: {down}"] and result["answer"] == f"{TOWER} [1]"
    first_sentence = says(first, "It is 330 metres tall [1].", finish_reason="length")
    with scripted(first_sentence, (GO_ON, down)) as (model, _):
        result = ask(model)
    assert result["warnings"] == [f"the answer ends early: {down}"] and result["answer"] == "It is 330 metres tall [1]."
    with scripted((ASK, down)) as (model, _), pytest.raises(ModelUnavailable):
        ask(model, on_model_failure="error")


def test_a_model_that_is_down_when_a_sentence_is_written_again_leaves_the_draft(shelf: Shelf) -> None:
    draft = says(first, "Gustave Perret built the Eiffel Tower [1]. Yes.", {"Perret": 0.1})
    with scripted(draft, (ASK, ModelUnavailable("busy"))) as (model, _):
        result = ask(model)
    assert result["answer"] == "Gustave Perret built the Eiffel Tower [1]."
    assert result["warnings"] == ["the answer ends early: busy"]
    with scripted(says(first, "NOT FOUND"), says(GUESS, "Gustave did."), (ASK, ModelUnavailable("busy"))) as (model, _):
        result = ask(model)
    assert result["warnings"] == ["the answer is quoted: busy"] and "[1]" in result["answer"], "a guess is given up"


def test_an_empty_reply_is_no_verdict(shelf: Shelf) -> None:
    with scripted(Line(ASK, "<think>well", finish_reason="length")) as (model, _):
        result = ask(model)
    assert result["refused"] and "its thinking took all of flare.sentence_tokens; raise it" in result["warnings"][0]


def test_passages_that_do_not_fit_are_refused_and_new_ones_go_first(shelf: Shelf) -> None:
    with scripted() as (model, _):
        result = ask(model, QUESTION + " Why?" * 80, prompt_tokens=100)
    assert result["refusal_reason"] == "no passage fits beside the question into prompt_tokens=100; raise it"
    shelf.passages[0] = passage("The Eiffel Tower. " * 60, "tower")
    draft = says(first, "Gustave Perret built it.", {"Perret": 0.1})
    with scripted(draft, says(lambda p: BUILT in p and "Tower. The" not in p, "Gustave Eiffel built it [2].")) as (
        model,
        _,
    ):
        assert ask(model, "Who built it?", prompt_tokens=500)["answer"] == "Gustave Eiffel built it [2]."


def test_nothing_found_is_refused_without_a_call(finds: Callable[..., object]) -> None:
    finds([])
    with scripted() as (model, _):
        assert ask(model)["refusal_reason"] == "nothing was found in default"


def test_a_second_question_on_a_thread_starts_anew(shelf: Shelf) -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    config: Any = {"configurable": {"thread_id": "1"}}
    memory = graph.copy(update={"checkpointer": InMemorySaver()})
    lines = [says(None, "It is 330 metres tall [1]."), says(None, "It is 330 metres tall [1].")]
    with scripted(*lines) as (model, _):
        for _ in range(2):
            result = memory.invoke({"question": QUESTION}, config, context={"chat_model": model})
    assert result["answer"] == "It is 330 metres tall [1]." and len(result["passages"]) == 1
