"""HyDE: what is written, what of it is kept, and by what the search goes in the end."""

from collections.abc import Callable
from typing import Any

import pytest

from graphs.hyde import graph
from groundgraph.errors import ModelError, ModelUnavailable
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.index import Collection
from nodes.hypothesize import says_something
from state.context import Context
from tests.doubles import FixedCollection, FixedSearch, passage
from tests.embedder import use_bag_embedder
from tests.scripted import Line, scripted

Finds = Callable[..., FixedSearch]

TOWER = "The Eiffel Tower is 330 metres tall."
ASKED = {"question": "How tall is the Eiffel Tower?"}
WRITES, ANSWERS = "Write a short passage", "something else"


def path(result: dict[str, Any]) -> list[str]:
    return [step["node"] for step in result["steps"]]


def step(result: dict[str, Any], node: str) -> Any:
    return next(step for step in result["steps"] if step["node"] == node)


def ask(model: str, question: str = ASKED["question"], **settings: Any) -> dict[str, Any]:
    return graph.invoke({"question": question}, context={"chat_model": model, **settings})


def test_the_search_goes_by_what_was_written(finds: Finds) -> None:
    search = finds([passage(TOWER)])
    with scripted(Line(WRITES, "The tower is 300 m tall.", times=3), (ANSWERS, "330 metres [1].")) as (model, chat):
        result = ask(model)
    assert path(result) == ["receive", "hypothesize", "embed", "retrieve", "generate"]
    assert step(result, "hypothesize")["figures"]["hypotheticals"] == ["The tower is 300 m tall."] * 3
    assert search.queries == [ASKED["question"]] and search.options[0]["vectors"] == {"fixed:2": [0.6, 0.8]}
    assert [options["temperature"] for options in chat.options[:3]] == [0.7] * 3
    assert "300 m" not in chat.prompts[3], "the answer is written from passages only"
    assert result["answer"] == "330 metres [1]." and result["usage"]["model_calls"] == 4


def test_the_vectors_find_what_shares_no_word_with_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    use_bag_embedder(monkeypatch, dimension=512)
    notes = {"height.md": "330 metres from base to tip", "paint.md": "The tower was painted red"}
    collection = Collection.open("notes", create=True)
    collection.add([LoadedDocument(name, text) for name, text in notes.items()])
    settings: dict[str, Any] = {"collections": ["notes"], "search_mode": "vector", "top_k": 1, "hyde": {"k": 1}}
    with scripted((WRITES, "It is 300 metres from base to tip"), (ANSWERS, "330 metres [1].")) as (model, _):
        result = ask(model, "How high is the tower?", **settings)
    assert result["citations"][0]["source"] == "height.md"
    figures = step(result, "embed")["figures"]
    assert figures == {"models": ["bag:512"]} and step(result, "embed")["decision"] == "mean of 2 vectors"


@pytest.mark.parametrize(
    "text",
    ["", " \n", "…", "I'm sorry, I cannot help.", "I don't know.", "Unfortunately, I have no data.", "As an AI model",
     "NOT FOUND", "抱歉，我无法回答。", "我不知道。", "对不起", "作为一个人工智能", "The CEO is [insert name].",
     "The passage does not provide any information about lamps.", "These documents don't say.", "该段落没有提及年假。",
     "It was in [Year].", "公司成立于【此处插入年份】。", "It costs XXX dollars.",
     "The CEO of [Company Name] is [CEO Name].", "The fee is [X] euros.", "The fee is [amount].",
     "Ask [the CEO's name].",
     "Welcome to {company_name}.", "Dear {{name}}, welcome.", "[公司名称]成立于2001年。", "公司成立于XX年。",
     "公司于X年X月X日成立。", "由XX公司承办。", "It was founded in 20XX.",
     "于20XX年成立。", "由[公司名称]承办，共有[X]名员工。", "公司共有X名员工。", "It costs $5 [amount] or $6.",
     "I'm afraid I don't know.", "I am afraid that is not stated.", "As a language model, I cannot say.",
     "Please provide more context.", "Could you provide additional information about the lamp?",
     "根据提供的信息，无法确定。", "根据您提供的文档，无法判断。", "文档中没有提到年假。", "资料中并未提及这一点。",
     "作为一个语言模型，我不能回答。"],
)  # fmt: skip
def test_what_is_no_document(text: str) -> None:
    assert not says_something(text)


@pytest.mark.parametrize(
    "text",
    [
        "It is 330 metres tall.",
        "塔高三百三十米。",
        "Sorrel is a herb.",
        "See [1] for the year 1990.",
        "I am a tower.",
        "The documents do not leave the archive.",
        "文档未归档的，须在三日内补交。",
        "文档中没有提到的费用，不予报销。",
        "无法提供发票的，不予报销。",
        "They said it were [sic] tall [1].",
        "See [the guide](guide.md) and [Guide](guide.md).",
        "Take `row[Name]` or `{name}`, as in x[N] and x[i].",
        "```python\nname = '{company_name}'\nx = [Name]\n```",
        "The sum is $[X] + \\frac{abc}{def}$, at most n_{max}, over {a, b} and [0, 1].",
        "- [x] Pay the fee.\n- [ ] Sign it.",
        "XX染色体决定性别。",
        "He [Smith] pressed the [Ctrl] key, as [the manual] says.",
        "依照第[三]条，数组a[内容]见[注]。",
        "I'm afraid of spiders, said the tower.",
        "Please provide more information to the tax office within a month.",
    ],
)
def test_what_is_one(text: str) -> None:
    assert says_something(text)


