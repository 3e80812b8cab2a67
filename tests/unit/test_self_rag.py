"""Self-RAG with a prompted critic: what is written from which passage, how it is rated, and how the answer ends."""

from collections.abc import Callable
from typing import Any

import pytest

from graphs.self_rag import graph
from groundgraph.errors import ModelError, ModelUnavailable
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import SearchResult
from groundgraph.models import Reply
from nodes.accept import joined
from nodes.choose import is_good
from nodes.reflect import weighed
from nodes.write_segments import blank, cited, new_text
from state.context import SelfRagSettings
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.scripted import Line, Matcher, scripted

Finds = Callable[..., FixedSearch]
Evaluates = Callable[..., FixedEvaluator]

TOWER = "The Eiffel Tower is 330 metres tall."
BUILT = "The Eiffel Tower was built by Gustave Eiffel."
CATS = "Cats purr."
QUESTION = "How tall is the Eiffel Tower, and who built it?"
NEEDS, NEXT, WRITES, GOES_ON, RATES, REWRITES = (
    "needs the user's documents", "An answer is being written", "something else", "You have begun", "Rate your",
    "Rewrite the question",
)  # fmt: skip


def ask(model: str, question: str = QUESTION, **settings: Any) -> dict[str, Any]:
    return graph.invoke({"question": question}, context={"chat_model": model, **settings})


def path(result: dict[str, Any]) -> list[str]:
    return [step["node"] for step in result["steps"]]


def steps(result: dict[str, Any], node: str) -> list[Any]:
    return [step for step in result["steps"] if step["node"] == node]


def writes(source: str, text: str, **options: Any) -> Line:
    """Say this where a segment is to be written from the passage that holds `source`."""
    return Line(lambda prompt: WRITES in prompt and RATES not in prompt and source in prompt, text, **options)


def rates(of: str, relevance: int | str, support: int | str, utility: int | str) -> list[Line]:
    """Rate the reply that holds `of`, each aspect in a call of its own."""

    def about(aspect: str) -> Matcher:
        return lambda prompt: RATES in prompt and f"ai: {of}" in prompt and f"{aspect}:" in prompt.rpartition(RATES)[2]

    said = {"relevance": relevance, "support": support, "utility": utility}
    return [Line(about(aspect), str(score)) for aspect, score in said.items()]


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


def test_doubt_about_the_need_retrieves(finds: Finds) -> None:
    """No must hold more than 0.8 of the probability: retrieval starts at a share of 0.2 of yes."""
    finds([])
    for no, node in ((-0.1, "reply"), (-0.5, "retrieve")):
        content = [{"token": "no", "logprob": no, "top_logprobs": [{"token": "no", "logprob": no},
                   {"token": "Yes", "logprob": -2.3 if no == -0.1 else -1.0}]}]  # fmt: skip
        talk = Line("small talk: reply", "Hi!", optional=True)
        with scripted(Line(NEEDS, "no", logprobs={"content": content}), talk) as (model, _):
            assert path(ask(model))[2] == node


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


def test_a_score_that_cannot_be_read_is_the_middle_with_a_warning(finds: Finds) -> None:
    finds([passage(TOWER)])
    with scripted(
        (NEEDS, "yes"), writes(QUESTION, "It is 330 metres tall."), *rates("It is", "good", "五分", "**4**/5")
    ) as (model, _):
        result = ask(model)
    (segment,) = steps(result, "reflect")[0]["figures"]["segments"]
    assert (segment["relevant"], segment["supported"], segment["utility"]) == (3, 5, 4)
    assert result["warnings"] == ["passage 1, relevant taken as 3: the rating 'good' cannot be read"]


def test_thinking_before_the_score_gets_room(finds: Finds) -> None:
    finds([passage(TOWER)])
    told: list[Line] = []
    for _ in range(3):
        told += [Line(RATES, "<think>1 or", finish_reason="length"), Line(RATES, "<think>maybe 2</think>5")]
    with scripted((NEEDS, "yes"), writes(QUESTION, "It is 330 metres tall."), *told) as (model, _):
        result = ask(model, max_concurrency=1)
    assert result["warnings"] == [] and result["usage"]["model_calls"] == 8
    assert "think" not in repr(result)


def test_a_critic_that_is_down_costs_a_warning(finds: Finds) -> None:
    finds([passage(TOWER)])
    lines = rates("It is", 5, 5, 5)
    lines[1].say = ModelUnavailable("busy")
    with scripted((NEEDS, "yes"), writes(QUESTION, "It is 330 metres tall."), *lines) as (model, _):
        assert ask(model)["warnings"] == ["passage 1, supported taken as 3: busy"]


def test_log_probabilities_make_the_score_a_mean(finds: Finds) -> None:
    finds([passage(TOWER)])
    top = [{"token": "4", "logprob": -0.6931}, {"token": "5", "logprob": -1.3863}, {"token": "2", "logprob": -1.3863}]
    logprobs = {"content": [{"token": "4", "logprob": -0.6931, "top_logprobs": top}]}
    with scripted(
        (NEEDS, "yes"), writes(QUESTION, "It is 330 metres tall."), Line(RATES, "4", times=3, logprobs=logprobs)
    ) as (model, _):
        result = ask(model, self_rag={"max_segments": 1})
    assert steps(result, "accept")[0]["figures"]["supported"] == pytest.approx(3.75, abs=0.001)


