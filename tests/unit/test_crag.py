"""Every branch of Corrective RAG's drawing, with a scripted model."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import ValidationError

from graphs.crag import graph
from groundgraph.errors import ModelError
from groundgraph.grading.evaluator import embedded_evaluator
from nodes.refine import sentence_numbers
from state.context import Context
from tests.doubles import FixedEvaluator, FixedSearch, FixedWeb, passage
from tests.scripted import Line, scripted

Finds = Callable[..., FixedSearch]
Evaluates = Callable[..., FixedEvaluator]
Web = Callable[..., FixedWeb]

TOWER = "The Eiffel Tower is 330 metres tall. It was painted brown."
CATS = "Cats purr when they are content."
ASKED = {"question": "How tall is the Eiffel Tower?"}


def path(result: dict[str, Any]) -> list[str]:
    return [step["node"] for step in result["steps"]]


def ask(model: str, **settings: Any) -> dict[str, Any]:
    return graph.invoke(ASKED, context=Context(chat_model=model, **settings))


def test_correct_passages_are_refined_and_answered_from(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage(CATS), passage(TOWER)])
    evaluates({"Eiffel": 0.9, "Cats": 0.02}, sentences={"painted": 0.2})
    with scripted(("Eiffel", "It is 330 metres tall [1].")) as (model, chat):
        result = ask(model)
    assert path(result) == ["receive", "retrieve", "grade", "refine", "generate"]
    assert result["answer"] == "It is 330 metres tall [1]."
    assert not result["refused"]
    assert [p.page_content for p in result["passages"]] == ["The Eiffel Tower is 330 metres tall."]
    assert result["citations"] == [
        {
            "number": 1,
            "source": "notes.md",
            "locator": "characters 0-58",
            "quote": "The Eiffel Tower is 330 metres tall.",
            "collection": "",
        }
    ]
    assert "Cats" not in chat.prompts[0] and "painted" not in chat.prompts[0]
    assert result["usage"]["model_calls"] == 1
    assert result["usage"]["seconds"].keys() == {*path(result), "rerank"}, "a step that does nothing says nothing"


def test_an_evaluator_that_is_named_asks_the_chat_model_though_the_answer_is_quoted(
    finds: Finds, evaluates: Evaluates
) -> None:
    finds([passage(TOWER)])
    evaluates({"Eiffel": 0.9}, sentences={"painted": 0.2})
    with scripted("yes") as (model, _):
        result = ask(model, evaluator="llm", answerer="extractive")
    assert result["answer"] == "The Eiffel Tower is 330 metres tall. [1]"
    assert result["usage"]["model_calls"] == 1


def test_incorrect_passages_are_refused_while_the_web_is_off(finds: Finds, evaluates: Evaluates, web: Web) -> None:
    finds([passage(CATS)])
    evaluates({"Cats": 0.02})
    provider = web(TOWER)
    with scripted() as (model, _):
        result = ask(model)
    assert path(result) == ["receive", "retrieve", "grade", "refuse"]
    assert result["refused"] and result["citations"] == [] and result["passages"] == []
    assert result["refusal_reason"] == "no passage answers the question (best score 0.020, needed above 0.5)"
    assert provider.queries == []


def test_incorrect_passages_are_replaced_by_graded_web_results(finds: Finds, evaluates: Evaluates, web: Web) -> None:
    finds([passage(CATS)])
    evaluates({"Eiffel": 0.9})
    provider = web(CATS, TOWER, CATS)
    with scripted(("search query", "Eiffel Tower height"), ("passage", "330 metres [1].")) as (model, _):
        result = ask(model, web_search="on")
    assert path(result) == [
        "receive", "retrieve", "grade", "rewrite", "web_search", "grade_web", "refine", "generate",
    ]  # fmt: skip
    assert provider.queries == ["Eiffel Tower height"]
    assert [(p.source, p.origin) for p in result["passages"]] == [("https://example.org/2", "web")]
    assert result["citations"][0]["source"] == "https://example.org/2"
    assert result["usage"]["searches"] == 1


def test_ambiguous_passages_are_joined_by_web_results(finds: Finds, evaluates: Evaluates, web: Web) -> None:
    finds([passage("The Eiffel Tower stands in Paris.")])
    evaluates({"Paris": 0.6, "330": 0.9})
    provider = web(TOWER, TOWER, TOWER)
    with scripted(("search query", "Eiffel"), ("passage", "330 metres [1].")) as (model, _):
        result = ask(model, web_search="on")
    assert [p.origin for p in result["passages"]] == ["web", "web", "local"], "two web results when mixed, best first"
    assert provider.queries == ["Eiffel"]


def test_web_weight_orders_web_against_local(finds: Finds, evaluates: Evaluates, web: Web) -> None:
    finds([passage("The Eiffel Tower stands in Paris.")])
    evaluates({"Paris": 0.6, "330": 0.9})
    web(TOWER)
    with scripted(("search query", "Eiffel"), ("passage", "330 metres [2].")) as (model, _):
        result = ask(model, web_search="on", crag={"web_weight": 0.5})
    assert [p.origin for p in result["passages"]] == ["local", "web"]


def test_ambiguous_passages_suffice_while_the_web_is_off(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage(TOWER)])
    evaluates({"Eiffel": 0.6})
    with scripted(("Eiffel", "330 metres [1].")) as (model, _):
        assert not ask(model)["refused"]


@pytest.mark.parametrize(
    ("policy", "missing"),
    [
        ("paper", "best score 0.600, needed 0.79"),
        ("mean", "mean score 0.600, needed 0.7"),
        ("per_document", "best score 0.600, needed 0.79"),
    ],
)
def test_two_tiers_refuse_what_is_ambiguous_and_name_what_was_missing(
    policy: str, missing: str, finds: Finds, evaluates: Evaluates
) -> None:
    finds([passage(TOWER)])
    evaluates({"Eiffel": 0.6})
    with scripted() as (model, _):
        result = ask(model, crag={"policy": policy, "merge_ambiguous": True})
    assert result["refusal_reason"] == f"no passage answers the question ({missing})"


def test_two_tiers_say_that_no_verdict_could_be_read(finds: Finds) -> None:
    finds([passage(TOWER)])
    with scripted("who knows") as (model, _):
        result = ask(model, evaluator="llm", crag={"merge_ambiguous": True})
    assert result["refusal_reason"].startswith("no verdict on a passage could be read")


@pytest.mark.parametrize("error", ["Tavily did not answer", None])
def test_a_failed_or_empty_web_search_refuses(finds: Finds, evaluates: Evaluates, web: Web, error: str | None) -> None:
    finds([passage(CATS)])
    evaluates({})
    web(error=error)
    with scripted(("search query", "Eiffel")) as (model, _):
        result = ask(model, web_search="on")
    assert path(result)[-2:] == ["grade_web", "refuse"]
    assert result["refusal_reason"] == "the documents do not answer the question, and there are no results of the web"
    assert result["warnings"] == ([f"web search failed: {error}"] if error else [])


def test_each_document_on_its_own(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage(TOWER), passage("Eiffel was an engineer. He liked towers."), passage(CATS)])
    evaluates({"330": 0.9, "engineer": 0.6}, sentences={"painted": 0.1, "liked": 0.1})
    with scripted(("Eiffel", "330 metres [1].")) as (model, _):
        result = ask(model, crag={"policy": "per_document"})
    assert [p.page_content for p in result["passages"]] == [TOWER, "Eiffel was an engineer."]


def test_the_model_refines_by_sentence_numbers(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage(TOWER), passage("Eiffel </passage> was. An engineer."), passage("Eiffel. Again.")])
    evaluates({"Eiffel": 0.9})
    with scripted(
        ("2. It was painted", "1"),
        ("2. An engineer", "I cannot say"),
        ("2. Again", "0"),
        ("something else", "330 m [1]."),
    ) as (model, chat):
        result = ask(model, crag={"refiner": "llm"})
    assert [p.page_content for p in result["passages"]] == [
        "The Eiffel Tower is 330 metres tall.",
        "Eiffel </passage> was. An engineer.",
    ]
    assert result["warnings"] == ["passage kept whole: the refiner's reply 'I cannot say' names no sentences"]
    assert all("Eiffel </passage>" not in prompt for prompt in chat.prompts)
    assert result["usage"]["model_calls"] == 4


@pytest.mark.parametrize(
    ("reply", "numbers"),
    [
        ("2", {2}),
        ("Sentences 1 and 3.", {1, 3}),
        ("[1, 3]\nThey state the height.", {1, 3}),
        ("1. The tower is 330 metres tall.\n3. It has 2 floors.", {1, 3}),
        ("第1句、第3句", {1, 3}),
        ("0", {0}),
        ("330 metres", None),
        ("2 metres", None),
        ("330", None),
        ("1, 7", None),
        ("none", None),
        ("", None),
    ],
)
def test_only_a_list_of_sentence_numbers_chooses(reply: str, numbers: set[int] | None) -> None:
    assert sentence_numbers(reply, count=3) == numbers


@pytest.mark.parametrize("reply", ["330 metres", "7"])
def test_a_correct_passage_is_not_lost_to_a_reply_that_names_no_sentences(
    reply: str, finds: Finds, evaluates: Evaluates
) -> None:
    finds([passage(TOWER)])
    evaluates({"Eiffel": 0.9})
    with scripted(("2. It was painted", reply), ("something else", "330 metres [1].")) as (model, _):
        result = ask(model, crag={"refiner": "llm"})
    assert not result["refused"] and [p.page_content for p in result["passages"]] == [TOWER]
    assert result["warnings"] == [f"passage kept whole: the refiner's reply {reply!r} names no sentences"]


def test_without_the_embedded_evaluator_the_settings_that_do_without_it_are_named(
    finds: Finds, monkeypatch: pytest.MonkeyPatch
) -> None:
    finds([passage(TOWER)])
    monkeypatch.setattr("groundgraph.grading.evaluator.find_spec", lambda name: None)
    embedded_evaluator.cache_clear()
    with scripted("yes") as (model, _), pytest.raises(ModelError, match=r"set evaluator='llm', crag\.refiner='llm'"):
        ask(model, evaluator="llm")
    with scripted("yes", "1", "330 metres [1].") as (model, _):
        assert not ask(model, evaluator="llm", crag={"refiner": "llm"}, answerer="model")["refused"]


def test_lines_stay_lines(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage("Towers:\n- Eiffel, 330 m\n- It leans\n- Pisa, 56 m\n- Shard, 310 m")])
    evaluates({"Eiffel": 0.9}, sentences={"leans": 0.1, "Shard": 0.1})
    with scripted(("Eiffel", "330 metres [1].")) as (model, _):
        assert ask(model)["passages"][0].page_content == "Towers:\n- Eiffel, 330 m\n- Pisa, 56 m"


def test_a_row_keeps_the_header_of_its_table(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage("| tower | metres |\n| --- | --- |\n| Pisa | 56 |\n| Eiffel | 330 |\n\nEnd.")])
    evaluates({"Eiffel": 0.9}, sentences={"330": 0.9, "": 0.1})
    with scripted(("Eiffel", "330 metres [1].")) as (model, _):
        assert ask(model)["passages"][0].page_content == "| tower | metres |\n| --- | --- |\n| Eiffel | 330 |"


def test_a_row_is_quoted_in_a_table_that_is_whole(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage("Open.\n\n| office | opens |\n| --- | --- |\n| Bern | 08:00 |\n| Basel | 09:00 |\n\nBasel is big.")])
    evaluates({"Basel": 0.9}, sentences={"opens |\n| --- | --- |\n| Basel": 0.9, "big": 0.9, "": 0.1})
    result = graph.invoke({"question": "When does the Basel office open?"}, context={"answerer": "extractive"})
    assert result["answer"] == "| office | opens |\n| --- | --- |\n| Basel | 09:00 [1] |\n\nBasel is big. [1]"


def test_passages_may_stay_whole(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage(TOWER)])
    evaluates({"Eiffel": 0.9}, sentences={"painted": 0.0})
    with scripted(("painted brown", "330 metres [1].")) as (model, _):
        assert ask(model, crag={"refiner": "off"})["passages"][0].page_content == TOWER


def test_no_relevant_sentence_refuses(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage(TOWER)])
    evaluates({"Eiffel": 0.9}, sentences={"": 0.1})
    with scripted() as (model, _):
        result = ask(model)
    assert path(result)[-2:] == ["refine", "refuse"]
    assert result["refusal_reason"] == "no sentence of the passages is relevant"


def test_the_model_finds_no_answer(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage(TOWER)])
    evaluates({"Eiffel": 0.9})
    with scripted(("Eiffel", "NOT FOUND")) as (model, _):
        result = ask(model)
    assert path(result)[-2:] == ["generate", "refuse"]
    assert result["answer"] == "I could not find an answer to this in your documents."
    assert result["citations"] == [] and result["passages"] == []


@pytest.mark.parametrize(("resume", "sent"), [(True, "Eiffel height"), ("Eiffel Tower metres", "Eiffel Tower metres")])
async def test_the_person_sees_the_query_before_it_is_sent(
    finds: Finds, evaluates: Evaluates, web: Web, resume: Any, sent: str
) -> None:
    finds([passage(CATS)])
    evaluates({"Eiffel": 0.9})
    provider = web(TOWER)
    thread: Any = {"configurable": {"thread_id": "1"}}
    keeping = graph.copy(update={"checkpointer": InMemorySaver()})
    with scripted(("search query", "Eiffel height"), ("something else", "330 metres [1].")) as (model, _):
        context = Context(chat_model=model, web_search="ask")
        stopped = await keeping.ainvoke(ASKED, thread, context=context)
        assert stopped["__interrupt__"][0].value == {"web_search": "Eiffel height", "provider": "tavily"}
        assert provider.queries == []
        result = await keeping.ainvoke(Command(resume=resume), thread, context=context)
    assert provider.queries == [sent]
    assert result["usage"]["searches"] == 1
    assert not result["refused"]


async def test_a_denied_search_refuses(finds: Finds, evaluates: Evaluates, web: Web) -> None:
    finds([passage(CATS)])
    evaluates({})
    provider = web(TOWER)
    thread: Any = {"configurable": {"thread_id": "1"}}
    keeping = graph.copy(update={"checkpointer": InMemorySaver()})
    with scripted(("search query", "Eiffel height")) as (model, _):
        context = Context(chat_model=model, web_search="ask")
        await keeping.ainvoke(ASKED, thread, context=context)
        with pytest.raises(ValidationError, match="valid boolean"):  # and the question still stands
            await keeping.ainvoke(Command(resume=7), thread, context=context)
        result = await keeping.ainvoke(Command(resume=False), thread, context=context)
    assert result["refused"] and provider.queries == []


def test_grading_by_the_model(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage(CATS), passage(TOWER)])
    evaluates({})
    with scripted(
        Line(lambda prompt: "Cats" in prompt and "something else" not in prompt, "no"),
        Line(lambda prompt: "330" in prompt and "something else" not in prompt, "yes"),
        ("something else", "330 metres [1]."),
    ) as (model, _):
        result = ask(model, evaluator="llm", crag={"refiner": "off"})
    assert [p.page_content for p in result["passages"]] == [TOWER]
    assert result["usage"]["model_calls"] == 3
