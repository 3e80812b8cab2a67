"""The combined pattern: HyDE's retrieval, every branch of Corrective RAG, FLARE's writing."""

from collections.abc import Callable
from typing import Any

import pytest

from graphs.combined import graph
from groundgraph.knowledge.search import SearchResult
from tests.doubles import FixedEvaluator, FixedSearch, FixedWeb, passage
from tests.logprobs import logprobs_of
from tests.scripted import Line, scripted

TOWER = "The Eiffel Tower is 330 metres tall. It was painted brown."
CATS = "Cats purr when they are content."
WRITTEN = ["draft", "append", "finish"]
CORRECTED = ["grade", "rewrite", "web_search", "grade_web"]


@pytest.mark.parametrize(
    ("found", "web_found", "settings", "reply", "path"),
    [
        (TOWER, None, {}, "330 metres [1].", ["grade", "refine", *WRITTEN]),
        (CATS, None, {}, None, ["grade", "refuse"]),
        (CATS, TOWER, {"web_search": "on"}, "330 metres [1].", [*CORRECTED, "refine", *WRITTEN]),
        (CATS, CATS, {"web_search": "on"}, None, [*CORRECTED, "refuse"]),
        (
            TOWER, None, {}, "NOT FOUND",
            ["grade", "refine", "draft", "form_query", "retrieve_next", "grade_next", "finish", "refuse"],
        ),
    ],
)  # fmt: skip
def test_every_branch(
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    web: Callable[..., FixedWeb],
    found: str,
    web_found: str | None,
    settings: dict[str, Any],
    reply: str | None,
    path: list[str],
) -> None:
    search = finds([passage(found)])
    evaluates({"330": 0.9, "Cats": 0.1}, sentences={"painted": 0.1})
    web(*([web_found] if web_found else []))
    lines = [Line("Write a short passage", "The tower is 300 m tall.", times=3)]
    lines += [Line("search query", "tower height")] if web_found else []
    if reply:
        lines += [Line("something else", reply, logprobs=logprobs_of(reply))]
        lines += [
            Line("plausible names", "It is 300 m tall.", logprobs=logprobs_of("It is 300 m tall."), optional=True)
        ]
    with scripted(*lines) as (model, _):
        result = graph.invoke({"question": "How tall is the Eiffel Tower?"}, context={"chat_model": model, **settings})
    assert [step["node"] for step in result["steps"]] == ["receive", "hypothesize", "embed", "retrieve", *path]
    assert result["refused"] == (path[-1] == "refuse")
    assert search.options[0]["vectors"] == {"fixed:2": [0.6, 0.8]}
    if not result["refused"]:
        assert [one.page_content for one in result["passages"]] == ["The Eiffel Tower is 330 metres tall."]


BUILT = "The Eiffel Tower was built by Gustave Eiffel."


class Shelf(FixedSearch):
    """Finds cats and the builder for a query that names Gustave, the tower for every other one."""

    def __call__(self, query: str, collections: Any, *, k: int, **options: Any) -> SearchResult:
        super().__call__(query, collections, k=k, **options)
        return SearchResult([passage(CATS), passage(BUILT)] if "Gustave" in query else [passage(TOWER)], [])


