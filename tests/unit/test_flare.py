"""FLARE: which sentences stand as drafted, what is searched for the others, and how the answer ends."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from graphs.flare import graph
from groundgraph.errors import ModelUnavailable
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import SearchResult
from nodes.retrieve_next import in_turns
from nodes.write_on import WITHOUT_LOGPROBS
from tests.doubles import FixedSearch, passage
from tests.logprobs import logprobs_of
from tests.scripted import Line, scripted

Finds = Callable[..., FixedSearch]

TOWER = "The Eiffel Tower is 330 metres tall."
BUILT = "The Eiffel Tower was built by Gustave Eiffel."
QUESTION = "How tall is the Eiffel Tower?"
ASK, GO_ON, GUESS = "something else", "You have begun the answer", "plausible names"


def says(when: Any, text: str, weak: Mapping[str, float] | None = None, **options: Any) -> Line:
    """Say this, each token with probability 0.95 but for the weak ones."""
    return Line(when, text, logprobs=logprobs_of(text, weak), **options)


def first(prompt: str) -> bool:
    return ASK in prompt and GO_ON not in prompt


def ask(model: str, question: str = QUESTION, **settings: Any) -> dict[str, Any]:
    return graph.invoke({"question": question}, context={"chat_model": model, **settings})


def path(result: dict[str, Any]) -> list[str]:
    return [step["node"] for step in result["steps"][2:]]  # without receive and retrieve


def figures(result: dict[str, Any], node: str) -> list[dict[str, Any]]:
    return [step["figures"] for step in result["steps"] if step["node"] == node]


class Shelf(FixedSearch):
    """Finds a passage by a word of the query; the question finds the first one."""

    def __call__(self, query: str, collections: Any, *, k: int, **options: Any) -> SearchResult:
        super().__call__(query, collections, k=k, **options)
        found = [one for one in self.passages[1:] if one.source in query] or self.passages[:1]
        return SearchResult(found[:k], [])


@pytest.fixture
def shelf(finds: Finds, evaluates: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> Shelf:
    finds([])
    evaluates({"Tower": 0.9, "Gustave": 0.9})
    shelf = Shelf([passage(TOWER, "tower"), passage(BUILT, "Gustave"), passage("Gustave died in Paris.", "died")])
    for module in ("nodes.retrieve", "nodes.retrieve_next"):
        monkeypatch.setattr(f"{module}.search", shelf)
    return shelf


def test_a_confident_answer_takes_one_call(shelf: Shelf) -> None:
    with scripted(says(ASK, "The Eiffel Tower is 330 metres tall [1]. It is a tower [1].")) as (model, _):
        result = ask(model)
    assert path(result) == ["draft", "append", "draft", "append", "finish"]
    assert result["answer"] == "The Eiffel Tower is 330 metres tall [1]. It is a tower [1]."
    assert result["usage"]["model_calls"] == 1 and shelf.queries == [QUESTION]
    assert figures(result, "append")[0] == {
        "sentence": "The Eiffel Tower is 330 metres tall [1].", "confidence": 0.95, "weakest": "The", "asked": [],
    }  # fmt: skip
    assert result["warnings"] == []


def test_an_uncertain_sentence_is_searched_for_and_written_again(shelf: Shelf) -> None:
    draft = says(first, "Gustave Perret built it [1].", {"Perret": 0.1})
    again = says(lambda prompt: '<passage n="2">' in prompt, "Gustave Eiffel built it [2].")
    with scripted(draft, again) as (model, chat):
        result = ask(model, "Who built it?")
    assert path(result) == ["draft", "form_query", "retrieve_next", "regenerate", "append", "finish"]
    assert shelf.queries == ["Who built it?", "Gustave built it ."]
    assert result["answer"] == "Gustave Eiffel built it [2]."
    assert [c["source"] for c in result["citations"]] == ["Gustave"] and len(result["passages"]) == 2
    assert "Perret" not in chat.prompts[1], "the draft was only to be searched for"
    assert figures(result, "draft")[0]["weakest"] == "Perret"
    assert figures(result, "append")[0]["asked"] == ["Gustave built it ."]


def test_theta_zero_never_retrieves_and_one_nearly_always(shelf: Shelf) -> None:
    with scripted(says(ASK, "It is 330 metres tall [1].", {"330": 1e-9})) as (model, _):
        assert "form_query" not in path(ask(model, flare={"theta": 0}))
    with scripted(says(ASK, "It is 330 metres tall [1].")) as (model, _):
        assert "form_query" in path(ask(model, flare={"theta": 1}))


def test_a_search_that_brings_nothing_new_takes_no_second_call(shelf: Shelf) -> None:
    with scripted(says(ASK, "It is 330 metres tall [1].", {"330": 0.1})) as (model, _):
        result = ask(model)
    assert path(result) == ["draft", "form_query", "retrieve_next", "append", "finish"]
    assert result["usage"]["model_calls"] == 1 and not result["refused"]


@pytest.mark.parametrize(
    ("theta", "path_of_code", "calls"),
    [
        (0.2, ["draft", "regenerate", "append", "finish"], 2),
        (0.0, ["draft", "form_query", "retrieve_next", "regenerate", "append", "finish"], 2),
    ],
)
def test_the_official_code_writes_every_sentence_again(
    shelf: Shelf, theta: float, path_of_code: list[str], calls: int
) -> None:
    lines = [says(ASK, "Gustave built it [1]."), says(ASK, "Gustave Eiffel built it [1].")]
    with scripted(*lines) as (model, _):
        result = ask(model, flare={"variant": "official_code", "theta": theta})
    assert path(result) == path_of_code and result["usage"]["model_calls"] == calls
    assert result["answer"] == "Gustave Eiffel built it [1]."


def test_the_paper_preset_replaces_passages_and_keeps_their_numbers(shelf: Shelf) -> None:
    draft = says(first, "Gustave Perret built it [1].", {"Perret": 0.79})
    again = says(lambda prompt: TOWER not in prompt and '<passage n="2">' in prompt, "Gustave Eiffel built it [2].")
    with scripted(draft, again) as (model, _):
        result = ask(model, preset="paper")
    assert result["answer"] == "Gustave Eiffel built it [2]."
    assert [p.source for p in result["passages"]] == ["tower", "Gustave"]


def test_passages_are_gathered_once_and_stay_under_their_numbers(shelf: Shelf) -> None:
    """Three sentences, two searches; the passage found twice is shown once."""
    lines = [
        says(first, "Gustave Perret built it.", {"Perret": 0.1}),
        says(first, "Gustave Eiffel built it [2].", finish_reason="length"),
        says(GO_ON, "Gustave died in Rome. It is tall.", {"Rome": 0.1}),
        says(GO_ON, "He died in Paris [3]."),
    ]
    with scripted(*lines) as (model, chat):
        result = ask(model, "Where did its builder die?", flare={"top_k": 2})
    assert result["answer"] == "Gustave Eiffel built it [2]. He died in Paris [3]."
    assert [c["number"] for c in result["citations"]] == [2, 3]
    assert [chat.prompts[3].count(p) for p in ('n="1"', 'n="2"', 'n="3"', 'n="4"')] == [1, 1, 1, 0]
    assert chat.prompts[3].endswith("\nGustave Eiffel built it [2].")


def test_four_sentences_that_are_all_searched_for_take_eight_calls(shelf: Shelf) -> None:
    shelf.passages += [passage(f"Fact {n}.", f"found{n}") for n in range(4)]
    lines = []
    for n in range(4):
        lines.append(says(None, f"Fact {n} is Ann found{n}.", {"Ann": 0.1}, finish_reason="length"))
        lines.append(says(None, f"Fact {n} is so [{n + 2}].", finish_reason="stop" if n == 3 else "length"))
    with scripted(*lines) as (model, _):
        result = ask(model, "What are the facts?")
    assert len(result["citations"]) == 4 and len(shelf.queries) == 5
    assert result["usage"]["model_calls"] == 8


def test_questions_are_asked_about_each_weak_span_in_parallel(shelf: Shelf) -> None:
    weak = {"Perret": 0.1, "Rome": 0.3}
    lines = [
        says(first, "Gustave Perret built it and later died in Rome.", weak),
        Line('answer is "Perret"', "Who, Gustave, built the tower?", latency=0.05),
        Line('answer is "Rome"', '"Where had he died?"', latency=0.05),
        says(ASK, "Gustave Eiffel built it [2] and died in Paris [3]."),
    ]
    with scripted(*lines) as (model, chat):
        result = ask(model, flare={"query": "question"})
    assert shelf.queries[1:] == ["Who, Gustave, built the tower?", "Where had he died?"]
    assert [p.source for p in result["passages"]] == ["tower", "Gustave", "died"]
    assert f"Question: {QUESTION}" in chat.prompts[1] and result["usage"]["model_calls"] == 4


def test_a_question_that_cannot_be_asked_costs_a_warning_and_none_falls_back_to_the_mask(shelf: Shelf) -> None:
    lines = [
        says(first, "Gustave Perret built it.", {"Perret": 0.1}),
        Line('answer is "Perret"', ModelUnavailable("busy")),
        says(ASK, "Gustave Eiffel built it [2]."),
    ]
    with scripted(*lines) as (model, _):
        result = ask(model, flare={"query": "question"})
    assert result["warnings"] == ["no question asked for 'Perret': busy"]
    assert shelf.queries[1] == "Gustave built it."


def test_the_prefix_query_is_the_question_and_the_end_of_the_answer(shelf: Shelf) -> None:
    long = "Gustave " + "a" * 120 + " [1]."
    lines = [says(first, long, finish_reason="length"), says(GO_ON, "He died in Rome.", {"Rome": 0.1})]
    with scripted(*lines) as (model, _):
        ask(model, flare={"query": "prefix"})
    assert shelf.queries[1] == f"{QUESTION} {'a' * 99}."


def test_what_is_found_for_a_sentence_is_reranked_where_the_run_wants_that(
    shelf: Shelf, evaluates: Callable[..., object]
) -> None:
    shelf.passages += [passage(f"{n} died.", "died") for n in range(5)]
    evaluates({"Tower": 0.9, "2 died": 0.8})
    lines = [says(first, "Who died?", {"Who": 0.1}), says(ASK, "Someone died [2].")]
    with scripted(*lines) as (model, _):
        result = ask(model, rerank="evaluator", flare={"top_k": 1})
    assert shelf.queries[1] == "died?" and [p.page_content for p in result["passages"]] == [TOWER, "2 died."]


def test_everything_masked_is_the_question(shelf: Shelf) -> None:
    with scripted(says(ASK, "It is so [1].", {"It": 0.1, "is": 0.1, "so": 0.1})) as (model, _):
        ask(model)
    assert shelf.queries == [QUESTION, QUESTION]


@pytest.mark.parametrize(("limit", "searches"), [(1, 2), (2, 3), (3, 4)])
def test_a_sentence_that_stays_uncertain_is_searched_for_as_often_as_is_allowed(
    shelf: Shelf, limit: int, searches: int
) -> None:
    names = ["Gustave", "died", "tower"]
    lines = [says(ASK, f"Ann{name} saw {name} there [1].", {f"Ann{name}": 0.1}, optional=True) for name in names]
    with scripted(*lines, says(ASK, "So it is [1].", optional=True)) as (model, _):
        result = ask(model, flare={"retrieve_per_step": limit, "keep": "replace"})
    assert len(shelf.queries) == searches and path(result).count("append") == 1


def test_a_first_draft_that_refuses_is_searched_for_by_a_guess(shelf: Shelf) -> None:
    lines = [
        says(first, "NOT FOUND"),
        says(GUESS, "Gustave Perret built it.", {"Perret": 0.1}),
        says(lambda prompt: BUILT in prompt, "Gustave Eiffel built it [2]."),
    ]
    with scripted(*lines) as (model, chat):
        result = ask(model, "Who built it?")
    assert shelf.queries[1] == "Gustave built it."
    assert result["answer"] == "Gustave Eiffel built it [2]." and len(chat.prompts) == 3


@pytest.mark.parametrize(
    ("guess", "lines"), [("Nobody knows.", []), ("Gustave did it.", [("something else", "NOT FOUND")])]
)
def test_a_guess_never_stands(shelf: Shelf, guess: str, lines: list[Any]) -> None:
    """The search for it brings nothing new, or nothing that answers."""
    with scripted(says(first, "NOT FOUND"), says(GUESS, guess), *lines) as (model, _):
        result = ask(model)
    assert result["refused"] and result["citations"] == result["passages"] == []
    assert result["refusal_reason"] == "the passages do not answer the question, says the model"


def test_what_no_passage_supports_is_refused_and_not_streamed(shelf: Shelf) -> None:
    with scripted(says(ASK, "Bob runs Acme. He is rich.")) as (model, _):
        shown, final = [], {}
        for mode, chunk in graph.stream(
            {"question": "Who runs Acme?"}, context={"chat_model": model}, stream_mode=["messages", "values"]
        ):
            if mode == "messages":
                shown.append(chunk[0].text)
            else:
                final = chunk
    assert final["refused"] and final["refusal_reason"] == "the answer has no citation and no support in the passages"
    assert "Bob" not in "".join(shown) + final["answer"]


def test_accepted_sentences_are_streamed_one_by_one(shelf: Shelf) -> None:
    lines = [
        says(first, "Gustave Perret built it.", {"Perret": 0.1}),
        says(first, "Gustave Eiffel built it [2]. He was an engineer. It is 330 metres tall [9]."),
    ]
    with scripted(*lines) as (model, _):
        pieces = [
            chunk.text
            for chunk, _ in graph.stream({"question": "?built"}, context={"chat_model": model}, stream_mode="messages")
            if chunk.text
        ]
    assert pieces == ["Gustave Eiffel built it [2].", " He was an engineer.", " It is 330 metres tall. [1]"]


def test_a_citation_of_no_passage_is_removed_with_a_warning(shelf: Shelf) -> None:
    with scripted(says(ASK, "It is 330 metres tall [7].")) as (model, _):
        result = ask(model)
    assert result["warnings"] == ["citation [7] removed: there is no passage 7"]
    assert result["answer"] == "It is 330 metres tall. [1]", "the passage that supports it is cited instead"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("It was abandoned when done [1]. The END came [1].", "It was abandoned when done [1]. The END came [1]."),
        ("It is tall [1]. It is tall [1]. It is old [1].", "It is tall [1]."),  # a repetition ends it
        ("It is tall [1]. NOT FOUND", "It is tall [1]."),
        ("It is tall [1]. The passages do not say more.", "It is tall [1]."),
    ],
)
def test_where_the_answer_ends(shelf: Shelf, text: str, answer: str) -> None:
    with scripted(says(ASK, text)) as (model, _):
        assert ask(model)["answer"] == answer


@pytest.mark.parametrize("last", ["", "END", "END.", "**END**", "It is tall [1].", "It is tall [1]. END"])
def test_a_model_that_has_no_more_to_say_ends(shelf: Shelf, last: str) -> None:
    with scripted(says(first, "It is tall [1].", finish_reason="length"), Line(GO_ON, last)) as (model, _):
        result = ask(model)
    assert result["answer"] == "It is tall [1]." and path(result)[-2:] == ["draft", "finish"]


def test_the_word_by_which_a_model_ends_is_none_of_the_answer(shelf: Shelf) -> None:
    lines = [says(first, "It is tall [1].", finish_reason="length"), says(GO_ON, "That is the END [1]. END")]
    with scripted(*lines) as (model, _):
        assert ask(model)["answer"] == "It is tall [1]. That is the END [1]."


def test_sentences_and_tokens_are_counted(shelf: Shelf) -> None:
    def facts() -> list[Line]:
        return [says(None, f"Fact {n} is tall [1].", finish_reason="length", optional=True) for n in range(9)]

    with scripted(*facts()) as (model, chat):
        result = ask(model, flare={"max_steps": 3})
    assert result["answer"].count("Fact") == 3 == len(chat.prompts)
    with scripted(*facts()) as (model, chat):
        result = ask(model, max_tokens=20)
    assert result["answer"].count("Fact") == 2, "for a third, 6 tokens would be left"
    assert [options["max_tokens"] for options in chat.options] == [20, 13]


def test_a_sentence_cut_by_the_limit_goes_on(shelf: Shelf) -> None:
    lines = [
        says(first, "The Eiffel Tower, which is 330 [", finish_reason="length"),
        says(GO_ON, "metres tall, is old [1]."),
    ]
    with scripted(*lines) as (model, _):
        assert ask(model)["answer"] == "The Eiffel Tower, which is 330 metres tall, is old [1]."


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


def test_a_model_that_is_down_costs_the_answer_or_its_rest(shelf: Shelf) -> None:
    down = ModelUnavailable("scripted:test is down")
    with scripted((ASK, down)) as (model, _):
        result = ask(model)
    assert result["warnings"] == [f"the answer is quoted: {down}"] and result["answer"] == f"{TOWER} [1]"
    first_sentence = says(first, "It is 330 metres tall [1].", finish_reason="length")
    with scripted(first_sentence, (GO_ON, down)) as (model, _):
        result = ask(model)
    assert result["warnings"] == [f"the answer ends early: {down}"] and result["answer"] == "It is 330 metres tall [1]."
    with scripted((ASK, down)) as (model, _), pytest.raises(ModelUnavailable):
        ask(model, on_model_failure="error")


def test_a_model_that_is_down_when_a_sentence_is_written_again_leaves_the_draft(shelf: Shelf) -> None:
    draft = says(first, "Gustave Perret built the Eiffel Tower [1]. Yes.", {"Perret": 0.1})
    with scripted(draft, (ASK, ModelUnavailable("busy"))) as (model, _):
        result = ask(model)
    assert result["answer"] == "Gustave Perret built the Eiffel Tower [1]."
    assert result["warnings"] == ["the answer ends early: busy"]
    with scripted(says(first, "NOT FOUND"), says(GUESS, "Gustave did."), (ASK, ModelUnavailable("busy"))) as (model, _):
        result = ask(model)
    assert result["warnings"] == ["the answer is quoted: busy"] and "[1]" in result["answer"], "a guess is given up"


def test_an_empty_reply_is_no_verdict(shelf: Shelf) -> None:
    with scripted(Line(ASK, "<think>well", finish_reason="length")) as (model, _):
        result = ask(model)
    assert result["refused"] and "its thinking took all of flare.sentence_tokens; raise it" in result["warnings"][0]


def test_passages_that_do_not_fit_are_refused_and_new_ones_go_first(shelf: Shelf) -> None:
    with scripted() as (model, _):
        result = ask(model, QUESTION + " Why?" * 80, prompt_tokens=100)
    assert result["refusal_reason"] == "no passage fits beside the question into prompt_tokens=100; raise it"
    shelf.passages[0] = passage("The Eiffel Tower. " * 60, "tower")
    draft = says(first, "Gustave Perret built it.", {"Perret": 0.1})
    with scripted(draft, says(lambda p: BUILT in p and "Tower. The" not in p, "Gustave Eiffel built it [2].")) as (
        model,
        _,
    ):
        assert ask(model, "Who built it?", prompt_tokens=500)["answer"] == "Gustave Eiffel built it [2]."


def test_nothing_found_is_refused_without_a_call(finds: Finds) -> None:
    finds([])
    with scripted() as (model, _):
        assert ask(model)["refusal_reason"] == "nothing was found in default"


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


def test_a_second_question_on_a_thread_starts_anew(shelf: Shelf) -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    config: Any = {"configurable": {"thread_id": "1"}}
    memory = graph.copy(update={"checkpointer": InMemorySaver()})
    lines = [says(None, "It is 330 metres tall [1]."), says(None, "It is 330 metres tall [1].")]
    with scripted(*lines) as (model, _):
        for _ in range(2):
            result = memory.invoke({"question": QUESTION}, config, context={"chat_model": model})
    assert result["answer"] == "It is 330 metres tall [1]." and len(result["passages"]) == 1


def test_results_of_several_queries_take_turns() -> None:
    def named(*names: str) -> list[Passage]:
        return [passage(name, name) for name in names]

    assert [p.source for p in in_turns([named("a", "b", "c"), named("b", "d")])] == ["a", "b", "d", "c"]
    assert in_turns([]) == in_turns([[], []]) == []
