"""Self-RAG by a model fine-tuned on reflection tokens: an endpoint whose probabilities are worked out by hand."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.graph import END

from graphs.self_rag import graph
from graphs.self_rag_tokens import graph as tokens_graph
from groundgraph.errors import ModelUnavailable
from groundgraph.grading.reflection import (
    FULL,
    IRRELEVANT,
    NO_RETRIEVAL,
    NO_SUPPORT,
    PARTIAL,
    RELEVANT,
    RETRIEVAL,
    UTILITIES,
)
from groundgraph.models import complete
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.reflections import (
    BEGINS,
    BUILT,
    CATS,
    NEEDED,
    QUESTION,
    TOWER,
    after,
    alone,
    ask,
    fine_tuned,
    path,
    said,
    segment,
    step,
)

Finds = Callable[..., FixedSearch]


def test_the_short_form_takes_the_best_passage(finds: Finds, monkeypatch: pytest.MonkeyPatch) -> None:
    finds([CATS, TOWER])
    with fine_tuned(
        (alone, NEEDED),
        (after("Cats purr."), segment("It is small.", relevant=0.25, full=0.5, useful=0.5)),
        (after("330 metres tall."), segment("It is 330 metres tall.", relevant=0.8, full=0.9, useful=0.75)),
    ) as endpoint:
        result = ask(endpoint, monkeypatch, form="short")
    assert path(result) == [
        "receive", "receive", "probe", "retrieve", "select", "expand", "prune", "elect", "conclude",
    ]  # fmt: skip
    assert result["answer"] == "It is 330 metres tall. [2]"
    assert result["citations"][0]["source"] == "tower.md"
    first, second = step(result, "expand")["figures"]["segments"]
    assert first["score"] == pytest.approx(0.25 + 0.5 + 0.5 * 0.0)
    assert second["score"] == pytest.approx(0.8 + 0.9 + 0.5 * 0.5)
    assert (second["relevant"], second["supported"], second["utility"]) == pytest.approx((4.2, 4.6, 4.0))
    assert result["usage"]["model_calls"] == 3 == len(endpoint.requests)


def test_the_model_sees_the_prompt_it_was_fine_tuned_on(finds: Finds, monkeypatch: pytest.MonkeyPatch) -> None:
    finds([passage("It is tall.", "tower.md", heading="Towers")])
    with fine_tuned((alone, NEEDED), ("Towers", segment("It is tall."))) as endpoint:
        ask(endpoint, monkeypatch, form="short")
    probe, written = endpoint.requests
    assert probe["prompt"] == [BEGINS] and probe["max_tokens"] == 1 and probe["logprobs"] == 20
    assert written["prompt"] == [f"{BEGINS}[Retrieval]<paragraph>Towers\nIt is tall.</paragraph>"]
    assert written["skip_special_tokens"] is False and written["temperature"] == 0
    assert endpoint.paths == ["/v1/completions"] * 2


@pytest.mark.parametrize(
    ("share", "settings", "retrieves"),
    [
        (0.21, {}, True),
        (0.19, {}, False),
        (0.19, {"retrieval_threshold": 0.1}, True),
        (0.9, {"form": "short", "variant": "official_code"}, False),
        (0.5, {"form": "short", "variant": "official_code"}, True),
        (0.9, {"form": "long", "variant": "official_code"}, True),
    ],
)
def test_no_need_is_refused_and_never_answered_from_memory(
    share: float, settings: Any, retrieves: bool, finds: Finds, monkeypatch: pytest.MonkeyPatch
) -> None:
    finds([TOWER])
    script = (alone, said({RETRIEVAL: share, NO_RETRIEVAL: 1 - share})), ("330", segment("It is 330 metres tall."))
    with fine_tuned(*script) as endpoint:
        result = ask(endpoint, monkeypatch, **settings)
    assert result["refused"] != retrieves and step(result, "probe")["decision"] == ("yes" if retrieves else "no")
    if not retrieves:
        assert len(endpoint.requests) == 1 and result["refusal_reason"].startswith("the model would answer from its m")


def test_retrieval_may_be_always(finds: Finds, monkeypatch: pytest.MonkeyPatch) -> None:
    finds([TOWER])
    with fine_tuned(("330", segment("It is 330 metres tall."))) as endpoint:
        assert not ask(endpoint, monkeypatch, retrieval="always")["refused"]
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(("closed", "answer"), [(True, "Yes! [1]"), (False, "No. [3]")])
def test_a_closed_question_sums_equal_answers(
    finds: Finds, monkeypatch: pytest.MonkeyPatch, closed: bool, answer: str
) -> None:
    """Yes has 1.5 + 1.4 = 2.9 from two passages, no 2.5 from the best one."""
    finds([TOWER, BUILT, CATS])
    with fine_tuned(
        (alone, NEEDED),
        ("330", segment("Yes!", relevant=0.5, full=0.5, useful=1.0)),
        ("Gustave", segment("yes", relevant=0.5, full=0.4, useful=1.0)),
        ("Cats", segment("No.", relevant=1.0, full=1.0, useful=1.0)),
    ) as endpoint:
        result = ask(endpoint, monkeypatch, form="short", closed=closed)
    assert result["answer"] == answer
    votes = step(result, "elect")["figures"].get("votes")
    assert votes == ({"no": 2.5, "yes": 2.9} if closed else None)


@pytest.mark.parametrize(
    ("support", "refused"), [({FULL: 1.0}, False), ({PARTIAL: 1.0}, False), ({NO_SUPPORT: 1.0}, True), (None, True)]
)
def test_what_no_passage_supports_is_refused(
    finds: Finds, monkeypatch: pytest.MonkeyPatch, support: Any, refused: bool
) -> None:
    finds([TOWER])
    written = said(RELEVANT, "It is 400 metres tall.", *([support] if support else []), UTILITIES[4])
    with fine_tuned((alone, NEEDED), ("330", written)) as endpoint:
        result = ask(endpoint, monkeypatch, form="short")
    assert result["refused"] == refused
    if refused:
        assert result["refusal_reason"] == "no passage supports an answer (best support 1.0, needed above 2)"
    absent = step(result, "expand")["figures"]["segments"][0].get("not_reported")
    assert absent == (None if support else ["support"])


def test_a_model_without_reflection_tokens_is_said_to_be_one(finds: Finds, monkeypatch: pytest.MonkeyPatch) -> None:
    finds([TOWER])
    with fine_tuned((alone, said("It")), ("330", said("It", " is tall."))) as endpoint:
        result = ask(endpoint, monkeypatch)
    assert result["refused"]
    assert result["warnings"] == ["model 'openai:selfrag' reports no reflection token: is it fine-tuned on them?"]


def test_the_weight_of_the_sequence(finds: Finds, monkeypatch: pytest.MonkeyPatch) -> None:
    """The improbable segment loses: 2.5 + (0.0081)^(1/4) = 2.8 against 2.4 + (0.8)^(1/4) = 3.346."""
    finds([TOWER, BUILT])
    with fine_tuned(
        (alone, NEEDED),
        ("330", said(RELEVANT, {"Tall.": 0.0081, "Old.": 0.9}, FULL, UTILITIES[4])),
        ("Gustave", said({RELEVANT: 0.8, IRRELEVANT: 0.2}, "Built.", FULL, UTILITIES[4])),
    ) as endpoint:
        result = ask(endpoint, monkeypatch, form="short", sequence_weight=1.0)
    scores = [one["score"] for one in step(result, "expand")["figures"]["segments"]]
    assert scores == pytest.approx([2.5 + 0.3, 0.8 + 1 + 0.5 + 0.8**0.25], abs=1e-4)
    assert result["answer"] == "Built. [2]"


@pytest.mark.parametrize("begun", [False, True])
def test_a_model_that_goes_down(
    finds: Finds, evaluates: Callable[..., FixedEvaluator], monkeypatch: pytest.MonkeyPatch, begun: bool
) -> None:
    finds([TOWER])
    evaluates({"330": 0.9})
    first = segment("It is 330 metres tall.", then={RETRIEVAL: 1.0})
    endpoint = fine_tuned((alone, NEEDED), ("330", first))
    reply = endpoint.reply

    def goes_down(request: Any) -> str:
        if len(endpoint.requests) >= (2 if begun else 1):
            endpoint.always_fail = 500
        return reply(request)  # type: ignore[operator]

    endpoint.reply = goes_down
    with endpoint:
        result = ask(endpoint, monkeypatch)
        with pytest.raises(ModelUnavailable):
            graph.invoke(
                {"question": QUESTION},
                context={"chat_model": "openai:selfrag", "self_rag": {"critic": "tokens"}, "on_model_failure": "error"},
            )
    assert result["answer"] == ("It is 330 metres tall. [1]" if begun else f"{TOWER.page_content} [1]")
    assert result["warnings"][0].startswith("the answer ends early: " if begun else "the answer is quoted: ")


def test_one_segment_that_fails_costs_a_warning(finds: Finds, monkeypatch: pytest.MonkeyPatch) -> None:
    finds([CATS, TOWER])
    with fine_tuned((alone, NEEDED), ("330", segment("It is 330 metres tall.")), ("Cats", segment("No."))) as endpoint:
        monkeypatch.setattr("nodes.expand.complete", failing_for("Cats"))
        result = ask(endpoint, monkeypatch, form="short")
    assert result["warnings"] == ["a segment was not written: busy"] and not result["refused"]


def failing_for(words: str) -> Any:
    async def call(model: str, prompt: str, **options: Any) -> Any:
        if words in prompt:
            raise ModelUnavailable("busy")
        return await complete(model, prompt, **options)

    return call


def test_the_whole_answer_is_streamed_once_it_is_elected(finds: Finds, monkeypatch: pytest.MonkeyPatch) -> None:
    finds([TOWER])
    with fine_tuned((alone, NEEDED), ("330", segment("It is 330 metres tall."))) as endpoint:
        endpoint.configure(monkeypatch)
        context = {"chat_model": "openai:selfrag", "self_rag": {"critic": "tokens"}}
        shown, final = [], {}
        asked: Any = {"question": QUESTION}
        for mode, chunk in graph.stream(asked, context=context, stream_mode=["messages", "values"]):
            if mode == "messages":
                shown.append(chunk[0].text)
            else:
                final = chunk
    assert "".join(shown) == final["answer"] == "It is 330 metres tall. [1]"


def test_nothing_found_is_refused(finds: Finds, monkeypatch: pytest.MonkeyPatch) -> None:
    finds([])
    with fine_tuned((alone, NEEDED)) as endpoint:
        result = ask(endpoint, monkeypatch)
    assert path(result)[-1] == "refuse" and result["refusal_reason"] == "nothing was found in default"


def test_every_branch_lands_on_a_node() -> None:
    builder = tokens_graph.builder
    for branches in builder.branches.values():
        for branch in branches.values():
            assert branch.ends and set(branch.ends) <= {*builder.nodes, END}