def test_the_embedded_preset_asks_little(finds: Finds, evaluates: Evaluates) -> None:
    """The evaluator says what is relevant; of two segments each takes one call to write and one to rate."""
    finds([passage(CATS), passage(TOWER), passage(BUILT), passage("It was painted in 1990.")])
    evaluates({"330": 0.9, "Gustave": 0.5, "painted": 0.4, "Cats": 0.1})
    with scripted(
        writes("330", "It is 330 metres tall."),
        writes("Gustave", "Gustave Eiffel built it."),
        (lambda p: RATES in p and "ai: It is" in p, "support: 5, utility: 4"),
        (lambda p: RATES in p and "ai: Gus" in p, "support: 5, utility: 4"),
    ) as (model, chat):
        result = ask(model, preset="embedded")
    assert steps(result, "select")[0]["figures"] == {"passages": [2, 3], "relevance": [1.4, 4.6, 3.0, 2.6]}
    assert result["answer"] == "It is 330 metres tall. [2]" and result["usage"]["model_calls"] == 4
    assert all("relevance:" not in prompt for prompt in chat.prompts)


def test_passages_that_the_evaluator_finds_irrelevant_are_not_written_from(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage(CATS)])
    evaluates({})
    with scripted((REWRITES, "tower height")) as (model, _):
        result = ask(model, preset="embedded")
    assert result["refused"] and result["usage"]["model_calls"] == 1


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


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It is 330 m tall.", "It is 330 m tall. [7]"),
        ("It is [1] 330 m tall [2].", "It is [7] 330 m tall."),
        ("高330米【1】。", "高330米 [7]。"),
        ("高330米。", "高330米。 [7]"),
        ("It is tall [1, 2].", "It is tall [7]."),
    ],
)
def test_a_sentence_cites_its_passage_once(sentence: str, expected: str) -> None:
    assert cited(sentence, 7) == expected


@pytest.mark.parametrize(
    ("said", "reason", "answer", "expected"),
    [
        ("It is tall. It is old.", "stop", "", "It is tall. [1] It is old. [1]"),
        ("It is tall. It is", "length", "", "It is tall. [1]"),
        ("It is very", "length", "", "It is very [1]"),
        ("It is tall. It is old.", "stop", "It is tall [3].", "It is old. [1]"),
        ("It is tall.", "stop", "It is tall [3].", None),
        ("END", "stop", "It is tall [3].", None),
        ("**END.**", "stop", "It is tall [3].", None),
        ("At the END it is tall.", "stop", "It is old.", "At the END it is tall. [1]"),
        ("NOT FOUND", "stop", "", ""),
        ("未找到。", "stop", "", ""),
        ("", "stop", "", ""),
        ("[1]", "stop", "", ""),
        ("塔很高。塔很老。", "stop", "", "塔很高。 [1]塔很老。 [1]"),
        ("- It is tall.\n- It is old.", "stop", "", "- It is tall. [1]\n- It is old. [1]"),
    ],
)
def test_what_a_reply_adds(said: str, reason: str, answer: str, expected: str | None) -> None:
    assert new_text(Reply(said, finish_reason=reason), 1, answer) == expected


@pytest.mark.parametrize(
    ("ratings", "weights", "score"),
    [
        ((5, 5, 5), {}, 5.0),
        ((4, 5, 3), {}, 4.2),
        ((1, 1, 5), {}, 1.8),
        ((2, 4, 1), {"relevant_weight": 0}, 3.0),
        ((2, 4, 1), {"utility_weight": 0}, 3.0),
        ((2, 4, 3), {"relevant_weight": 2, "supported_weight": 1, "utility_weight": 1}, 2.75),
    ],
)
def test_the_score_of_a_segment(ratings: tuple[float, ...], weights: Any, score: float) -> None:
    rated: Any = {**blank(1, "text"), **dict(zip(("relevant", "supported", "utility"), ratings, strict=True))}
    assert weighed(rated, SelfRagSettings(**weights))["score"] == score


@pytest.mark.parametrize(
    ("relevant", "supported", "good"), [(2.1, 2.1, True), (2, 5, False), (5, 2, False), (3, 3, True)]
)
def test_a_segment_is_poor_up_to_two(relevant: float, supported: float, good: bool) -> None:
    rated: Any = {**blank(1, "text"), "relevant": relevant, "supported": supported}
    assert is_good(rated, SelfRagSettings()) == good
    assert not is_good(rated, SelfRagSettings(poor_relevant=5))


def test_segments_join_as_their_language_wants() -> None:
    assert joined("", "It is tall.") == "It is tall."
    assert joined("It is old. [1]", "It is tall.") == " It is tall."
    assert joined("塔很老。 [1]", "塔很高。") == "塔很高。"


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
