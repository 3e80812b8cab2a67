"""The router: where every intent goes, and what it says about it."""

from collections.abc import Callable
from typing import Any, get_args

import pytest

from graphs.catalogue import PATTERNS, load
from graphs.router import graph
from groundgraph.errors import InputError
from nodes.classify_intent import SETTINGS, TABLE, Pattern, label_of, pattern_of
from state.blocks import RouterSettings
from state.context import Context
from tests.doubles import FixedEvaluator, FixedSearch, passage
from tests.logprobs import logprobs_of
from tests.scripted import Line, scripted

Finds = Callable[..., FixedSearch]
Evaluates = Callable[..., FixedEvaluator]

TOWER = "The Eiffel Tower is 330 metres tall."
ASKED = {"question": "How tall is the Eiffel Tower?"}


def test_its_answer_is_streamed_as_it_is_written_with_its_subgraphs(
    finds: Finds, evaluates: Evaluates, intent: Callable[[str, float], None]
) -> None:
    finds([passage(TOWER)])
    evaluates({"Eiffel": 0.9})
    intent("simple_fact", 0.9)
    answer = "The Eiffel Tower in Paris is 330 metres tall, to its tip [1]."
    with scripted(("Eiffel", answer)) as (model, _):
        settings = Context(chat_model=model)
        items = list(graph.stream(ASKED, context=settings, stream_mode="messages", subgraphs=True))
    texts = [token.text for _, (token, _) in items]
    assert "".join(texts) == answer and len(texts) > 1


@pytest.fixture
def intent(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, float], None]:
    def fix(name: str, confidence: float) -> None:
        monkeypatch.setattr("nodes.classify_intent.embedded_intent", lambda text: {name: confidence})

    return fix


def test_a_fact_goes_to_crag_and_its_steps_are_counted_once(
    finds: Finds, evaluates: Evaluates, intent: Callable[[str, float], None]
) -> None:
    finds([passage(TOWER)])
    evaluates({"Eiffel": 0.9})
    intent("simple_fact", 0.9)
    with scripted(("Eiffel", "330 metres [1].")) as (model, _):
        result = graph.invoke(ASKED, context=Context(chat_model=model))
    assert [step["node"] for step in result["steps"]] == [
        "receive", "classify_intent", "receive", "retrieve", "grade", "refine", "generate",
    ]  # fmt: skip
    assert result["steps"][1]["decision"] == "simple_fact → crag"
    assert result["usage"]["model_calls"] == 1
    assert [message.type for message in result["messages"]] == ["human", "ai"]


def test_small_talk_is_answered_without_retrieval(finds: Finds, intent: Callable[[str, float], None]) -> None:
    search = finds([passage(TOWER)])
    intent("smalltalk", 0.9)
    with scripted(("small talk", "Hello! What shall I look up?")) as (model, _):
        result = graph.invoke({"question": "Hi!"}, context=Context(chat_model=model))
    assert result["answer"] == "Hello! What shall I look up?"
    assert search.queries == [] and result["citations"] == [] and not result["refused"]


def test_small_talk_needs_no_model(finds: Finds, intent: Callable[[str, float], None]) -> None:
    finds([])
    intent("smalltalk", 0.9)
    result = graph.invoke({"question": "你好！"}, context=Context(answerer="extractive"))
    assert result["answer"] == "您好！请就您的文档提问。"


@pytest.mark.parametrize(
    ("question", "heard"),
    [
        ("ok great, how tall is it?", "how tall is it?"),
        ("Thank you tower: how tall?", "tower: how tall?"),
        ("谢谢，塔有多高？", "塔有多高？"),
    ],
)
@pytest.mark.parametrize("classifier", ["embedded", "llm"])
def test_what_is_asked_beside_thanks_is_no_small_talk(
    finds: Finds, evaluates: Evaluates, monkeypatch: pytest.MonkeyPatch, question: str, heard: str, classifier: str
) -> None:
    finds([passage(TOWER)])
    evaluates({"Eiffel": 0.9})
    intent = {heard: "simple_fact"}
    monkeypatch.setattr("nodes.classify_intent.embedded_intent", lambda text: {intent.get(text, "smalltalk"): 1.0})
    hears = [(lambda prompt: prompt.endswith(f"human: {heard}"), "simple_fact")] if classifier == "llm" else []
    with scripted(*hears, ("330", "330 metres [1].")) as (model, _):
        result = graph.invoke(
            {"question": question}, context={"chat_model": model, "router": {"classifier": classifier}}
        )
    assert result["steps"][1]["decision"] == "simple_fact → crag" and len(result["citations"]) == 1