@pytest.mark.parametrize(
    ("scores", "kept", "path"),
    [
        ({"330": 0.9, "built": 0.9, "Cats": 0.1}, [BUILT], ["regenerate", "append", "finish"]),
        ({"330": 0.9, "built": 0.6, "Cats": 0.55}, [CATS, BUILT], ["regenerate", "append", "finish"]),
        ({"330": 0.9, "built": 0.3, "Cats": 0.1}, [], ["append", "finish"]),
    ],
)
@pytest.mark.parametrize("keep", ["gather", "replace"])
def test_what_is_found_for_a_sentence_is_graded(
    keep: str,
    scores: dict[str, float],
    kept: list[str],
    path: list[str],
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of two new passages the usable ones stay, numbered on from those there are; with none, so does the draft."""
    finds([])
    shelf = Shelf([])
    for module in ("nodes.retrieve", "nodes.retrieve_next"):
        monkeypatch.setattr(f"{module}.search", shelf)
    evaluates(scores)
    draft, again = "Gustave Perret built it [1].", f"Gustave Eiffel built it [{1 + len(kept)}]."
    lines = [
        Line("Write a short passage", "Perret built it.", times=3),
        Line("something else", draft, logprobs=logprobs_of(draft, {"Perret": 0.1})),
        *([Line("something else", again, logprobs=logprobs_of(again))] if kept else []),
    ]
    with scripted(*lines) as (model, chat):
        context = {"chat_model": model, "flare": {"keep": keep}}
        result = graph.invoke({"question": "Who built it?"}, context=context)
    taken = [step["node"] for step in result["steps"]]
    assert taken[taken.index("retrieve_next") :] == ["retrieve_next", "grade_next", *path]
    assert [one.page_content for one in result["passages"]] == [TOWER, *kept]
    assert result["answer"] == (again if kept else draft)
    assert all(text in chat.prompts[-1] for text in kept) and ("Cats" in chat.prompts[-1]) == (CATS in kept)
    (graded,) = [step for step in result["steps"] if step["node"] == "grade_next"]
    assert graded["decision"] == f"{len(kept)} of 2 new passages kept"


def test_a_passage_for_a_sentence_has_the_better_of_two_scores(
    finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cats fit the question, the builder fits what was searched for: both stay."""
    finds([])
    for module in ("nodes.retrieve", "nodes.retrieve_next"):
        monkeypatch.setattr(f"{module}.search", Shelf([]))
    evaluator = evaluates({"330": 0.9})
    asked: list[str] = []

    def score(question: str, passages: Any, vectors: object = None) -> list[float]:
        asked.append(question)
        return [0.9 if "330" in p.page_content or ("Gustave" in question) == ("Gustave" in p.page_content) else 0.1
                for p in passages]  # fmt: skip

    monkeypatch.setattr(evaluator, "score", score)
    draft = "Gustave Perret built it [1]."
    lines = [
        Line("Write a short passage", "Perret built it.", times=3),
        Line("something else", draft, logprobs=logprobs_of(draft, {"Perret": 0.1})),
        Line("something else", "Gustave Eiffel built it [3]."),
    ]
    with scripted(*lines) as (model, _):
        result = graph.invoke({"question": "Who built it?"}, context={"chat_model": model, "evaluator": "embedded"})
    assert asked[:3] == ["Who built it?", "Who built it?", "Gustave built it ."]
    assert [one.score for one in result["passages"]] == [0.9, 0.9, 0.9]


@pytest.fixture
def shelf(
    finds: Callable[..., FixedSearch], evaluates: Callable[..., FixedEvaluator], monkeypatch: pytest.MonkeyPatch
) -> Shelf:
    finds([])
    shelf = Shelf([])
    for module in ("nodes.retrieve", "nodes.retrieve_next"):
        monkeypatch.setattr(f"{module}.search", shelf)
    evaluates({"330": 0.9, "built": 0.9, "Cats": 0.1})
    return shelf


def ask_for_the_builder(lines: list[Line], **flare: Any) -> dict[str, Any]:
    """Return the result and check that the model was asked for each line."""
    with scripted(Line("Write a short passage", "Perret built it.", times=3), *lines) as (model, _):
        return graph.invoke({"question": "Who built it?"}, context={"chat_model": model, "flare": flare})


def written(text: str, weak: dict[str, float] | None = None, when: str = "something else", **options: Any) -> Line:
    return Line(when, text, logprobs=logprobs_of(text, weak), **options)


def path(result: dict[str, Any]) -> list[str]:
    taken = [step["node"] for step in result["steps"]]
    return taken[taken.index("draft") :]


def test_the_official_code_writes_a_sure_sentence_again_unsearched(shelf: Shelf) -> None:
    result = ask_for_the_builder(
        [written("It is tall [1]."), written("It is 330 m tall [1].")], variant="official_code"
    )
    assert path(result) == ["draft", "regenerate", "append", "finish"] and len(shelf.queries) == 1
    assert result["answer"] == "It is 330 m tall [1]."


def test_each_retrieval_for_one_sentence_is_graded(shelf: Shelf) -> None:
    """The first brings the builder and drops the cats; the second has nothing new, and the sentence stands."""
    lines = [
        written("Gustave Perret built it [1].", {"Perret": 0.1}),
        written("Gustave Eifel built it [2].", {"Eifel": 0.1}),
    ]
    result = ask_for_the_builder(lines, retrieve_per_step=2)
    searched = ["form_query", "retrieve_next", "grade_next"]
    assert path(result) == ["draft", *searched, "regenerate", *searched, "append", "finish"]
    assert shelf.queries[1:] == ["Gustave built it .", "Gustave built it ."]
    graded = [step["decision"] for step in result["steps"] if step["node"] == "grade_next"]
    assert graded == ["1 of 2 new passages kept", "0 of 1 new passages kept"]
    assert [one.page_content for one in result["passages"]] == [TOWER, BUILT]
    assert result["answer"] == "Gustave Eifel built it [2]."


def test_a_second_sentence_is_drafted_from_what_was_graded_for_the_first(shelf: Shelf) -> None:
    lines = [
        written("It is 330 metres tall [1].", when="You have begun"),
        written("Gustave Perret built it [1].", {"Perret": 0.1}),
        written("Gustave Eiffel built it [2].", finish_reason="length"),
    ]
    result = ask_for_the_builder(lines)
    assert path(result)[-5:] == ["regenerate", "append", "draft", "append", "finish"]
    assert result["answer"] == "Gustave Eiffel built it [2]. It is 330 metres tall [1]."
    assert [one["number"] for one in result["citations"]] == [1, 2]
