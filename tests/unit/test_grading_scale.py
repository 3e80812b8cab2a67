"""Scores from 1 to 5, and need of retrieval, as language models write them."""

import math
from typing import Any

import pytest

from groundgraph.grading.need import need_of, need_shares
from groundgraph.grading.scale import scores_in
from groundgraph.models import TokenLogprob

ONE = {"score": ("score",)}
THREE = {"relevant": ("relevance", "相关性"), "supported": ("support", "支持度"), "utility": ("utility", "有用性")}


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("4", 4), (" 4\n", 4), ("**4**", 4), ("4.", 4), ("4/5", 4), ("**4**/5", 4), ("4 / 5", 4), ("4 out of 5", 4),
        ("4.5", 4.5), ("Score: 3", 3), ("I'd say 2.", 2), ("4 - it is good", 4), ('```json\n{"score": 4}\n```', 4),
        ("4 (on a scale of 1-5)", 4), ("On a scale of 1 to 5: 2", 2), ("４", 4), ("四分", 4), ("五分", 5), ("5分", 5),
        ("五", 5), ("我给4分", 4), ("打三分", 3), ("评分：4分（满分5分）", 4), ("五分之四", 4), ("这个回答是四分。", 4),
        ("两分", 2), ("评分：两分", 2), ("5分制，4分", 4), ("五分制，三分", 3), ("4分（5分制）", 4), ("out of 5: 4", 4),
        ("4 (out of 5)", 4),
    ],
)  # fmt: skip
def test_a_score(text: str, score: float) -> None:
    assert scores_in(text, ONE) == {"score": score}


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("Passage [1]: 5", 5), ("[2] 4", 4), ("[1]: 5", 5), ("4 [1]", 4), ("5 (see [1])", 5), ("【1】3分", 3),
        ("Score for [3]: 2/5", 2), ("Score [1]: 5", 5), ("Passage 1: 5", 5), ("Passage #2: 4", 4), ("3 of doc 2", 3),
        ("Document 12: 3", 3), ("**Passage [2]**: **4**/5", 4), ("The passage [2] fully supports: 5", 5),
        ("I rate passage 2 with 4", 4), ("1. 5", 5), ("1. 4/5", 4), ("1. **4**", 4), ("1) 4", 4), ("1: 5", 5),
        ("1、4分", 4), ("第2段：4分", 4), ("第1个段落的评分是5分", 5), ("第二段：四分", 4), ("段落1：4分", 4),
        ("段落[1]：5", 5), ("片段3：4", 4), ("文档2，评分：3", 3), ("评分：第3条，4分", 4), ("2. 3.5", 3.5),
        ("[4]", 4), ("Score: [4]", 4), ('{"score": [4]}', 4), ("Passage 4", 4),  # no other number
        ("passage: 4", 4), ("4. It says so", 4), ("Passage 4 has 330 metres", None),
    ],
)  # fmt: skip
def test_the_number_of_a_passage_or_an_item_is_no_score(text: str, score: float | None) -> None:
    assert scores_in(text, ONE) == {"score": score}


@pytest.mark.parametrize(
    "text", ["", "good", "0", "6", "10", "8/10", "80%", "-1", "330 metres", "1-5", "从一开始就错了", "[x]", "³"]
)
def test_what_is_no_score(text: str) -> None:
    assert scores_in(text, ONE) == {"score": None}


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("relevance: 4, support: 5, utility: 2", (4, 5, 2)),
        ('{"relevance": 4, "support": 5, "utility": 2}', (4, 5, 2)),
        ("1. Relevance: 4/5\n2. Support: 5/5\n3. Utility: 2/5", (4, 5, 2)),
        ("**Utility**: 2\n**Support**: 5\n**Relevance**: 4", (4, 5, 2)),
        ("相关性：4分，支持度：五分，有用性：2", (4, 5, 2)),
        ("4 5 2", (4, 5, 2)),
        ("[4, 5, 2]", (4, 5, 2)),
        ("1. 4\n2. 5\n3. 2", (4, 5, 2)),
        ("[1] 4 [2] 5 [3] 2", (4, 5, 2)),
        ("Passage [1]: relevance 4, support 5, utility 2", (4, 5, 2)),
        ("Relevance [1]: 4\nSupport [1]: 5\nUtility: 2", (4, 5, 2)),
        ("relevance of passage [1]: 4, support of passage [1]: 5, utility: 2", (4, 5, 2)),
        ("relevance: [4], support: [5], utility: [2]", (4, 5, 2)),
        ("第1段：相关性4分，支持度五分，有用性2分", (4, 5, 2)),
        ('{"relevance": null, "support": 5, "utility": 2}', (None, 5, 2)),
        ("relevance: -, support: 5", (None, 5, None)),
        ("4, 5, 2", (4, 5, 2)),
        ("support: 5", (None, 5, None)),
        ("relevance: 9, support: 5, utility: none", (None, 5, None)),
        ("4, 5", (None, None, None)),
        ("", (None, None, None)),
    ],
)
def test_several_scores(text: str, scores: tuple[float | None, ...]) -> None:
    assert scores_in(text, THREE) == dict(zip(THREE, scores, strict=True))


