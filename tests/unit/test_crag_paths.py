"""Every edge of Corrective RAG's drawing, and every setting that chooses between them."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from graphs.crag import graph
from tests.doubles import FixedEvaluator, FixedSearch, FixedWeb, passage
from tests.scripted import Line, scripted

SCORES = {"good": 0.9, "so-so": 0.6, "poor": 0.4, "bad": 0.03}
BEGINNING = ("__start__", "receive", "retrieve", "rerank", "grade")
WEB = ("rewrite", "web_search", "grade_web")
ANSWER = ("refine", "generate", "__end__")
REFUSAL = ("refuse", "__end__")
ON = {"web_search": "on"}
PER_DOCUMENT = {"policy": "per_document"}
TWO_TIERS = {"merge_ambiguous": True}
ANY_INCORRECT = {"policy": "per_document", "web_when": "any_incorrect"}


class Case(NamedTuple):
    """What the documents and the web hold, by the scores of their passages; the settings; where the run goes."""

    local: str
    web: str | None
    settings: dict[str, Any]
    path: tuple[str, ...]
    used: str = ""
    """Texts that the answer is written from, in the order of their numbers."""
    reply: str = "It is so [1]."


CASES = {
    # Policy paper: any Correct, all Incorrect, else Ambiguous.
    "correct": Case("good bad so-so", "good", ON, ANSWER, "good so-so"),
    "ambiguous, web off": Case("so-so bad", "good", {}, ANSWER, "so-so"),
    "ambiguous, web on": Case("so-so bad", "good", ON, (*WEB, *ANSWER), "good so-so"),
    "ambiguous, web fails": Case("so-so bad", None, ON, (*WEB, *ANSWER), "so-so"),
    "ambiguous, web all Incorrect": Case("so-so bad", "bad poor", ON, (*WEB, *ANSWER), "so-so"),
    "incorrect, web off": Case("poor bad", "good", {}, REFUSAL),
    "incorrect, web on": Case("poor bad", "bad so-so good", ON, (*WEB, *ANSWER), "good so-so"),
    "incorrect, web fails": Case("poor bad", None, ON, (*WEB, *REFUSAL)),
    "incorrect, web empty": Case("poor bad", "", ON, (*WEB, *REFUSAL)),
    "incorrect, web all Incorrect": Case("poor bad", "bad poor", ON, (*WEB, *REFUSAL)),
    "nothing retrieved, web off": Case("", "good", {}, REFUSAL),
    "nothing retrieved, web on": Case("", "good", ON, (*WEB, *ANSWER), "good"),
    "no answer in it": Case("good", None, {}, ("refine", "generate", *REFUSAL), reply="NOT FOUND"),
    "no sentence of it": Case("good", None, {"crag": {"refine_threshold": 1.0}}, ("refine", *REFUSAL)),
    # Thresholds, and the two-tier form.
    "a near miss beside a correct one": Case("poor bad good", None, {}, ANSWER, "good poor"),
    "a higher theta_keep": Case("poor bad good", None, {"crag": {"theta_keep": 0.4}}, ANSWER, "good"),
    "a lower theta_high": Case("so-so", "good", {**ON, "crag": {"theta_high": 0.6}}, ANSWER, "so-so"),
    "a higher theta_low": Case("so-so", None, {"crag": {"theta_low": 0.6}}, REFUSAL),
    "two tiers, web off": Case("so-so bad", "good", {"crag": {"merge_ambiguous": True}}, REFUSAL),
    "two tiers, web on": Case("so-so bad", "good", {**ON, "crag": {"merge_ambiguous": True}}, (*WEB, *ANSWER), "good"),
    # Policy mean: 0.75, 0.315 and 0.215; no passage is judged alone.
    "mean, correct": Case("good so-so", "good", {**ON, "crag": {"policy": "mean"}}, ANSWER, "good so-so"),
    "mean, ambiguous": Case("so-so bad", "good", {**ON, "crag": {"policy": "mean"}}, (*WEB, *ANSWER), "good so-so bad"),
    "mean, incorrect": Case("poor bad", "good", {**ON, "crag": {"policy": "mean"}}, (*WEB, *ANSWER), "good"),
    "mean, incorrect, web off": Case("poor bad", None, {"crag": {"policy": "mean"}}, REFUSAL),
    # Policy per_document: each passage in its own tier, one search either way.
    "each, some correct": Case("bad so-so good", "good", {**ON, "crag": PER_DOCUMENT}, ANSWER, "good so-so"),
    "each, none correct": Case("bad so-so", "good", {**ON, "crag": PER_DOCUMENT}, (*WEB, *ANSWER), "good so-so"),
    "each, any incorrect": Case("bad good", "so-so", {**ON, "crag": ANY_INCORRECT}, (*WEB, *ANSWER), "good so-so"),
    "each, none incorrect": Case("so-so good", "good", {**ON, "crag": ANY_INCORRECT}, ANSWER, "good so-so"),
    "each, web off": Case("bad poor", "good", {"crag": PER_DOCUMENT}, REFUSAL),
    "each, two tiers": Case("bad so-so good", "good", {"crag": {**PER_DOCUMENT, **TWO_TIERS}}, ANSWER, "good"),
    "each, two tiers, web off": Case("bad so-so", "good", {"crag": {**PER_DOCUMENT, **TWO_TIERS}}, REFUSAL),
    "each, two tiers, any incorrect": Case(
        "so-so good", "good", {**ON, "crag": {**ANY_INCORRECT, **TWO_TIERS}}, (*WEB, *ANSWER), "good good"
    ),
    # What is taken of the web, and where it stands.
    "web_top_k": Case("bad", "good so-so good", {**ON, "web_top_k": 1}, (*WEB, *ANSWER), "good"),
    "two results beside local ones": Case("so-so", "good good good", ON, (*WEB, *ANSWER), "good good so-so"),
    "web_weight": Case("so-so", "good", {**ON, "crag": {"web_weight": 0.5}}, (*WEB, *ANSWER), "so-so good"),
    "reranked": Case("bad so-so good", None, {"rerank": "evaluator", "top_k": 1}, ANSWER, "good"),
}


def lines(case: Case) -> list[Line]:
    query = Line("search query", "words of the web", optional=True)
    return [query, Line("something else", case.reply, optional=True)]


def run(case: Case) -> tuple[list[str], dict[str, Any]]:
    """Return the nodes that ran, in order, and the state in the end."""
    nodes, state = ["__start__"], {}
    with scripted(*lines(case)) as (model, _):
        context = {"chat_model": model, **case.settings}
        for mode, chunk in graph.stream({"question": "How is it?"}, context=context, stream_mode=["updates", "values"]):
            if mode == "updates":
                nodes += chunk
            else:
                state = chunk
    return [*nodes, "__end__"], state


@pytest.fixture
def given(
    finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator], web: Callable[..., FixedWeb]
) -> Callable[[Case], FixedWeb]:
    def give(case: Case) -> FixedWeb:
        finds([passage(f"It is {word}.", f"{n}.md") for n, word in enumerate(case.local.split())])
        evaluates(SCORES, sentences={"good": 0.9})
        return web(*(f"It is {word}." for word in (case.web or "").split()), error="down" if case.web is None else None)

    return give


@pytest.mark.parametrize("name", CASES)
def test_the_run_goes_where_the_drawing_says(name: str, given: Callable[[Case], FixedWeb]) -> None:
    case = CASES[name]
    provider = given(case)
    nodes, result = run(case)
    assert tuple(nodes) == (*BEGINNING, *case.path)
    assert [one.page_content for one in result["passages"]] == [f"It is {word}." for word in case.used.split()]
    assert result["refused"] == ("refuse" in case.path) != bool(result["citations"])
    assert provider.queries == (["words of the web"] if "web_search" in case.path else [])


def test_the_cases_take_every_edge_of_the_drawing() -> None:
    paths = [(*BEGINNING, *case.path) for case in CASES.values()]
    taken = {edge for path in paths for edge in pairwise(path)}
    assert taken == {(edge.source, edge.target) for edge in graph.get_graph().edges}


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.settings.get("web_search")])
@pytest.mark.parametrize("allowed", [True, False])
async def test_a_person_who_is_asked_decides_what_the_web_decides_else(
    name: str, allowed: bool, given: Callable[[Case], FixedWeb]
) -> None:
    """Approved, the run ends as with the web on; denied, as if the web had found nothing."""
    case = CASES[name]
    given(case if allowed else case._replace(web=""))
    _, expected = run(case)
    provider = given(case)
    keeping = graph.copy(update={"checkpointer": InMemorySaver()})
    thread: Any = {"configurable": {"thread_id": "1"}}
    with scripted(*lines(case)) as (model, _):
        context = {"chat_model": model, **case.settings, "web_search": "ask"}
        result = await keeping.ainvoke({"question": "How is it?"}, thread, context=context)
        if "web_search" in case.path:
            assert result["__interrupt__"][0].value["web_search"] == "words of the web" and provider.queries == []
            result = await keeping.ainvoke(Command(resume=allowed), thread, context=context)
    assert [one.page_content for one in result["passages"]] == [one.page_content for one in expected["passages"]]
    assert (result["answer"], result["refused"]) == (expected["answer"], expected["refused"])
    assert provider.queries == (["words of the web"] if allowed and "web_search" in case.path else [])
