"""Presets: which settings they fill in, what wins over them, and that they reach every run and subgraph."""

from collections.abc import Callable
from typing import Any, get_args

import pytest
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from graphs.catalogue import load
from groundgraph.errors import InputError
from state.blocks import CragSettings, HydeSettings
from state.context import Context, Preset
from state.presets import PRESETS, settled
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.scripted import scripted

EMBEDDED = "llamacpp:qwen2.5-coder-1.5b-instruct"
ENDPOINT = "openai:gpt-4o-mini"
TOWER = "The tower is 330 metres tall."
ASKED = {"question": "How tall is the tower?"}


class Asked(TypedDict, total=False):
    question: str
    steps: list[Any]


@pytest.mark.parametrize(
    ("given", "preset", "k"),
    [
        ({"chat_model": EMBEDDED}, "embedded", 1),
        ({"chat_model": ENDPOINT}, "default", 3),
        ({"chat_model": EMBEDDED, "answerer": "extractive"}, "default", 3),
        ({"chat_model": EMBEDDED, "preset": "default"}, "default", 3),
        ({"chat_model": ENDPOINT, "preset": "paper"}, "paper", 8),
        ({"chat_model": EMBEDDED, "preset": "strict"}, "strict", 1),
        ({"chat_model": EMBEDDED, "preset": "auto", "hyde": {"k": 2}}, "embedded", 2),
    ],
)
def test_what_a_preset_comes_to(given: dict[str, Any], preset: str, k: int) -> None:
    context = settled(Context.parse(given))
    assert (context.preset, context.hyde.k) == (preset, k)


def test_without_a_named_model_the_default_one_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("state.presets.default_chat_model", lambda: EMBEDDED)
    assert settled(Context()).preset == "embedded"
    monkeypatch.setattr("state.presets.default_chat_model", lambda: None)
    assert settled(Context()).preset == "default"


@pytest.mark.parametrize("preset", [name for name in get_args(Preset) if name != "auto"])
def test_every_preset_is_one_that_context_takes(preset: Any) -> None:
    context = settled(Context(preset=preset, chat_model=ENDPOINT))
    for key, value in PRESETS[preset].items():
        found = getattr(context, key)
        assert (found.model_dump() | value == found.model_dump()) if isinstance(value, dict) else found == value


def test_what_is_set_wins_in_blocks_too() -> None:
    given = Context(preset="strict", web_search="on", crag=CragSettings(theta_high=0.7, policy="mean"))
    context = settled(given)
    assert context.web_search == "on"
    assert (context.crag.theta_high, context.crag.policy) == (0.7, "mean")
    assert context.crag.theta_low == CragSettings().theta_low, "the other half of the pair is left alone too"
    assert context.crag.mean_high == PRESETS["strict"]["crag"]["mean_high"]


def test_strict_trusts_less_and_loose_more_than_balanced() -> None:
    strict, balanced, loose = (settled(Context(preset=name)) for name in ("strict", "balanced", "loose"))
    for block, low, high in (
        ("crag", "theta_low", "theta_high"),
        ("adaptive", "theta_low", "theta_high"),
        ("self_rag", "poor_relevant", "poor_supported"),
    ):
        for key in (low, high):
            assert getattr(getattr(strict, block), key) > getattr(getattr(balanced, block), key)
            assert getattr(getattr(balanced, block), key) > getattr(getattr(loose, block), key)
    assert strict.require_citations and not loose.require_citations
    assert {strict.web_search, loose.web_search} == {"off"}, "no preset turns the web on"


def test_settling_again_changes_nothing() -> None:
    given = Context(chat_model=EMBEDDED, hyde=HydeSettings(pool="max"))
    once = settled(given, {"rerank": "evaluator"})
    assert settled(once) == once
    assert once.model_fields_set == {"chat_model", "hyde", "rerank"} and once.hyde.model_fields_set == {"pool"}


def test_a_routes_settings_win_over_presets_and_lose_to_a_person() -> None:
    base = settled(Context(chat_model=EMBEDDED, crag=CragSettings(theta_high=0.95)))
    context = settled(base, {"preset": "strict", "crag": {"theta_high": 0.8, "policy": "mean"}})
    assert (context.preset, context.hyde.k) == ("strict", 1)
    assert (context.crag.theta_high, context.crag.policy) == (0.95, "mean")
    assert settled(Context(preset="loose"), {"preset": "strict"}).preset == "loose"
    with pytest.raises(InputError, match=r"Context\.topk: unknown key"):
        settled(base, {"topk": 3})


def test_an_unknown_preset_names_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"Context\.preset='mild': Input should be 'auto', 'default',"):
        Context.parse({"preset": "mild"})


def test_it_reaches_every_way_of_running(finds: Callable[..., FixedSearch], monkeypatch: pytest.MonkeyPatch) -> None:
    """A Context, a dict as a server gives it, and a graph of one's own, whose Context is not settled."""
    finds([])
    naive = load("naive")
    own = StateGraph(Asked, context_schema=Context).add_node("naive", naive).add_edge(START, "naive").compile()
    context = Context(chat_model=EMBEDDED)
    for result in (
        naive.invoke(ASKED, context=context),
        naive.invoke(ASKED, context=context.model_dump(exclude_unset=True)),
        own.invoke(ASKED, context=context),
    ):
        assert result["steps"][0]["figures"]["preset"] == "embedded"
    monkeypatch.setattr("state.presets.default_chat_model", lambda: None)
    assert naive.invoke(ASKED)["steps"][0]["figures"]["preset"] == "default"


@pytest.mark.parametrize(("given", "refused"), [({}, True), ({"preset": "loose"}, False)])
def test_the_router_asks_more_of_passages_where_stakes_are_high(
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    monkeypatch: pytest.MonkeyPatch,
    given: dict[str, Any],
    refused: bool,
) -> None:
    """The strict preset of the route reaches the subgraph, unless the person has chosen another."""
    finds([passage(TOWER)])
    evaluates({"330": 0.55})
    monkeypatch.setattr("nodes.classify_intent.embedded_intent", lambda text: {"high_stakes": 0.9})
    router = {"table": {"high_stakes": "crag"}}
    line = ("in a few words", "Not stated.") if refused else ("something else", "330 metres [1].")
    with scripted(line) as (model, _):
        result = load("router").invoke(ASKED, context={"chat_model": model, "router": router, **given})
    presets = [step["figures"]["preset"] for step in result["steps"] if step["node"] == "receive"]
    assert presets == (["default", "strict"] if refused else ["loose", "loose"])
    assert result["refused"] == refused


def test_the_routers_state_does_not_change_a_run_from_outside(finds: Callable[..., FixedSearch]) -> None:
    finds([])
    given: Any = {**ASKED, "route_settings": {"preset": "strict"}}
    result = load("naive").invoke(given, context=Context(chat_model=ENDPOINT))
    assert result["steps"][0]["figures"]["preset"] == "default"
