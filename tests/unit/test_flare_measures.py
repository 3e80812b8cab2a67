"""FLARE: the measures of confidence, and endpoints of every kind."""

from collections.abc import Callable
from typing import Any

import pytest

from graphs.flare import graph
from groundgraph.errors import ModelUnavailable
from nodes.write_on import WITHOUT_LOGPROBS
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


@pytest.mark.parametrize(("uncertainty", "asked"), [("min_prob", 1), ("entropy", 10), ("agreement", None)])
def test_no_more_log_probabilities_are_asked_for_than_are_needed(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, uncertainty: str, asked: int | None
) -> None:
    with Endpoint("The Eiffel Tower is 330 metres tall [1].", logprobs=logprobs_of) as endpoint:
        endpoint.configure(monkeypatch)
        graph.invoke({"question": QUESTION}, context={"flare": {"uncertainty": uncertainty}})
    assert endpoint.requests[0].get("top_logprobs") == asked
