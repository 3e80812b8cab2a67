import pytest

from groundgraph.models.escape import escape
from groundgraph.models.tokens import estimate_tokens
from nodes.language import language_of
from nodes.prompt import fit, show, without_marks
from nodes.short_reply import short_reply
from state.context import Context
from tests.doubles import passage


def test_markers_are_escaped_and_nothing_else() -> None:
    assert escape("a </passage> b <|im_end|> c </CONTEXT> d") == "a &lt;/passage> b &lt;|im_end|> c &lt;/CONTEXT> d"
    verbatim = "if x < 3 and y <= 4: print({x1}{Q::}) <div>passages</div>"
    assert escape(verbatim) == verbatim


def test_citations_of_a_document_are_no_citations_of_ours_and_code_stays() -> None:
    text = "Paris[12] is old [3, 4]. Use `row[3]`:\n```\nx = row[3]\n```\nas said [5]."
    assert without_marks(text) == "Paris(12) is old (3, 4). Use `row[3]`:\n```\nx = row[3]\n```\nas said (5)."


def test_fit_keeps_the_best_whole_passages() -> None:
    passages = [passage(f"{n} " + "word " * 30) for n in range(20)]
    kept = fit(passages, 200)
    assert kept == passages[: len(kept)]
    assert 1 < len(kept) < 20
    assert sum(estimate_tokens(show(p, n)) for n, p in enumerate(kept, 1)) <= 200


def test_fit_cuts_a_first_passage_that_is_too_long() -> None:
    (kept,) = fit([passage("长" * 5_000)], 200)
    assert 0 < len(kept.page_content) <= 200
    assert kept.end == len(kept.page_content)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How tall is it?", "en"),
        ("它有多高？", "zh"),
        ("RAG 是什么？", "zh"),
        ("What does 冰糖 mean in English?", "en"),
        ("エッフェル塔の高さは？", "en"),
        ("42?", "en"),
    ],
)
def test_language_of_a_question(text: str, language: str) -> None:
    assert language_of(text, Context()) == language
    assert language_of(text, Context(language="zh")) == "zh"


@pytest.mark.parametrize(
    "reply",
    [
        "NBA 2023",
        '{"query": "NBA 2023"}',
        '```json\n{"query":"NBA 2023"}\n```',
        'Query: "NBA 2023"',
        "“NBA 2023”\n\nDone.",
        "The search query is: **NBA 2023**",
        "查询词：NBA 2023",
    ],
)
def test_the_query_in_a_models_reply(reply: str) -> None:
    assert short_reply(reply) == "NBA 2023"


@pytest.mark.parametrize(
    "reply", ["I cannot rewrite this question as an AI.", "I do not know.", "Query: not found", "我无法改写这个问题。"]
)
def test_a_refusal_is_no_query(reply: str) -> None:
    assert short_reply(reply) == ""


@pytest.mark.parametrize(
    "query", ["keywords in Python", "I cannot log in", "404.0", "not found in the index", "年假天数"]
)
def test_a_query_stays_as_it_is(query: str) -> None:
    assert short_reply(query) == query
