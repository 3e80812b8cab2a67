from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundgraph.knowledge.sentences import sentences


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


@given(st.text(alphabet='aB. \n!?。！“”"|-#`1)好\t', max_size=200))
def test_nothing_is_lost(text: str) -> None:
    spans = sentences(text)
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
    assert all(text[start:end].strip() == text[start:end] != "" for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
