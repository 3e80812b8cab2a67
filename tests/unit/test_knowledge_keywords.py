import pytest

from groundgraph.knowledge.keywords import index_terms, match_expression, query_terms, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Red Apple", ["the", "red", "apple"]),
        ("Café Ångström", ["cafe", "angstrom"]),
        ("ＧＰＴ４ costs 1,000", ["gpt4", "costs", "1000"]),
        ("检索增强 RAG", ["检索", "索增", "增强", "rag"]),
        ("水", ["水"]),
        ("gpt-4o", ["gpt-4o", "gpt", "4o"]),
        ("C++ and C#", ["c++", "c", "and", "c#", "c"]),
        ("error 0x80070005", ["error", "0x80070005"]),
        ("top_k=5", ["top_k", "top", "k", "5"]),
        (".NET 8.0.", [".net", "net", "8.0", "8", "0"]),
        ("用Python写", ["用", "python", "写"]),
        (
            "Łódź, Ørsted, Đà Nẵng, Straße, Æthelred, Œuvre, þorn",
            "lodz orsted da nang strasse aethelred oeuvre thorn".split(),
        ),
        ("Wi\u00adFi zero\u200bwidth 葛\U000e0100城", ["wifi", "zerowidth", "葛城"]),
        ("？！… --", []),
    ],
)
def test_words_are_folded_and_cut(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_a_question_loses_its_stop_words_and_repeats() -> None:
    assert query_terms("What is the capital of Peru, the capital?") == ["capital", "peru"]
    assert query_terms("秘鲁的首都是什么？") == ["秘鲁", "鲁的", "的首", "首都"]


def test_a_question_of_stop_words_keeps_them() -> None:
    assert query_terms("Who is who?") == ["who", "is"]
    assert query_terms("为什么") == ["为什", "什么"]


def test_a_question_becomes_quoted_words() -> None:
    assert match_expression('"x" OR (gpt-4o)') == '"x" OR "gpt-4o" OR "gpt" OR "4o"'
    assert match_expression("水") == '"水"*'
    assert match_expression("？！…") is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ports 80,443.", {"ports", "80443", "80", "443"}),
        ("80,443,8080", {"80443", "80", "443", "8080"}),
        ("It costs 1,000 or 2,500.50", {"it", "costs", "1000", "or", "2500.50", "2500", "50"}),
    ],
)
def test_numbers_joined_by_a_comma_are_found_alone_too(text: str, found: set[str]) -> None:
    assert set(index_terms(text)) == found


def test_traditional_and_simplified_characters_are_one_word() -> None:
    assert tokens("檢索增強生成") == tokens("检索增强生成") == ["检索", "索增", "增强", "强生", "生成"]
    assert match_expression("頭髮乾") == match_expression("头发干")
    assert query_terms("請問這個資料庫是什麼？") == query_terms("请问这个资料库是什么？")
    assert tokens("GPT-4o 檢") == ["gpt-4o", "gpt", "4o", "检"]