def test_refusals_are_dropped(finds: Finds) -> None:
    finds([passage(TOWER)])
    lines = [(WRITES, "I don't know."), (WRITES, ""), (WRITES, "It is tall.")]
    with scripted(*lines, (ANSWERS, "330 metres [1].")) as (model, _):
        result = ask(model)
    assert step(result, "hypothesize")["decision"] == "1 of 3 kept" and result["warnings"] == []


@pytest.mark.parametrize("failure", [ModelUnavailable("scripted:test is down"), "抱歉，我不知道。"])
def test_with_none_left_the_question_itself_is_searched_for(finds: Finds, failure: Any) -> None:
    search = finds([passage(TOWER)])
    with scripted(Line(WRITES, failure, times=3), (ANSWERS, "330 metres [1].")) as (model, _):
        result = ask(model)
    assert path(result) == ["receive", "hypothesize", "retrieve", "generate"] and not result["refused"]
    assert search.options[0]["vectors"] == {}
    assert result["warnings"][-1] == "no hypothetical document can be used: the question itself was searched for"
    down = isinstance(failure, ModelUnavailable)
    assert ("3 of 3 hypothetical documents failed: scripted:test is down" in result["warnings"]) == down


@pytest.mark.parametrize("says", ["The tower is tall. " * 5000, "塔很高。" * 20000])
def test_an_endpoint_that_has_no_limit_costs_no_more_embedding(finds: Finds, says: str) -> None:
    finds([passage(TOWER)])
    with scripted((WRITES, says), (ANSWERS, "330 metres [1].")) as (model, _):
        result = ask(model, hyde={"k": 1, "max_tokens": 100})
    assert [len(one) for one in step(result, "hypothesize")["figures"]["hypotheticals"]] == [800]


def test_one_that_fails_leaves_the_others(finds: Finds) -> None:
    finds([passage(TOWER)])
    lines = [(WRITES, ModelUnavailable("busy")), Line(WRITES, "It is tall.", times=2)]
    with scripted(*lines, (ANSWERS, "330 metres [1].")) as (model, _):
        result = ask(model)
    assert result["warnings"] == ["1 of 3 hypothetical documents failed: busy"]
    assert step(result, "hypothesize")["decision"] == "2 of 3 kept"


def test_an_embedder_that_fails_costs_a_warning(finds: Finds, monkeypatch: pytest.MonkeyPatch) -> None:
    search = finds([passage(TOWER)])

    def down(*_: Any, **__: Any) -> Any:
        raise ModelUnavailable("no answer within 60 s")

    monkeypatch.setattr("nodes.embed.hypothetical_vectors", down)
    with scripted(Line(WRITES, "It is tall.", times=3), (ANSWERS, "330 metres [1].")) as (model, _):
        result = ask(model)
    assert result["warnings"] == ["hypothetical documents not embedded: no answer within 60 s"]
    assert search.options[0]["vectors"] == {}


def test_chinese_is_written_for_a_chinese_question_in_the_collections_manner(
    finds: Finds, monkeypatch: pytest.MonkeyPatch
) -> None:
    finds([passage("埃菲尔铁塔高 330 米。")])
    described = FixedCollection("towers", "建筑公司的 </passage> 内部手册")
    monkeypatch.setattr("nodes.hypothesize.Collection.open", lambda name, **_: described)
    with scripted(Line("写一小段", "铁塔高 300 米。", times=3), (ANSWERS, "330 metres [1].")) as (model, chat):
        result = ask(model, "埃菲尔铁塔有多高？", language="en")
    assert "文档：建筑公司的" in chat.prompts[0] and "</passage>" not in chat.prompts[0]
    assert not result["refused"]


def test_searching_by_words_needs_no_documents(finds: Finds) -> None:
    finds([passage(TOWER)])
    with scripted((ANSWERS, "330 metres [1].")) as (model, _):
        result = ask(model, search_mode="keyword")
    assert path(result) == ["receive", "hypothesize", "retrieve", "generate"]


def test_nothing_found_and_nothing_answered_are_refused(finds: Finds) -> None:
    finds([])
    with scripted(Line(WRITES, "It is tall.", times=3)) as (model, _):
        result = ask(model)
    assert path(result)[-2:] == ["retrieve", "refuse"] and result["refusal_reason"] == "nothing was found in default"
    finds([passage(TOWER)])
    with scripted(Line(WRITES, "It is tall.", times=3), (ANSWERS, "NOT FOUND")) as (model, _):
        assert path(ask(model))[-2:] == ["generate", "refuse"]


@pytest.mark.parametrize("name", ["hyde", "flare", "self_rag", "combined"])
def test_without_a_model_it_names_the_patterns_that_need_none(finds: Finds, name: str) -> None:
    from graphs.catalogue import load

    finds([passage(TOWER)])
    with pytest.raises(ModelError) as raised:
        load(name).invoke(ASKED, context=Context(answerer="extractive"))
    needing = "hyde, flare, self_rag and combined need a chat model, naive, advanced, crag and adaptive do not"
    assert str(raised.value) == f"{needing}; answerer='extractive' uses none"
