"""The parts of Self-RAG by themselves: texts, citations, scores."""

from collections.abc import Callable
from typing import Any

import pytest

from groundgraph.models import Reply
from nodes.choose import is_good
from nodes.reflect import weighed
from nodes.write_segments import blank, cited, new_text
from state.blocks import SelfRagSettings
from tests.doubles import FixedEvaluator, FixedSearch, passage

Finds = Callable[..., FixedSearch]
Evaluates = Callable[..., FixedEvaluator]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It is 330 m tall.", "It is 330 m tall. [7]"),
        ("It is [1] 330 m tall [2].", "It is [7] 330 m tall."),
        ("高330米【1】。", "高330米 [7]。"),
        ("高330米。", "高330米。 [7]"),
        ("[1]高330米。", "高330米。 [7]"),
        ("[1] It is tall.", "It is tall. [7]"),
        ("It is tall [1, 2].", "It is tall [7]."),
        ("```\npayroll --commit\n```\n[1]", "```\npayroll --commit\n```\n[7]"),
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


def test_a_reply_in_the_words_of_its_passage_is_no_refusal() -> None:
    said, stands = "未找到失主的物品，三个月后归公司所有。[1]", "未找到失主的物品，三个月后归公司所有。"
    assert new_text(Reply(said), 1, "", [passage(stands)]) == "未找到失主的物品，三个月后归公司所有。 [1]"
    assert new_text(Reply(said), 1, "", [passage("失物归公司所有。")]) == ""


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