def test_small_talk_that_is_not_sure_to_be_it_is_looked_up(
    finds: Finds, evaluates: Evaluates, intent: Callable[[str, float], None]
) -> None:
    """To the classifier, `Do you have parking?` is small talk, with 0.61."""
    finds([passage(TOWER)])
    evaluates({"Eiffel": 0.9})
    intent("smalltalk", 0.61)
    result = graph.invoke({"question": "Do you have a tower?"}, context=Context(answerer="extractive"))
    assert result["steps"][1]["decision"] == "smalltalk, confidence 0.61 below 0.9 → crag"


@pytest.mark.parametrize("question", ["Are you open in the tower?", "你们的铁塔周日营业吗？"])
def test_a_question_to_the_organisation_is_looked_up_however_sure_the_classifier_is(
    finds: Finds, evaluates: Evaluates, intent: Callable[[str, float], None], question: str
) -> None:
    search = finds([passage(TOWER)])
    evaluates({"Eiffel": 0.9})
    intent("smalltalk", 1.0)
    result = graph.invoke({"question": question}, context=Context(answerer="extractive"))
    assert result["steps"][1]["decision"] == "smalltalk, but a document may answer → crag"
    assert search.queries == [question]


@pytest.mark.parametrize("question", ["Hi, what can you do?", "你能做什么？", "你好吗？"])
def test_a_question_about_the_assistant_is_replied_to_whatever_the_classifier_says(
    finds: Finds, intent: Callable[[str, float], None], question: str
) -> None:
    finds([])
    intent("simple_fact", 1.0)
    result = graph.invoke({"question": question}, context=Context(answerer="extractive"))
    assert result["steps"][1]["decision"] == "smalltalk → reply"


def test_a_citation_in_small_talk_is_taken_out(finds: Finds) -> None:
    finds([])
    with scripted(("You are groundgraph", "You are welcome! [1]")) as (model, _):
        result = graph.invoke({"question": "Thanks!"}, context=Context(chat_model=model))
    assert result["answer"] == result["messages"][-1].text == "You are welcome!" and result["citations"] == []


@pytest.mark.parametrize(
    ("name", "nodes"),
    [
        ("vague", ["hypothesize", "embed", "retrieve", "generate"]),
        ("knowledge", ["decompose", "fuse", "rerank", "compress", "generate"]),
        ("multi_hop", ["decompose", "fuse", "compress", "generate"]),
        ("current_events", ["retrieve", "grade", "refine", "generate"]),
    ],
)
def test_an_intent_has_its_pattern_and_settings(
    finds: Finds, evaluates: Evaluates, intent: Callable[[str, float], None], name: str, nodes: list[str]
) -> None:
    """Knowledge is reranked; a multi-hop question goes to the model, even where cues decide that."""
    finds([passage(TOWER)])
    evaluates({"Eiffel": 0.9})
    intent(name, 0.9)
    with scripted(Line(None, "330 metres [1].", times=None)) as (model, chat):
        context = {"chat_model": model, "hyde": {"k": 1}, "preset": "embedded"}
        result = graph.invoke(ASKED, context=context)
    assert [step["node"] for step in result["steps"]] == ["receive", "classify_intent", "receive", *nodes]
    assert any("Split a question" in prompt for prompt in chat.prompts) == (name == "multi_hop")
    assert result["steps"][1]["figures"].get("settings", {}) == SETTINGS.get(name, {})


def nodes_below(result: dict[str, Any]) -> list[str]:
    """Return the nodes that ran in the pattern's graph."""
    return [step["node"] for step in result["steps"][3:]]


def test_a_long_answer_is_written_by_flare(
    finds: Finds, evaluates: Evaluates, intent: Callable[[str, float], None]
) -> None:
    finds([passage(TOWER)])
    evaluates({"Eiffel": 0.9})
    intent("long_answer", 0.9)
    said = "The tower is 330 metres tall [1]."
    with scripted(Line("330", said, logprobs=logprobs_of(said))) as (model, _):
        result = graph.invoke({"question": "Describe the Eiffel Tower at length."}, context={"chat_model": model})
    assert result["steps"][1]["decision"] == "long_answer → flare" and result["answer"] == said
    assert nodes_below(result) == ["retrieve", "draft", "append", "finish"]