def token(word: str, probability: float = 1.0, **top: float) -> TokenLogprob:
    others = {name.removeprefix("_"): math.log(value) for name, value in top.items()}
    return TokenLogprob(word, math.log(probability), {word: math.log(probability)} | others)


@pytest.mark.parametrize(
    ("text", "tokens", "score"),
    [
        ("4", [token("4", 0.5, _5=0.5)], 4.5),
        ("4", [token("4", 0.5, _5=0.25, _2=0.25)], 3.75),
        ("4", [token("4", 0.5, _5=0.1, the=0.4)], (4 * 0.5 + 5 * 0.1) / 0.6),
        ("4", [token("4", 0.3, the=0.7)], 4),  # the digits are improbable there: as written
        ("Score: 2/5", [token("Score"), token(":"), token(" 2", 0.8, _4=0.2), token("/"), token("5", 0.1)], 2.4),
        ("[2] 4", [token("["), token("2", 0.5, _5=0.5), token("]"), token(" 4", 0.5, _5=0.5)], 4.5),
        ("3.5", [token("3", 0.5, _5=0.5), token("."), token("5")], 3.5),  # not a whole number: as written
        ("四分", [token("四", 0.5, _五=0.5), token("分")], 4.5),
        ("good", [token("good", 0.5, _5=0.5)], None),
    ],
)  # fmt: skip
def test_the_mean_of_the_digits_by_their_probabilities(
    text: str, tokens: list[TokenLogprob], score: float | None
) -> None:
    assert scores_in(text, ONE, tokens)["score"] == (None if score is None else pytest.approx(score))


def test_each_of_several_scores_has_its_own_place() -> None:
    words = ["relevance", ":", token(" 4", 0.5, _2=0.5), ",", " support", ":", token(" 5", 0.75, _1=0.25)]
    tokens = [word if isinstance(word, TokenLogprob) else token(word) for word in words]
    found = scores_in("relevance: 4, support: 5", THREE, tokens)
    assert found == {"relevant": pytest.approx(3), "supported": pytest.approx(4), "utility": None}


@pytest.mark.parametrize(
    ("text", "tokens", "shares"),
    [
        ("yes", None, (1, 0, 0)), ("No.", None, (0, 1, 0)), ("**continue**", None, (0, 0, 1)),
        ("继续", None, (0, 0, 1)), ("是", None, (1, 0, 0)), ('{"answer": "no"}', None, (0, 1, 0)), 
        ("perhaps", None, None), ("", None, None),
        ("yes", [token("yes", 0.5, no=0.25, continue_=0.25)], (0.5, 0.25, 0.25)),
        ("no", [token(" No", 0.6, Yes=0.2)], (0.25, 0.75, 0)),
        ("no", [token("no", 0.3, maybe=0.7)], (0, 1, 0)),  # too little for shares: as written
        ("", [token("\n"), token("yes", 0.8, no=0.2)], (0.8, 0.2, 0)),
    ],
)  # fmt: skip
def test_the_shares_of_a_need(text: str, tokens: Any, shares: tuple[float, ...] | None) -> None:
    found = need_shares(text, tokens)
    assert (found and [*found.values()]) == (None if shares is None else pytest.approx(list(shares)))


@pytest.mark.parametrize(
    ("yes", "no", "go_on", "need"),
    [(0.2, 0.8, 0, "no"), (0.21, 0.79, 0, "yes"), (0.1, 0.79, 0.11, "continue"), (0.5, 0, 0.5, "yes")],
)
def test_retrieval_starts_above_its_threshold(yes: float, no: float, go_on: float, need: str) -> None:
    assert need_of({"yes": yes, "no": no, "continue": go_on}, 0.2) == need
