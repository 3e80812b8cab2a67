"""FLARE: the measures of confidence, and endpoints of every kind."""

from collections.abc import Callable
from typing import Any

import pytest

from graphs.flare import graph
from groundgraph.errors import ModelUnavailable
from nodes.measure import WITHOUT_LOGPROBS
from tests.doubles import passage
from tests.endpoint import Endpoint, Request
from tests.flare import ASK, GO_ON, QUESTION, Shelf, ask, figures, first, says, stock
from tests.logprobs import logprobs_of
from tests.scripted import Line, scripted


@pytest.fixture
def shelf(finds: Callable[..., object], evaluates: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> Shelf:
    finds([])
    evaluates({"Tower": 0.9, "Gustave": 0.9})
    return stock(monkeypatch)


def test_without_log_probabilities_the_agreement_of_samples_counts(shelf: Shelf) -> None:
    """A name that no sample repeats is uncertain; what all say is not."""
    lines = [
        Line(first, "The builder was Gustave Perret."),
        *[Line(first, f"The builder was Gustave {name}.") for name in ("Eiffel", "Eiffel", "Sauvestre")],
        Line(first, "Gustave Eiffel built it [2]. It is old."),
        *[Line(GO_ON, "It is old indeed.")] * 1,
        *[Line(GO_ON, "It is old.", times=2)],
    ]
    with scripted(*lines) as (model, chat):
        result = ask(model, "Who built it?")
    assert shelf.queries[1] == "builder Gustave"
    assert result["answer"].startswith("Gustave Eiffel built it [2].")
    assert result["warnings"] == [WITHOUT_LOGPROBS.replace("{samples}", "3")]
    assert figures(result, "draft")[0]["weakest"] == "Perret" and figures(result, "draft")[0]["confidence"] == 0
    assert figures(result, "regenerate")[0]["confidence"] is None, "what was written again is not sampled"
    assert [options["temperature"] for options in chat.options] == [0, 0.7, 0.7, 0.7, 0, 0.7, 0.7, 0.7]


def test_agreement_may_be_chosen_and_a_sample_may_fail(shelf: Shelf) -> None:
    lines = [says(ASK, "It is 330 metres tall [1]."), Line(ASK, ModelUnavailable("busy")), Line(ASK, "330 metres.")]
    with scripted(*lines) as (model, _):
        result = ask(model, flare={"uncertainty": "agreement", "samples": 2})
    assert result["warnings"] == ["1 of 2 samples failed: busy"]
    assert figures(result, "append")[0]["confidence"] == 1


def test_a_model_may_be_asked_how_sure_it_is(shelf: Shelf) -> None:
    """It doubts a name, which is left out of the query; of the second sentence it is sure."""
    lines = [
        Line(first, "The builder was Gustave Perret [1]."),
        Line("How likely is it that the last sentence, “The builder was Gustave Perret.”, is true?", "15%; Perret"),
        Line(first, "Gustave Eiffel built it [2]. It is old [2]."),
        Line("“It is old.”", "Very likely"),
    ]
    with scripted(*lines) as (model, chat):
        result = ask(model, "Who built it?", flare={"uncertainty": "verbalised"})
    assert shelf.queries[1] == "builder Gustave"
    assert result["answer"] == "Gustave Eiffel built it [2]. It is old [2]."
    assert [(one["confidence"], one["weakest"]) for one in figures(result, "draft")] == [(0.15, "Perret"), (0.9, "old")]
    assert chat.prompts[1].startswith(chat.prompts[0]), "what was read already is not read anew"
    assert result["usage"]["model_calls"] == 4 and result["warnings"] == []


def test_a_model_that_thinks_first_is_asked_again_with_room_to_think(shelf: Shelf) -> None:
    lines = [
        Line(first, "It is 330 metres tall [1]."),
        Line("How likely", "<think>Well, 5%", finish_reason="length"),
        Line("How likely", "<think>Well, 5% of</think>85%"),
    ]
    with scripted(*lines) as (model, chat):
        result = ask(model, flare={"uncertainty": "verbalised"})
    assert figures(result, "append")[0]["confidence"] == 0.85
    assert [options["max_tokens"] for options in chat.options] == [64, 32, 1024]


@pytest.mark.parametrize(
    ("said", "why"),
    [("I like towers.", "the confidence 'I like towers.' cannot be read"), (ModelUnavailable("busy"), "busy")],
)
def test_a_confidence_that_cannot_be_read_is_searched_for(shelf: Shelf, said: str | Exception, why: str) -> None:
    lines = [
        Line(first, "Gustave Perret built it [1]."),
        Line("How likely", said),
        Line(first, "Gustave Eiffel built it [2]."),
    ]
    with scripted(*lines) as (model, _):
        result = ask(model, "Who built it?", flare={"uncertainty": "verbalised"})
    assert shelf.queries[1] == "Gustave Perret built it."
    assert result["answer"] == "Gustave Eiffel built it [2]."
    assert result["warnings"] == [f"searched for 'Gustave Perret built it.': {why}"]


def test_a_chinese_sentence_is_asked_about_in_chinese(shelf: Shelf) -> None:
    shelf.passages[:] = [passage("铁塔高330米。", "tower"), passage("铁塔由古斯塔夫建造。", "古斯塔夫")]
    lines = [
        Line("只有当段落", "它由古斯塔夫建成于1800年。", times=1),
        Line("最后一句“它由古斯塔夫建成于1800年。”属实的可能性有多大？", "一成；1800"),
        Line("只有当段落", "它由古斯塔夫建造[2]。"),
    ]
    with scripted(*lines) as (model, _):
        result = ask(model, "铁塔由谁建造？", flare={"uncertainty": "verbalised"})
    assert "1800" not in shelf.queries[1] and "古斯塔夫" in shelf.queries[1]
    assert result["answer"] == "它由古斯塔夫建造 [2]。" and result["warnings"] == []


def test_without_a_threshold_nobody_is_asked(shelf: Shelf) -> None:
    with scripted(Line(first, "It is 330 metres tall [1].")) as (model, _):
        result = ask(model, flare={"uncertainty": "verbalised", "theta": 0})
    assert figures(result, "append")[0]["confidence"] is None and result["usage"]["model_calls"] == 1


@pytest.mark.parametrize(("uncertainty", "confidence"), [("min_prob", 0.5), ("mean_prob", 0.875)])
def test_the_measure_is_what_was_chosen(shelf: Shelf, uncertainty: str, confidence: Any) -> None:
    with scripted(says(ASK, "It is 330 m tall [1].", {"tall": 0.5})) as (model, _):
        result = ask(model, flare={"uncertainty": uncertainty})
    assert figures(result, "draft")[0]["confidence"] == confidence


@pytest.mark.parametrize("continues", ["bare", "repeating", ""])
def test_an_endpoint_writes_on_in_its_own_message_or_is_told_to(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, continues: str
) -> None:
    def reply(request: Request) -> str:
        *_, last = request["messages"]
        said_before = last["content"] if continues == "repeating" else ""
        if last["content"].endswith("Annab"):
            return "Hello, Annabelle!" if not continues else said_before + "elle!"
        if len(request["messages"]) == 2 and GO_ON not in last["content"]:
            return "The Eiffel Tower is 330 metres tall [1]. Gustave Perret built it [1]."
        if continues:
            assert last == {"role": "assistant", "content": "The Eiffel Tower is 330 metres tall [1]."}
            return said_before + " Gustave Eiffel built it [2]."
        assert last["content"].endswith("\nThe Eiffel Tower is 330 metres tall [1].")
        return "The Eiffel Tower is 330 metres tall. Gustave Eiffel built it [2]."

    def logprobs(text: str) -> dict[str, Any]:
        new = text.removeprefix("The Eiffel Tower is 330 metres tall [1].") if continues == "repeating" else text
        return logprobs_of(new if new.startswith(" Gustave Eiffel") else text, {"Perret": 0.1})

    with Endpoint(reply=reply, logprobs=logprobs) as endpoint:
        endpoint.configure(monkeypatch)
        result = graph.invoke({"question": QUESTION})
    assert result["answer"] == "The Eiffel Tower is 330 metres tall [1]. Gustave Eiffel built it [2]."
    assert figures(result, "append")[1]["confidence"] == 0.95, "the repetition's tokens are cut with it"
    assert result["usage"]["model_calls"] == len(endpoint.requests) == 3 and result["warnings"] == []


def test_chinese(shelf: Shelf) -> None:
    shelf.passages[:] = [passage("铁塔高330米。", "tower"), passage("铁塔由古斯塔夫建造。", "古斯塔夫")]
    lines = [
        says(
            lambda p: "只有当段落" in p and "开头" not in p, "铁塔高330米[1]。它由古斯塔夫建成于1800年。", {"1800": 0.1}
        ),
        says("你已经写好了答案的开头", "它由古斯塔夫建造[2]。"),
    ]
    with scripted(*lines) as (model, _):
        result = ask(model, "铁塔有多高，由谁建造？")
    assert shelf.queries[1] == "它由古斯塔夫建成于 年。"
    assert result["answer"] == "铁塔高330米 [1]。它由古斯塔夫建造 [2]。"


@pytest.mark.parametrize(
    ("uncertainty", "asked"), [("min_prob", 1), ("entropy", 10), ("agreement", None), ("verbalised", None)]
)
def test_no_more_log_probabilities_are_asked_for_than_are_needed(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, uncertainty: str, asked: int | None
) -> None:
    with Endpoint("The Eiffel Tower is 330 metres tall [1].", logprobs=logprobs_of) as endpoint:
        endpoint.configure(monkeypatch)
        graph.invoke({"question": QUESTION}, context={"flare": {"uncertainty": uncertainty}})
    assert endpoint.requests[0].get("top_logprobs") == asked
