"""How sure a model says it is of a sentence, however it says it."""

import pytest

from groundgraph.grading.stated import stated

SENTENCE = "The tower was built by Perret in 1800."
QUESTION = "Who built the tower?"


@pytest.mark.parametrize(
    ("said", "confidence"),
    [
        ("80%", 0.8),
        ("80 %; Perret", 0.8),
        ("80", 0.8),
        ("**80**", 0.8),
        ("0.8", 0.8),
        ("1.0", 1.0),
        ("1", 0.01),  # a percentage was asked for
        ("0%", 0.0),
        ("100%", 1.0),
        ("8/10", 0.8),
        ("3 out of 4", 0.75),
        ("7 out of 10, the date", 0.7),
        ("I am not 100% sure", 0.5),
        ("4 out of 5", 0.8),
        ("80/100", 0.8),
        ("80-90%", 0.85),
        ("between 80% and 90 percent", 0.85),
        ("I am about 75 percent sure.", 0.75),
        ("The chance is 30.", 0.3),
        ('```json\n{"confidence": 0.65, "words": []}\n```', 0.65),
        ("８０％；", 0.8),
        ("百分之八十五", 0.85),
        ("百分之十", 0.1),
        ("百分之百", 1.0),
        ("百分之90", 0.9),
        ("八成", 0.8),
        ("大约七成半", 0.75),
        ("9成", 0.9),
        ("可能性：60", 0.6),
        ("Very likely.", 0.9),
        ("Almost certain", 0.95),
        ("likely", 0.7),
        ("I am not sure.", 0.5),
        *(
            (doubt, 0.5)
            for doubt in ("I can't be sure.", "I cannot be certain", "not at all sure", "not completely sure")
        ),
        *((doubt, 0.5) for doubt in ("I am not confident", "I am not very confident", "I can’t be certain.")),
        *((doubt, 0.5) for doubt in ("无法确定", "难以确定", "不敢肯定", "不是很有把握", "无法肯定")),
        ("unlikely", 0.2),
        ("Highly unlikely, I would say.", 0.05),
        ("很可能", 0.9),
        ("不太可能", 0.2),
        ("可能性很低", 0.2),
        ("不确定", 0.5),
        ("几乎肯定", 0.95),
        ("Built in 1800, very likely.", 0.9),  # 1800 is no percentage
        ("150%", None),
        ("Yes.", None),
        ("banana", None),
        ("", None),
    ],
)
def test_confidence(said: str, confidence: float | None) -> None:
    found = stated(said, SENTENCE, QUESTION)
    assert (found and found.confidence) == (confidence if confidence is None else pytest.approx(confidence))


RENT = "The deposit is 900 euros, paid back within 6 months; the rent rises by 3.5 percent."
RISE = "押金九百欧元，租金上涨百分之三点五。"


@pytest.mark.parametrize(
    ("sentence", "said", "confidence"),
    [
        (RENT, "rent is 3.5 percent; I'd say 90%", 0.9),
        (RENT, "I'd say 90%, since the rent rises by 3.5 percent", 0.9),
        (RENT, "I am 90% sure that the rent rises by 3.5 percent", 0.9),
        (RENT, "The likelihood that the rent rises by 3.5 percent is 90%", 0.9),
        (RENT, "The rent rises by 3.5 percent. Confidence: 85", 0.85),
        (RENT, "The rent rises by 3.5 percent, very likely.", 0.9),
        (RENT, "The passage says 2.5 percent, so I would say 20%.", 0.2),
        (RENT, "Some say 2 percent, others 60%", 0.6),  # the last one
        (RENT, "3.5%; 90%", 0.9),
        (RENT, "30%; 3.5 percent", 0.3),  # the form that is asked for: the words doubted come after
        (RENT, "20%; it is 2.5 percent there", 0.2),
        (RENT, "3.5%", 0.035),
        (RENT, "I'd say 3.5%", 0.035),
        (RENT, "It says 3.5 percent.", None),
        (RISE, "租金上涨3.5%；我认为90%", 0.9),
        (RISE, "租金上涨百分之三点五，我有九成把握", 0.9),
        (RISE, "属实的可能性为90%，租金上涨百分之三点五", 0.9),
        (RISE, "租金上涨百分之三点五，很可能", 0.9),
        (RISE, "原文说是2%，所以大概20%", 0.2),
        (RISE, "百分之二十；百分之三点五", 0.2),
    ],
)
def test_a_share_that_the_sentence_states_is_not_the_confidence(
    sentence: str, said: str, confidence: float | None
) -> None:
    found = stated(said, sentence, "deposit?")
    assert (found and found.confidence) == (confidence if confidence is None else pytest.approx(confidence))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("30%; Perret", {"Perret": 0.3, "1800": 1.0}),
        ("30%; 1800, Perret", {"Perret": 0.3, "1800": 0.3}),
        ("I doubt the year 1800: 30%", {"Perret": 1.0, "1800": 0.3}),
        ("30%", {"Perret": 0.3, "1800": 0.3}),
        ("30%; Sauvestre", {"Perret": 0.3, "1800": 0.3}),  # no word of the sentence
    ],
)
def test_words_that_are_doubted(said: str, words: dict[str, float]) -> None:
    """Those of the question (tower, built) say nothing and are left out."""
    found = stated(said, SENTENCE, QUESTION)
    assert found is not None
    assert {SENTENCE[token["start"] : token["end"]]: token["confidence"] for token in found.tokens} == words


def test_words_that_are_doubted_in_chinese() -> None:
    sentence = "铁塔位于伦敦。"
    found = stated("百分之二十；伦敦", sentence, "铁塔在哪里？")
    assert found is not None
    assert [sentence[one["start"] : one["end"]] for one in found.tokens if one["confidence"] < 1] == ["伦", "敦"]
