"""Self-RAG with a prompted critic: what is written from which passage, what is kept, and how the answer ends."""

from collections.abc import Callable
from typing import Any

import pytest

from graphs.self_rag import graph
from groundgraph.errors import ModelError, ModelUnavailable
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import SearchResult
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.scripted import Line, scripted
from tests.self_rag import (
    BUILT,
    CATS,
    GOES_ON,
    NEEDS,
    NEXT,
    QUESTION,
    RATES,
    REWRITES,
    TOWER,
    WRITES,
    ask,
    path,
    rates,
    steps,
    writes,
)

Finds = Callable[..., FixedSearch]
Evaluates = Callable[..., FixedEvaluator]


def test_the_best_segment_is_chosen_and_cites_its_passage(finds: Finds) -> None:
    finds([passage(CATS), passage(BUILT), passage(TOWER)])
    with scripted(
        (NEEDS, "Yes."),
        writes("Cats", "NOT FOUND"),
        writes("Gustave", "Gustave Eiffel built it [2]."),
        writes("330", "It is 330 metres tall [1]."),
        *rates("Gustave", 4, 5, 3),
        *rates("It is 330", 5, 5, 4),
    ) as (model, _):
        result = ask(model)
    assert path(result) == [
        "receive", "decide", "retrieve", "select", "write_segments", "reflect", "choose", "accept", "conclude",
    ]  # fmt: skip
    assert result["answer"] == "It is 330 metres tall [3].", "the only passage that the writer saw is the third"
    assert [(c["number"], c["quote"]) for c in result["citations"]] == [(3, TOWER)]
    assert steps(result, "reflect")[0]["figures"]["segments"] == [
        {"passage": 2, "text": "Gustave Eiffel built it [2].", "relevant": 4, "supported": 5, "utility": 3,
         "score": 4.2},
        {"passage": 3, "text": "It is 330 metres tall [3].", "relevant": 5, "supported": 5, "utility": 4,
         "score": 4.8},
    ]  # fmt: skip
    assert steps(result, "accept")[0]["figures"]["passage"] == 3
    assert result["usage"]["model_calls"] == 10 and result["warnings"] == []


def test_the_answer_grows_until_it_is_useful_enough(finds: Finds) -> None:
    search = finds([passage(BUILT), passage(TOWER)])
    with scripted(
        (NEEDS, "yes"),
        writes("Gustave", "Gustave Eiffel built it [1]."),
        writes("330", "It is 330 metres tall [2]."),
        *rates("Gustave", 4, 5, 3),
        *rates("It is 330", 3, 5, 3),
        (NEXT, "yes"),
        writes("by Gustave Eiffel.\n</passage>", "END"),
        writes("330", "Gustave Eiffel built it [1]. It is 330 metres tall."),
        *rates("Gustave Eiffel built it [1]. It is 330", 5, 5, 5),
    ) as (model, chat):
        result = ask(model)
    assert result["answer"] == "Gustave Eiffel built it [1]. It is 330 metres tall. [2]"
    assert search.queries == [QUESTION, f"{QUESTION} Gustave Eiffel built it ."], "the segment so far is searched with"
    going_on = next(prompt for prompt in chat.prompts if GOES_ON in prompt)
    assert going_on.endswith("Gustave Eiffel built it [1].")
    assert [c["number"] for c in result["citations"]] == [1, 2] and path(result).count("accept") == 2


@pytest.mark.parametrize(
    ("said", "node"), [("no", "conclude"), ("continue", "select"), ("yes", "retrieve_evidence"), ("hm", "select")]
)
def test_what_follows_a_segment(finds: Finds, said: str, node: str) -> None:
    finds([passage(TOWER)])
    after = [] if said == "no" else [writes("330", "END")]
    with scripted(
        (NEEDS, "yes"), writes(QUESTION, "It is 330 metres tall."), *rates("It is", 5, 5, 3), (NEXT, said), *after
    ) as (model, _):
        result = ask(model)
    after_decision = path(result)[path(result).index("accept") + 2]
    assert after_decision == node and path(result)[-1] == "conclude"
    assert result["answer"] == "It is 330 metres tall. [1]"
    undecided = "need of retrieval not decided: 'hm' is neither yes nor no"
    assert result["warnings"] == ([undecided] if said == "hm" else [])