@pytest.mark.parametrize(("support", "refused"), [(5, False), (3, True)])
def test_high_stakes_are_answered_strictly_by_self_rag(
    finds: Finds, evaluates: Evaluates, support: int, refused: bool
) -> None:
    """A segment of support 3, which the default accepts, does not stand."""
    finds([passage(TOWER)])
    evaluates({"Eiffel": 0.9})
    lines = [
        Line("Name the intent", "High stakes."),
        Line("needs the user's documents", "yes"),
        Line("support:", str(support)),
        Line("Rate your", "5", times=2),
        Line("Rewrite the question", "tower height", times=None, optional=True),
        Line("something else", "It is 330 metres tall [1]."),
    ]
    with scripted(*lines) as (model, _):
        result = graph.invoke(ASKED, context={"chat_model": model, "router": {"classifier": "llm"}})
    classified = result["steps"][1]
    assert classified["decision"] == "high_stakes → self_rag"
    assert classified["figures"]["settings"] == {"preset": "strict"}
    assert nodes_below(result)[0] == "decide" and result["refused"] == refused
    assert refused or nodes_below(result)[-3:] == ["choose", "accept", "conclude"]


def test_a_run_without_a_model_takes_crag_for_a_pattern_that_needs_one(
    finds: Finds, evaluates: Evaluates, intent: Callable[[str, float], None]
) -> None:
    finds([passage(TOWER)])
    evaluates({"Eiffel": 0.9})
    intent("vague", 0.9)
    result = graph.invoke(ASKED, context=Context(answerer="extractive"))
    assert result["steps"][1]["decision"] == "vague, but hyde needs a chat model → crag"
    assert result["answer"] == f"{TOWER} [1]"


def test_a_pattern_is_forced(finds: Finds) -> None:
    finds([passage(TOWER)])
    with scripted(("Eiffel", "330 metres [1].")) as (model, _):
        result = graph.invoke(ASKED, context={"chat_model": model, "router": {"pattern": "naive"}})
    assert result["steps"][1]["decision"] == "forced → naive"


def test_the_chat_model_classifies(finds: Finds, evaluates: Evaluates) -> None:
    finds([passage(TOWER)])
    evaluates({"Eiffel": 0.9})
    with scripted(("Name the intent", "Simple fact."), ("something else", "330 metres [1].")) as (model, _):
        result = graph.invoke(ASKED, context={"chat_model": model, "router": {"classifier": "llm"}})
    assert result["steps"][1]["decision"] == "simple_fact → crag"


@pytest.mark.parametrize(
    ("intent", "confidence", "expected"),
    [
        ("smalltalk", 0.9, ("reply", "smalltalk")),
        ("simple_fact", 0.59, ("crag", "simple_fact, confidence 0.59 below 0.6")),
        ("vague", 0.29, ("adaptive", "no intent fits, vague best with 0.29")),
        ("banana", 1.0, ("crag", "unknown intent 'banana'")),
        ("", 0.0, ("crag", "unknown intent ''")),
    ],
)
def test_doubt_goes_to_the_default(intent: str, confidence: float, expected: tuple[str, str]) -> None:
    assert pattern_of(intent, confidence, RouterSettings()) == expected


def test_the_table_may_be_overridden() -> None:
    assert pattern_of("vague", 0.9, RouterSettings(table={"vague": "naive"})) == ("naive", "vague")


@pytest.mark.parametrize(
    ("router", "said"),
    [
        ({"pattern": "hyde2"}, "Context.router.pattern='hyde2': unknown pattern; known are reply, naive, hyde,"),
        ({"no_fit": "x"}, "Context.router.no_fit='x': unknown pattern"),
        ({"default": "x"}, "Context.router.default='x': unknown pattern"),
        ({"table": {"vague": "x"}}, "Context.router.table.vague='x': unknown pattern"),
        ({"table": {"banana": "crag"}}, "Context.router.table: unknown intent 'banana'; known are smalltalk"),
    ],
)
def test_an_unknown_pattern_is_an_error(finds: Finds, router: dict[str, Any], said: str) -> None:
    finds([])
    with pytest.raises(InputError) as raised:
        graph.invoke(ASKED, context={"router": router})
    assert said in str(raised.value)


def test_the_table_names_every_intent_and_only_patterns_that_exist() -> None:
    from groundgraph.grading.intent import INTENTS

    assert set(TABLE) == set(INTENTS)
    assert set(get_args(Pattern)) == {"reply", *PATTERNS} - {"router"}
    assert set(TABLE.values()) <= set(get_args(Pattern))
    assert all(label_of(intent) == intent for intent in TABLE)


def test_an_unknown_pattern_of_the_catalogue() -> None:
    with pytest.raises(InputError, match="pattern='rag': unknown; known are naive, hyde, advanced,"):
        load("rag")
