import pytest

from groundgraph.grading.answer_type import answer_type
from groundgraph.grading.terms import content_terms, is_cjk, key_terms, number_terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("How many engineers did Acme hire in 2021?", ("engine", "acm", "hir", "2021")),
        ("The 1,500.50 dollars", ("1500.5", "dollar")),
        ("three cats", ("3", "cat")),
        ("仓库的地址是什么？", ("仓库", "地址")),
        ("NASA在2020年发射了火箭", ("nasa", "2020", "年发", "发射", "火箭")),
        ("What is it?", ()),
        ("？！…", ()),
    ],
)
def test_content_terms_are_what_a_text_talks_about(text: str, terms: tuple[str, ...]) -> None:
    assert content_terms(text) == terms


def test_forms_of_a_word_meet() -> None:
    assert content_terms("defeated") == content_terms("defeats") == content_terms("defeating")
    assert content_terms("hired") == content_terms("hires") == content_terms("hire")
    assert content_terms("class") == content_terms("classes")
    assert content_terms("Café") == content_terms("cafe")


def test_keys_are_names_inside_sentences_and_numbers() -> None:
    assert key_terms("Which bridge did Mary cross in 1999? Trains run.") == {"mary", "1999"}
    assert key_terms("公司用Kafka处理5个主题") == {"kafka", "5"}
    assert number_terms("Two of 30 trains") == {"2", "30"}


@pytest.mark.parametrize(
    ("text", "expected"), [("Hello", False), ("你好", True), ("用 LangGraph 画图的方法", True), ("The word 茶", False)]
)
def test_the_language_is_the_main_one(text: str, expected: bool) -> None:
    assert is_cjk(text) is expected


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("When did it open?", "It opened in May.", 1.0),
        ("When did it open?", "It opened to great applause.", -1.0),
        ("How many rooms are there?", "There are forty rooms.", 1.0),
        ("How many of the 40 rooms are free?", "The 40 rooms are nice.", -1.0),
        ("Who built it?", "It was built by Jane Doe.", 1.0),
        ("Who built it?", "it was built of stone.", -1.0),
        ("谁建的？", "由王工程师建成。", 0.0),
        ("大桥哪年建成？", "大桥建成于1968年。", 1.0),
        ("有多少房间？", "共有三十间，五个大厅。", 1.0),
        ("Why is it blue?", "Because of scattering.", 0.0),
    ],
)
def test_answer_type(question: str, text: str, expected: float) -> None:
    assert answer_type(question, text) == expected
