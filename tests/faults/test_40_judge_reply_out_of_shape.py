"""A judge says what it means, but not in the shape it was asked for, or is cut off.

Elsewhere a reply that is no bare number, or no whole JSON, is a crash, or worse a zero in the mean. Here a fenced 4.5
is 4.5, "I'd say 3.0" is 3.0, and of three whole verdicts and a cut one three count and one is missing.
"""

import pytest

from groundgraph.evaluation.judge import read_verdicts
from groundgraph.evaluation.metrics.grounding import share
from groundgraph.evaluation.rating import parse_rating


@pytest.mark.parametrize(
    ("reply", "rating"),
    [
        ("```\n4.5\n```", 4.5),
        ("I'd say 3.0", 3.0),
        ('```json\n{"rating": 4}\n```', 4.0),
        ("4/5", 4.0),
        ("On a scale of 1 to 5, this is a 2.", 2.0),
        ("我给4分（满分5分）", 4.0),
        ("It names 1998, so 5.", 5.0),
        ("Score: 4", 4.0),
        ("Rating: **4.5** out of 5", 4.5),
        ("**4**", 4.0),
        ("4 - the answer agrees with 2 of the references.", 4.0),
        ("I would rate the answer a 3.", 3.0),
        ("The answer names 1 of 2 places.\n\n2", 2.0),
        ("评分：4", 4.0),
        ("There is 1 reference answer, but I cannot rate it.", None),
        ("I cannot rate it: 1 reference is missing.", None),
        ("Reference 1 is not in the answer.", None),
        ("1. The answer is off the point.", None),
        ("The answer gives 2 facts that are wrong.", None),
        ("答案只有1处正确。", None),
        ("3 or 4", None),
        ("Score: 4. No, score: 2.", None),
        ("Between 3 and 4.", None),
        ("7", None),
        ("-3", None),
        ("good", None),
        ("", None),
    ],
)
def test_a_rating_is_read_from_what_is_said(reply: str, rating: float | None) -> None:
    assert parse_rating(reply) == rating


CUT = """{"verdicts": [{"claim": 1, "supported": "yes"}, {"claim": 2, "supported": "no"},
{"claim": 3, "supported": "yes"}, {"claim": 4, "suppor"""


def test_of_three_whole_verdicts_and_a_cut_one_three_count() -> None:
    verdicts = read_verdicts(CUT, 4)
    assert verdicts == [True, False, True, None]
    assert share(verdicts) == 2 / 3


@pytest.mark.parametrize(
    ("reply", "verdicts"),
    [
        ('```json\n[{"claim": 2, "supported": true}, {"claim": 1, "supported": "No."}]\n```', [False, True]),
        ('{"claim": 1, "supported": "是"} {"claim": 2, "supported": "不是"}', [True, False]),
        ('{"claim": 1, "supported": "yes"}, {"claim": 1, "supported": "no"}', [None, None]),  # contradicts itself
        ('{"claim": 3, "supported": "yes"}, {"claim": 1, "supported": "perhaps"}', [None, None]),
        ("I cannot tell.", [None, None]),
    ],
)
def test_verdicts_are_found_among_anything(reply: str, verdicts: list[bool | None]) -> None:
    assert read_verdicts(reply, 2) == verdicts


@pytest.mark.parametrize(("reply", "verdict"), [("Yes, it is.", True), ("```\nno\n```", False), ("0.4", None)])
def test_a_lone_verdict_may_be_a_word(reply: str, verdict: bool | None) -> None:
    assert read_verdicts(reply, 1) == [verdict]