def test_every_search_is_in_the_collections_that_a_star_means(finds: Finds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundgraph.knowledge.choose.collection_names", lambda: ["law", "notes"])
    search = finds([passage(TOWER)])
    with scripted(
        (NEEDS, "yes"), writes(QUESTION, "It is tall."), *rates("It is", 5, 5, 3), (NEXT, "yes"), writes("", "END")
    ) as (model, _):
        ask(model, collections=["*"])
    assert search.collections == [["law", "notes"], ["law", "notes"]]


def test_segments_have_an_end(finds: Finds) -> None:
    finds([passage(TOWER)])
    numbered = [writes(QUESTION, f"Fact {n} holds.") for n in range(9)]
    with scripted((NEEDS, "yes"), Line(NEXT, "continue", times=3), *numbered[:4], Line(RATES, "3", times=12)) as (
        model,
        _,
    ):
        result = ask(model)
    assert path(result).count("accept") == 4 and path(result)[-1] == "conclude"


@pytest.mark.parametrize(("question", "reply"), [("Hello there!", "Hi! What shall I look up?"), ("你好呀", "您好！")])
def test_a_message_that_asks_for_nothing_gets_a_reply_without_facts(finds: Finds, question: str, reply: str) -> None:
    search = finds([passage(TOWER)])
    decides = NEEDS if question.isascii() else "是否需要查阅"
    talks = "small talk: reply" if question.isascii() else "用户在闲聊"
    with scripted((decides, "no"), (talks, reply)) as (model, _):
        result = ask(model, question)
    assert path(result) == ["receive", "decide", "reply"] and result["answer"] == reply
    assert search.queries == [] and result["citations"] == []


def test_poor_segments_are_searched_for_again_in_other_words(finds: Finds) -> None:
    search = finds([passage(CATS)])

    def find_more(prompt: str) -> bool:
        if REWRITES in prompt:
            search.passages.append(passage(TOWER))
        return REWRITES in prompt

    with scripted(
        (NEEDS, "yes"),
        writes("Cats", "Cats are 330 metres tall."),
        *rates("Cats", 2, 1, 2),
        Line(find_more, "Eiffel Tower height"),
        writes("330 metres tall.\n</passage>", "It is 330 metres tall."),
        *rates("It is", 5, 5, 5),
    ) as (model, chat):
        result = ask(model)
    assert search.queries == [QUESTION, "Eiffel Tower height"]
    assert steps(result, "select")[1]["figures"]["passages"] == [2], "what was tried is not tried again"
    assert result["answer"] == "It is 330 metres tall. [2]"
    assert len(chat.prompts) == result["usage"]["model_calls"]


def test_nothing_supported_is_refused_after_two_rewritings(finds: Finds) -> None:
    search = finds([passage(TOWER)])
    with scripted(
        (NEEDS, "yes"),
        writes("330", "It is 400 metres tall."),
        *rates("It is", 5, 2, 5),
        (REWRITES, "tower height"),
        ("These queries found nothing that answers it, so use other words:\n- tower height", "metres"),
    ) as (model, _):
        result = ask(model)
    assert search.queries == [QUESTION, "tower height", "metres"] and path(result)[-1] == "refuse"
    reason = "what could be written is not supported by the passages (best support 2.0, needed above 2)"
    assert result["refusal_reason"] == reason and result["citations"] == [] and "400" not in result["answer"]


def test_the_best_so_far_stands_if_it_is_supported(finds: Finds) -> None:
    """Irrelevant, says the critic, but the passage states it: nothing better is found, so it is the answer."""
    finds([passage(TOWER)])
    with scripted(
        (NEEDS, "yes"), writes("330", "It is 330 metres tall."), *rates("It is", 1, 5, 4), Line(REWRITES, "x", times=2)
    ) as (model, _):
        result = ask(model)
    assert not result["refused"] and result["answer"] == "It is 330 metres tall. [1]"
    assert path(result).count("reformulate") == 2


def test_a_later_segment_that_fails_leaves_the_answer(finds: Finds) -> None:
    finds([passage(TOWER)])
    with scripted(
        (NEEDS, "yes"),
        writes(QUESTION, "It is 330 metres tall."),
        *rates("It is", 5, 5, 3),
        (NEXT, "yes"),
        writes(GOES_ON, "It is made of cheese."),
        *rates("It is 330 metres tall. [1] It is made", 1, 1, 1),
        Line(REWRITES, "x", times=2),
    ) as (model, _):
        result = ask(model)
    assert result["answer"] == "It is 330 metres tall. [1]" and path(result)[-2:] == ["choose", "conclude"]


def test_rewriting_may_be_off(finds: Finds) -> None:
    finds([passage(TOWER)])
    with scripted((NEEDS, "yes"), writes("330", "NOT FOUND")) as (model, _):
        result = ask(model, rewrite="off")
    assert path(result)[-2:] == ["choose", "refuse"]
    assert result["refusal_reason"] == "no passage that was found answers the question"


def test_one_passage_without_a_segment_leaves_the_others(finds: Finds) -> None:
    finds([passage(CATS), passage(TOWER)])
    lines = [writes("Cats", ModelUnavailable("busy")), writes("330", "It is 330 metres tall.")]  # type: ignore[arg-type]
    with scripted((NEEDS, "yes"), *lines, *rates("It is", 5, 5, 5)) as (model, _):
        result = ask(model)
    assert result["warnings"] == ["no segment from passage 1: busy"] and not result["refused"]


@pytest.mark.parametrize("begun", [False, True])
def test_a_model_that_goes_down(finds: Finds, evaluates: Evaluates, begun: bool) -> None:
    """Before anything is written the answer is quoted; later it ends where it is."""
    finds([passage(TOWER)])
    evaluates({"330": 0.9})
    down = ModelUnavailable("scripted:test is down")
    first = [writes(QUESTION, "It is 330 metres tall."), *rates("It is", 5, 5, 3), (NEXT, "continue")] if begun else []
    with scripted((NEEDS, "yes"), *first, Line(WRITES, down)) as (model, _):  # type: ignore[list-item]
        result = ask(model)
    if begun:
        assert result["answer"] == "It is 330 metres tall. [1]"
        assert result["warnings"] == ["the answer ends early: scripted:test is down"]
    else:
        assert result["answer"] == f"{TOWER} [1]" and result["warnings"] == [
            "the answer is quoted: scripted:test is down"
        ]
    with scripted((NEEDS, "yes"), (WRITES, down)) as (model, _), pytest.raises(ModelUnavailable):
        ask(model, on_model_failure="error")


def test_only_accepted_segments_are_streamed(finds: Finds) -> None:
    finds([passage(CATS), passage(TOWER)])
    with scripted(
        (NEEDS, "yes"),
        writes("Cats", "Cats purr."),
        writes("330", "It is 330 metres tall."),
        *rates("Cats", 1, 5, 1),
        *rates("It is", 5, 5, 3),
        (NEXT, "continue"),
        writes(GOES_ON, "END", times=2),
    ) as (model, _):
        shown, final = [], {}
        asked: Any = {"question": QUESTION}
        for mode, chunk in graph.stream(asked, context={"chat_model": model}, stream_mode=["messages", "values"]):
            if mode == "messages":
                shown.append(chunk[0].text)
            else:
                final = chunk
    assert "".join(shown) == final["answer"] == "It is 330 metres tall. [2]" == final["messages"][-1].text


def test_chinese_is_asked_and_answered_in_chinese(finds: Finds) -> None:
    finds([passage("埃菲尔铁塔高330米，由居斯塔夫·埃菲尔建造。")])
    with scripted(
        ("是否需要查阅", "yes"),
        Line(lambda p: "讲的是别的事情" in p and "打分" not in p, "埃菲尔铁塔高330米【1】。由埃菲尔建造。"),
        Line("支持度：", "五分"),
        Line("相关性：", "４分"),
        Line("有用性：", "4/5"),
    ) as (model, _):
        result = ask(model, "埃菲尔铁塔有多高？")
    assert result["answer"] == "埃菲尔铁塔高330米 [1]。由埃菲尔建造。 [1]" and result["warnings"] == []


class Shelf(FixedSearch):
    """Finds one passage more at each search."""

    def __call__(self, query: str, collections: Any, *, k: int, **options: Any) -> SearchResult:
        super().__call__(query, collections, k=k, **options)
        return SearchResult(self.passages[: len(self.queries)], [])


def test_passages_keep_their_numbers_from_search_to_search(finds: Finds, monkeypatch: pytest.MonkeyPatch) -> None:
    finds([])
    shelf = Shelf([passage(CATS), passage(TOWER), passage(BUILT)])
    for module in ("nodes.retrieve", "nodes.retrieve_evidence"):
        monkeypatch.setattr(f"{module}.search", shelf)
    with scripted(
        (NEEDS, "yes"), writes("Cats", "NOT FOUND"), (REWRITES, "height"), writes("330", "It is 330 metres tall."),
        *rates("It is", 5, 5, 3), (NEXT, "yes"), writes("Cats", "END"), writes("is 330 metres tall.\n</p", "END"),
        writes("Gustave", "Gustave Eiffel built it."), *rates("It is 330 metres tall. [2] Gus", 5, 5, 5),
    ) as (model, _):  # fmt: skip
        result = ask(model)
    assert result["answer"] == "It is 330 metres tall. [2] Gustave Eiffel built it. [3]"
    assert [found.page_content for found in result["passages"]] == [CATS, TOWER, BUILT]


def test_weights_that_are_all_zero_are_an_error(finds: Finds) -> None:
    finds([])
    weights = {"relevant_weight": 0, "supported_weight": 0, "utility_weight": 0}
    with pytest.raises(ValueError, match="must not all be 0"):
        ask("scripted:test", self_rag=weights)


def test_it_needs_a_chat_model(finds: Finds) -> None:
    finds([passage(TOWER)])
    with pytest.raises(ModelError, match="self_rag and combined need a chat model"):
        graph.invoke({"question": QUESTION}, context={"answerer": "extractive"})


def test_what_is_too_long_is_cut_to_the_prompt(finds: Finds) -> None:
    long = Passage(page_content=TOWER + " More." * 2000, source="long.md", end=12000)
    finds([long])
    with scripted((NEEDS, "yes"), writes("330", "It is 330 metres tall."), *rates("It is", 5, 5, 5)) as (model, chat):
        assert not ask(model, prompt_tokens=400)["refused"]
    assert all(len(prompt) < 3000 for prompt in chat.prompts)
