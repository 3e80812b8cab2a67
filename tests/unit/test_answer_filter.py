"""What of a model's answer may be shown while it is written."""

import pytest

from nodes.answer_filter import AnswerFilter
from tests.doubles import passage


def play(pieces: list[str], *texts: str) -> tuple[list[str], AnswerFilter]:
    answer = AnswerFilter([passage(text) for text in texts or ("One.", "Two.")])
    shown = [text for piece in pieces for text in answer.feed(piece)]
    return [*shown, *answer.close()], answer


def test_text_is_shown_as_it_comes() -> None:
    shown, answer = play(["The Eiffel Tower was built by Gustave Eiffel's company ", "in Paris", " [1]", "."])
    assert len(shown) > 1
    assert "".join(shown) == answer.text == "The Eiffel Tower was built by Gustave Eiffel's company in Paris [1]."


@pytest.mark.parametrize(
    "said",
    [
        "NOT FOUND",
        " not found.",
        "[2] NOT FOUND",
        "NOT FOUND: the passages are about something else, and nothing in them says who won it.",
        "未找到",
        "未找到。",
        "I do not know.",
        "I'm sorry, but I cannot answer that from the passages that you have given to me [1].",
        "很抱歉，我不知道。",
        "没有相关信息。",
        "The passages do not contain any information about the 1998 World Cup, so the question stays open.",
        "段落中没有提到这个问题的答案，因此无法回答这个问题，请提供更多的资料以便我能够更好地帮助您解决这个问题。谢谢您的理解。",
    ],
)
def test_a_refusal_is_never_shown(said: str) -> None:
    shown, answer = play(list(said))
    assert shown == []
    assert answer.refused


@pytest.mark.parametrize(
    "said",
    [
        "Not Found is what the status 404 means [1].",
        "No information is given to third parties [1].",
        "Sorry is a board game for two to four players [1].",
        "Unknown callers are blocked [1].",
        "无法登录时请重置密码 [1]。",
    ],
)
def test_an_answer_about_the_words_is_none(said: str) -> None:
    shown, answer = play([said])
    assert "".join(shown) == said and not answer.refused


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("404 Not Found [1].", "A page that is gone is answered with 404 Not Found."),
        ("This document does not contain personal data [1].", "The document does not contain any personal data."),
        ("无法提供发票的，不予报销[1]。", "出差费用凭发票报销，无法提供发票的，不予报销。"),
        ("未找到失主的物品，三个月后归公司所有【1】。", "未找到失主的物品，三个月后归公司所有。"),
        ("[1]未找到失主的物品，三个月后归公司所有。", "未找到失主的物品，三个月后归公司所有。"),
    ],
)
def test_an_answer_in_the_words_of_the_passage_it_cites_is_none(said: str, stands: str) -> None:
    for size in (1, 3, len(said)):
        shown, answer = play([said[i : i + size] for i in range(0, len(said), size)], stands)
        assert shown and answer.text and not answer.refused


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("The documents do not say [1].", "The documents do not say who built the tower."),
        ("Not found [1].", "A page that is gone is answered with 404 Not Found."),
        ("This document does not contain personal data [1].", "Personal data is kept for a year."),
        ("This document does not contain personal data [2].", "The document does not contain any personal data."),
        ("The passages do not mention the fee [1].", "The passages do not lead to the attic. The fee is 5 euros."),
        ("未找到年假的规定[1]。", "未找到失主的物品，三个月后归公司所有。年假的规定见下文。"),
    ],
)
def test_a_refusal_that_cites_is_one(said: str, stands: str) -> None:
    shown, answer = play([said], stands)
    assert shown == [] and answer.refused


def test_a_citation_of_no_passage_is_removed_wherever_the_pieces_break() -> None:
    text = "The tower stands in Paris, on the Champ de Mars, near the river Seine [7]. It is tall [1, 9] and old【2】."
    for size in (1, 2, 3, 5, len(text)):
        shown, answer = play([text[i : i + size] for i in range(0, len(text), size)])
        assert "".join(shown) == (
            "The tower stands in Paris, on the Champ de Mars, near the river Seine. It is tall [1] and old [2]."
        )
        assert answer.dropped == [7, 9]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("[1]有100-150种栉水母被确认。[2]其余尚未命名。", "有100-150种栉水母被确认 [1]。其余尚未命名 [2]。"),
        (
            "[1] The tower is 330.5 metres tall. [2][9] It stands in Paris, and was finished in 1889",
            "The tower is 330.5 metres tall [1]. It stands in Paris, and was finished in 1889 [2]",
        ),
        ("[1] The first line\n[2] The second line", "The first line [1]\nThe second line [2]"),
        ("The tower is tall. [1] It is brown. [2]", "The tower is tall. [1] It is brown. [2]"),
    ],
)
def test_citations_stand_behind_what_they_cite(said: str, shown: str) -> None:
    for size in (1, 2, 3, 7, len(said)):
        pieces, answer = play([said[i : i + size] for i in range(0, len(said), size)])
        assert "".join(pieces) == answer.text == shown


