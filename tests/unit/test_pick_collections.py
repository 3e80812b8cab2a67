"""Which of several collections are searched."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graphs.catalogue import load
from graphs.router import graph
from groundgraph.errors import CollectionError
from groundgraph.knowledge.choose import choose_collections, named
from groundgraph.knowledge.index import Collection, index
from state.context import Context
from tests.embedder import BagEmbedder, use_bag_embedder

TEXTS = {
    "hotels": ("hotels rooms breakfast", "Hotel Alder has 120 rooms."),
    "kettles": ("kettles toasters water", "The kettle holds much water."),
    "stars": ("", "Saturn has many moons. Saturn has rings."),
    "soups": ("", "Boil the soup. Salt the soup."),
}


@pytest.fixture
def embedder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BagEmbedder:
    embedder = use_bag_embedder(monkeypatch, 256)
    for name, (description, text) in TEXTS.items():
        file = tmp_path / f"{name}.md"
        file.write_text(text)
        index([file], name)
        Collection.open(name).describe(description)
    return embedder


def test_the_nearest_of_each_kind_are_chosen(embedder: BagEmbedder) -> None:
    """Descriptions are compared with each other, and so are samples; a score of one kind says nothing of the other."""
    choice = choose_collections("How many rooms have hotels near the moons of Saturn?", list(TEXTS))
    assert choice.names == ["hotels", "stars"]
    assert list(choice.scores) == list(TEXTS) and choice.scores["hotels"] > choice.scores["kettles"]  # type: ignore[operator]


def test_all_are_chosen_when_no_one_stands_out(embedder: BagEmbedder) -> None:
    assert choose_collections("Zebra?", list(TEXTS)).names == list(TEXTS)


def test_an_empty_collection_of_which_nothing_is_known_is_searched(embedder: BagEmbedder) -> None:
    Collection.open("new", create=True)
    choice = choose_collections("How many rooms have hotels?", ["hotels", "kettles", "new"])
    assert choice.names == ["hotels", "new"] and choice.scores["new"] is None


def test_a_description_is_embedded_once(embedder: BagEmbedder) -> None:
    choose_collections("rooms", ["hotels", "kettles"])
    before = len(embedder.embedded)
    choose_collections("water", ["hotels", "kettles"])
    assert len(embedder.embedded) == before


def test_a_star_means_all(embedder: BagEmbedder) -> None:
    assert named(["*"]) == sorted(TEXTS) and named(["stars", "*"])[0] == "stars"


def test_a_star_without_collections(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match="there are no collections yet; make one: groundgraph index PATH"):
        named(["*"])


def ask(evaluates: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, **settings: Any) -> dict[str, Any]:
    monkeypatch.setattr("nodes.classify_intent.embedded_intent", lambda text: {"simple_fact": 0.9})
    evaluates({"Alder": 0.9})
    context = {"answerer": "extractive", "collections": ["*"], **settings}
    result: dict[str, Any] = graph.invoke({"question": "How many rooms have hotels like Alder?"}, context=context)
    return result


def searched(result: dict[str, Any]) -> list[str]:
    (step,) = [step for step in result["steps"] if step["node"] == "retrieve"]
    names: list[str] = step["figures"]["collections"]
    return names


def test_the_router_hands_its_choice_to_the_pattern(
    embedder: BagEmbedder, evaluates: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = ask(evaluates, monkeypatch)
    assert "hotels" in searched(result) and "kettles" not in searched(result)
    (step,) = [step for step in result["steps"] if step["node"] == "pick_collections"]
    assert step["decision"] == f"{len(searched(result))} of 4 collections"
    assert result["citations"][0]["collection"] == "hotels"


def test_the_choice_may_be_turned_off(
    embedder: BagEmbedder, evaluates: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert searched(ask(evaluates, monkeypatch, router={"pick_collections": False})) == sorted(TEXTS)


def test_all_are_searched_when_the_embedding_model_fails(
    embedder: BagEmbedder, evaluates: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder.fails = "bag is down"
    result = ask(evaluates, monkeypatch)
    assert searched(result) == sorted(TEXTS)
    assert result["warnings"][0] == "all collections are searched, since none could be picked: bag is down"


def test_a_route_may_be_given_and_holds_for_one_run(embedder: BagEmbedder) -> None:
    naive = load("naive").copy(update={"checkpointer": InMemorySaver()})
    thread: Any = {"configurable": {"thread_id": "1"}}
    context = Context(answerer="extractive", collections=["hotels"])
    given: Any = {"question": "Zebra crossings?", "route": {"collections": ["stars"]}}
    assert searched(naive.invoke(given, thread, context=context)) == ["stars"]
    assert searched(naive.invoke({"question": "Zebra crossings?"}, thread, context=context)) == ["hotels"]
