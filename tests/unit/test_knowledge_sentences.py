import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundgraph.knowledge.sentences import explained, sentences, table_headers


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["Dr. Smith paid $3.14 to J. K. Rowling.", "She left."],
        ["He joined the U.S. Army, i.e. the land force.", "It moved to the U.S.", "The end..."],
        ['"Really?" he asked.', '"Yes."', "Done!"],
        ["See Fig. 3 and No. 5.", "42 is next."],
        ["Take vitamin C.", "It helps."],
        ["no full stop at all"],
        ["Café (est. 1900) opened.", "Élan followed."],
        ["Apple Inc. CEO Tim Cook spoke.", "He works at Apple Inc.", "The company grew."],
        ["On Jan. 5 it rained.", "It was Jan.", "The snow fell."],
        ["She has a Ph.D. from MIT.", "Is it good?", "No.", "It is not."],
        ["At 9 a.m. Monday we met.", "It ended at 5 p.m.", "Then we left."],
        ["The price is $1,234.56.", "Up 3.5%.", "Version 2.0.1 is out."],
        ['He said, "Stop. Go home."', "Then he left."],
        ['"I am here."', "She waved (as she does. Always) twice."],
        ["St. Louis vs. Chicago.", "Smith et al. (2020) show it, etc.", "Then stop."],
        ["Yahoo! is a company.", "Wow!!", "Really?!", "Yes…", "No"],
        ["Call `a. B()` first.", "Then use ``b. `C` d`` or\n`e. F`.", "A ` is one tick.", "It is two."],
        ["यह वाक्य है।", "दूसरा है।", "هل هذا صحيح؟", "نعم."],
    ],
)
def test_english(expected: list[str]) -> None:
    assert split(" ".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ["今天天气好吗？", "我觉得3.5度！", "走吧。"],
        ["他说：“你好。”", "然后走了。"],
        ["真的吗?", "真的。", "Python 3.11 很快。"],
        ["吾輩は猫である。", "「どこで生れたか？」", "見当がつかぬ。"],
        ["「行く。」と彼は言った。", "彼は「そうだ。そうだ。」と答えた。", "「はい。」", "とても嬉しい。"],
        ["他说：“今天很好。明天也好。”", "“走吧！”，他喊道。", "“你好。”小明说。", "“再见。”", "他走了。"],
        ["价格是３．１４元。", "これは文です．", "次の文です．"],
        ["他用了Python 3.11。", "It works.", "很好！", "你好!", "我是小明.", "再见"],
        ["史密斯说：“好。”并签字了。", "“好！”、“行。”都可以。", "“是的。”等话没用。", "“好。”", "地球很大。"],
        ["他说“好。”and left.", "用`a。b`就好。", "完。"],
        ["真的……是吗？！", "Node.js很快。", "今天是2024.5.1。", "①第一条。", "②第二条。"],
    ],
)
def test_chinese_and_japanese_need_no_space(expected: list[str]) -> None:
    assert split("".join(expected)) == expected


def test_markdown_units_are_whole() -> None:
    text = """# A title. Really

A line that
goes on. Second.
- one. Still one
  and more
- two
1. three

| a | b |
|---|---|
| 1. x | 2 |
Prose.
```py
x = 1. Y

# no heading
```
After.
"""
    assert split(text) == [
        "# A title. Really",
        "A line that\ngoes on.",
        "Second.",
        "- one. Still one\n  and more",
        "- two",
        "1. three",
        "| a | b |\n|---|---|",
        "| 1. x | 2 |",
        "Prose.",
        "```py\nx = 1. Y\n\n# no heading\n```",
        "After.",
    ]


def test_rows_have_the_header_of_their_own_table() -> None:
    text = "| a |\n|---|\n| 1 |\n| 2 |\n\n| alone |\n| 3 |\n\n| b |\n|---|\n| 4 |\nProse.\n| 5 |"
    found = table_headers(text, sentences(text))
    assert {text[slice(*row)]: text[slice(*header)] for row, header in found.items()} == {
        "| 1 |": "| a |\n|---|",
        "| 2 |": "| a |\n|---|",
        "| 4 |": "| b |\n|---|",
    }
    assert table_headers(text, sentences(text)[:1]) == {}


@pytest.mark.parametrize(
    ("text", "kept", "whole"),
    [
        ("Oslo has a tower. It is high. Cats purr.", [1], [0, 1]),
        ("Oslo has a tower. It is old. It is high.", [2], [0, 1, 2]),
        ("Oslo has a tower. Bergen has none.", [1], [1]),
        ("Oslo has a tower.\n\nIt is high.", [1], [1]),  # of another paragraph
        ("奥斯陆有一座塔。它很高。猫会叫。", [1], [0, 1]),
        ("奥斯陆有一座塔。其他地方没有。", [1], [1]),
    ],
)
def test_what_a_pronoun_stands_for_is_kept(text: str, kept: list[int], whole: list[int]) -> None:
    spans = sentences(text)
    assert explained(text, [spans[n] for n in kept], spans) == [spans[n] for n in whole]


@pytest.mark.parametrize("text", ["One two. Four! ", "J. ", "(A. ", "“A. ", "「あ。", '"A. B" '])
def test_a_long_paragraph_takes_linear_time(text: str) -> None:
    started = time.monotonic()
    sentences(text * 20_000)
    assert time.monotonic() - started < 5


@given(st.text(alphabet='aB. \n!?。！．“”"「」と说（(|-#`1)好\t', max_size=200) | st.text(max_size=200))
def test_nothing_is_lost(text: str) -> None:
    spans = sentences(text)
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
    assert all(text[start:end].strip() == text[start:end] != "" for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