def test_other_brackets_stay() -> None:
    text = "In the list [a, b] the entry x[0] comes first, and the year [sic] is given as 1889 in the text [1]."
    shown, answer = play(list(text))
    assert "".join(shown) == answer.text
    assert "[a, b]" in answer.text and "[sic]" in answer.text


def test_a_short_answer_is_shown_at_the_end() -> None:
    shown, answer = play(["308", " [1]"])
    assert shown == ["308 [1]"]
    assert not answer.refused


CODE = """\
Take the second item, as the passage says [1]:

```python
x = a[7]
print(x [1])
```
The entry `row[9]` is the last. A lone ` tick ends
with its line, and so does this [8]. See the list [2]:

- one [1]
- two [2]
"""


def test_code_and_lists_are_left_as_they_are() -> None:
    for size in (1, 2, 3, 7, len(CODE)):
        shown, answer = play([CODE[i : i + size] for i in range(0, len(CODE), size)])
        assert "".join(shown) == answer.text == CODE.replace(" [8]", "")
        assert answer.dropped == [8]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("```\nThree months [1].\n```", "Three months [1]."),
        ("```markdown\nThe notice period is three months, says the contract.\n```\n",
         "The notice period is three months, says the contract."),
        ("```text\n通知期为三个月【1】。\n```", "通知期为三个月 [1]。"),
        ("```markdown\nNOT FOUND\n```", ""),
        ("```\npayroll --commit\n```", None),
        ("```\nx = a[1]\n```", None),
        ("```python\nx = a\n```\nSo it is done [1].", None),
        ("```\npayroll --commit\n```\nThis commits [1]:\n```\npayroll --dry-run [1]\n```", None),
    ],
)  # fmt: skip
def test_an_answer_in_a_block_is_taken_out_and_code_is_not(said: str, shown: str | None) -> None:
    for size in (1, 2, 3, 7, len(said)):
        pieces, answer = play([said[i : i + size] for i in range(0, len(said), size)])
        assert "".join(pieces) == answer.text == (said if shown is None else shown)


@pytest.mark.parametrize("fence", ["```", "~~~"])
@pytest.mark.parametrize(("after", "shown"), [
    ("\n[1]\nThen wait [2].", "\n[1]\nThen wait [2]."),
    ("\n\n[1][2]\nThen wait.", "\n[1] [2]\nThen wait."),
    (" [1]\nThen wait.", "\n[1]\nThen wait."),
    ("\nThen wait\n[1].", "\nThen wait [1]."),
    ("\n[9]\nThen wait.", "\nThen wait."),
])  # fmt: skip
def test_the_citation_of_a_block_of_code_stands_on_the_line_below_it(fence: str, after: str, shown: str) -> None:
    """Behind the fence it would keep the block open, and a viewer of Markdown would show the rest as code."""
    code = f"Run this:\n{fence}\npayroll --commit\n{fence}"
    said = code + after
    for size in (1, 2, 3, 7, len(said)):
        pieces, answer = play([said[i : i + size] for i in range(0, len(said), size)])
        assert "".join(pieces) == answer.text == code + shown


def test_so_it_does_where_the_block_was_written_before() -> None:
    begun = AnswerFilter([passage("One."), passage("Two.")], "Run this:\n```\npayroll --commit\n```")
    assert "".join([*begun.feed("\n[1]\nThen wait [2]."), *begun.close()]) == "\n[1]\nThen wait [2]."


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "The library closes at 18:00 on weekdays, and at noon on Saturdays. [1]\nNOT FOUND",
            "The library closes at 18:00 on weekdays, and at noon on Saturdays. [1]",
        ),
        ("图书馆周五18:00闭馆。[1]\n未找到。", "图书馆周五18:00闭馆。 [1]"),
        ("A page that is gone is answered with these words: NOT FOUND.", None),
        ("A page that is gone is answered with the status 404, or NOT", None),
    ],
)
def test_a_refusal_after_the_answer_is_dropped(said: str, shown: str | None) -> None:
    for size in (1, 2, 3, 7, len(said)):
        pieces, answer = play([said[i : i + size] for i in range(0, len(said), size)])
        assert "".join(pieces) == answer.text == (shown or said)


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_brackets_in_a_block_of_code_that_was_opened_before_stay(fence: str) -> None:
    answer = AnswerFilter([passage("One."), passage("Two.")], f"{fence}python\nx = a[7]")
    said = f"\ny = b[8]\n{fence}\nIt is tall [9]."
    assert "".join([*answer.feed(said), *answer.close()]) == said.replace(" [9]", "")
    assert answer.dropped == [9]
    whole, filtered = play([f"Do this:\n{fence}\ny = b[8]\n{fence}\nIt is tall [9]."])
    assert "b[8]" in "".join(whole) and filtered.dropped == [9]
