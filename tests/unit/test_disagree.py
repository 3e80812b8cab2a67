"""When two passages answer a question differently, and what the answer then says."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.runtime import Runtime

from graphs.adaptive import graph as adaptive
from graphs.catalogue import load
from graphs.crag import graph as crag
from graphs.naive import graph
from groundgraph.grading.disagree import Statement, disagreement
from nodes.conclude import conclude
from nodes.grade import grade_web
from nodes.grade_next import grade_next
from nodes.settle import other_side
from state.context import Context
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.logprobs import logprobs_of
from tests.scripted import Line, scripted

ROOMS = ("Hotel Alder opened in 1994 and has 120 rooms on six floors.", "Hotel Alder has 96 rooms and a sauna.")
CLIMB = ("云顶山海拔2341米。", "云顶山以2290米的高度成为岛上最高峰。")
ANOTHER = "The documents disagree. Another passage says:"
CLASH = "the documents disagree: [1] says “{}”; [2] says “{}”"


ELSE_ASKED = {"Write a short passage": "It has 100 rooms.", "写一小段": "高2300米。", "Rate your": "5", "打分": "5"}
"""What the patterns ask a model for beside an answer."""


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("How many rooms does Hotel Alder have?", *ROOMS),
        ("When was the bridge opened?", "The bridge was opened in 1931.", "Opened in 1934, the bridge is long."),
        ("What is the notice period?", "The notice period is three months.", "There is a notice period of six weeks."),
        ("Who founded Marlow Bakery?", "Ruth Ashby founded Marlow Bakery.", "Marlow Bakery's founder was Peter Lang."),
        ("How much is the fee of the Gold plan?", "The fee of the Gold plan is €240.", "Gold plan: a fee of €260."),
        ("When does the library close?", "The library closes at 18:00.", "The library closes at 20:00."),
        ("云顶山有多高？", *CLIMB),
        ("青石酒店有多少间客房？", "青石酒店共有120间客房。", "青石酒店有96间客房。"),
        ("大桥是哪一年通车的？", "大桥于1931年通车。", "大桥1934年通车。"),
    ],
)
def test_different_answers(question: str, first: str, second: str) -> None:
    found = disagreement(question, [passage(first), passage(second)])
    assert found == ((1, first), (2, second))


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("How many rooms does Hotel Alder have?", ROOMS[0], "Hotel Alder has 120 rooms."),
        ("How many rooms does Hotel Alder have?", ROOMS[0], "Hotel Alder has 6 floors."),
        ("How many rooms does Hotel Alder have?", ROOMS[0], "Hotel Birch has 96 rooms."),
        ("How much do the plans cost?", "The Basic plan costs 5 euros.", "The Gold plan costs 20 euros."),
        ("How long is the trial period?", "The trial period is 12 months.", "The trial period is one year, so 1 year."),
        ("Does Hotel Alder have rooms?", *ROOMS),
        ("Why is Hotel Alder so popular?", *ROOMS),
        ("青石酒店有多少间客房？", "青石酒店共有120间客房。", "青石酒店有6层楼。"),
    ],
)
def test_no_different_answers(question: str, first: str, second: str) -> None:
    assert disagreement(question, [passage(first), passage(second)]) is None


def test_a_passage_that_was_graded_irrelevant_says_nothing() -> None:
    passages = [passage(ROOMS[0], score=0.9), passage(ROOMS[1], score=0.1)]
    assert disagreement("How many rooms does Hotel Alder have?", passages) is None
    opened = [passage("The bridge was opened in 1931.", score=0.9), passage("It was opened in 1934.", score=0.4)]
    assert disagreement("When was the bridge opened?", opened) is None


@pytest.mark.parametrize(
    ("question", "passages"), [("How many rooms does Hotel Alder have?", ROOMS), ("云顶山有多高？", CLIMB)]
)
@pytest.mark.parametrize(("other", "disagree"), [(0.48, True), (0.2, True), (0.08, False)])
@pytest.mark.parametrize("pattern", [crag, adaptive])
def test_the_other_side_is_kept_though_it_is_graded_too_low(
    question: str,
    passages: tuple[str, str],
    other: float,
    disagree: bool,
    pattern: Any,
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
) -> None:
    finds([passage(text, source=f"{n}.md") for n, text in enumerate((*passages, "Cats purr."))])
    evaluates({passages[0]: 0.8, passages[1]: other, "Cats": 0.48})
    alone = {"theta_keep": 0.5}
    context = {"answerer": "extractive", "crag": alone, "adaptive": alone}
    result = pattern.invoke({"question": question}, context=context)
    assert [found.page_content for found in result["passages"]] == [*passages[: 1 + disagree]]
    assert result["warnings"] == ([CLASH.format(*passages)] if disagree else [])


async def test_the_other_side_is_kept_of_what_is_found_later(evaluates: Callable[..., FixedEvaluator]) -> None:
    evaluates({ROOMS[1]: 0.48})
    known = passage(ROOMS[0], score=0.8, tier="correct")
    found = passage(ROOMS[1], source="other.md")
    state: Any = {"query": "How many rooms does Hotel Alder have?", "passages": [known], "web_passages": [found]}
    run: Any = Runtime(context=Context())
    assert len((await grade_web(state, run))["passages"]) == 2
    later = {**state, "passages": [known, found], "draft_queries": [], "current": [2], "shown": [1]}
    assert len((await grade_next(later, run))["passages"]) == 2


async def test_an_answer_of_segments_warns_of_it_too() -> None:
    passages = [passage(text, source=f"{n}.md") for n, text in enumerate(ROOMS)]
    state: Any = {
        "query": "How many rooms does Hotel Alder have?", "passages": passages, "failure": "", "message_id": "1",
        "answer": "It has 120 rooms [1].",
    }  # fmt: skip
    update = await conclude(state, Runtime(context=Context()))
    assert update["warnings"] == [CLASH.format(*ROOMS)]
    assert update["answer"] == f"It has 120 rooms [1].\n\n{ANOTHER} {ROOMS[1]} [2]"


async def test_both_sides_are_quoted_in_place_of_segments_that_could_not_be_written() -> None:
    state: Any = {
        "question": "How many rooms does Hotel Alder have?", "query": "How many rooms does Hotel Alder have?",
        "passages": [passage(text, source=f"{n}.md") for n, text in enumerate(ROOMS)], "failure": "busy",
        "answer": "", "message_id": "", "intent": "",
    }  # fmt: skip
    update = await conclude(state, Runtime(context=Context()))
    assert update["answer"] == f"The documents disagree. {ROOMS[0]} [1] {ROOMS[1]} [2]"
    assert update["warnings"] == ["the answer is quoted: busy", CLASH.format(*ROOMS)]


@pytest.mark.parametrize(
    ("question", "passages", "asked", "said"),
    [
        (
            "How many rooms does Hotel Alder have?",
            ROOMS,
            "Passages 1 and 2 contradict each other",
            "One says 120 rooms [1], the other 96 rooms [2].",
        ),
        ("云顶山有多高？", CLIMB, "段落1和段落2的说法互相矛盾", "一说2341米[1]，一说2290米[2]。"),
    ],
)
def test_the_model_is_asked_for_both_sides(
    question: str, passages: tuple[str, str], asked: str, said: str, finds: Callable[..., FixedSearch]
) -> None:
    finds([passage(text, source=f"{n}.md") for n, text in enumerate(passages)])
    with scripted((asked, said)) as (model, _):
        result = graph.invoke({"question": question}, context={"chat_model": model})
    assert [citation["number"] for citation in result["citations"]] == [1, 2]
    assert result["warnings"] == [CLASH.format(*passages)]


@pytest.mark.parametrize(
    ("question", "passages", "opening"),
    [
        ("How many rooms does Hotel Alder have?", ROOMS, "The documents disagree. "),
        ("云顶山有多高？", CLIMB, "文档的说法不一致。"),
    ],
)
@pytest.mark.parametrize(
    "settings", [{"answerer": "extractive"}, {"chat_model": "llamacpp:qwen2.5-coder-1.5b-instruct"}]
)
def test_without_a_model_or_with_a_small_one_both_are_quoted(
    question: str, passages: tuple[str, str], opening: str, settings: Any, finds: Callable[..., FixedSearch]
) -> None:
    finds([passage(text, source=f"{n}.md") for n, text in enumerate(passages)])
    result: dict[str, Any] = graph.invoke({"question": question}, context=settings)
    assert result["answer"] == f"{opening}{passages[0]} [1] {passages[1]} [2]"
    assert result["warnings"] == [CLASH.format(*passages)] and result["usage"]["model_calls"] == 0


@pytest.mark.parametrize("pattern", ["naive", "crag", "hyde", "advanced", "adaptive", "combined", "flare", "self_rag"])
@pytest.mark.parametrize(
    ("question", "passages", "said", "added"),
    [
        ("How many rooms does Hotel Alder have?", ROOMS, "It has 120 rooms [1].", f"{ANOTHER} {ROOMS[1]} [2]"),
        ("云顶山有多高？", CLIMB, "云顶山海拔2341米[1]。", f"文档的说法不一致。另一段落写道：{CLIMB[1]} [2]"),
    ],
)
def test_an_answer_of_one_side_gets_the_other(
    pattern: str,
    question: str,
    passages: tuple[str, str],
    said: str,
    added: str,
    finds: Callable[..., FixedSearch],
    evaluates: Callable[..., FixedEvaluator],
) -> None:
    """Whatever the pattern, and whether or not its prompt asks for both; it is streamed as well."""
    finds([passage(text, source=f"{n}.md") for n, text in enumerate(passages)])
    evaluates({passages[0]: 0.9, passages[1]: 0.8})
    self_rag = {"retrieval": "always", "relevance": "evaluator", "passages": 1, "max_segments": 1}
    lines = [Line(when, say, times=None, optional=True) for when, say in ELSE_ASKED.items()]
    with scripted(*lines, Line(None, said, times=None, logprobs=logprobs_of(said))) as (model, _):
        context: Any = {"chat_model": model, "self_rag": self_rag, "hyde": {"k": 1}}
        items = list(load(pattern).stream({"question": question}, context=context, stream_mode=["messages", "values"]))
    result = [state for mode, state in items if mode == "values"][-1]
    streamed = "".join(token[0].text for mode, token in items if mode == "messages")
    assert result["answer"].endswith(f"\n\n{added}") and result["answer"].count("[2]") == 1
    assert streamed.endswith(added) and streamed.startswith(said[:6])
    assert [citation["number"] for citation in result["citations"]] == [1, 2]
    assert result["citations"][1]["quote"] == passages[1] and result["warnings"] == [CLASH.format(*passages)]


@pytest.mark.parametrize(
    ("answer", "sides", "added"),
    [
        ("It has 120 rooms [1], or 96 [2].", (1, 2), ""),
        ("It has many [3].", (1, 2), "\n\nThe documents disagree. It has 120 rooms. [1] It has 96 rooms. [2]"),
        ("Run:\n```\nrooms [2]", (1, 2), "\n```\n\nThe documents disagree. It has 120 rooms. [1] It has 96 rooms. [2]"),
    ],
)
def test_what_an_answer_lacks(answer: str, sides: tuple[int, int], added: str) -> None:
    said = (Statement(sides[0], "It has 120 rooms."), Statement(sides[1], "It has 96 rooms."))
    assert other_side(answer, said, "en") == added


def test_a_row_of_the_other_side_stands_in_a_table() -> None:
    row = "| Rooms | Floors |\n|---|---|\n| 96 | 6 |"
    said = (Statement(1, "It has 120 rooms."), Statement(2, row))
    assert other_side("It has 120 rooms [1].", said, "en") == f"\n\n{ANOTHER}\n\n{row[:-2]} [2] |"


def test_a_plain_question_is_asked_plainly(finds: Callable[..., FixedSearch]) -> None:
    finds([passage(ROOMS[0])])
    with scripted((None, "It has 120 rooms [1].")) as (model, chat):
        result = graph.invoke({"question": "How many rooms does Hotel Alder have?"}, context={"chat_model": model})
    assert "Passages 1 and 2" not in chat.prompts[0] and "compared" not in chat.prompts[0]
    assert "If passages contradict each other" in chat.prompts[0] and result["warnings"] == []


def test_a_comparison_is_asked_for_side_by_side(finds: Callable[..., FixedSearch]) -> None:
    finds([passage("The kettle holds 1.7 litres."), passage("The pot holds 3 litres.")])
    given: Any = {"question": "Which holds more, the kettle or the pot?", "route": {"intent": "comparative"}}
    with scripted(("Say of each thing compared", "The kettle holds 1.7 litres [1], the pot 3 [2].")) as (model, _):
        result = graph.invoke(given, context={"chat_model": model})
    assert len(result["citations"]) == 2
