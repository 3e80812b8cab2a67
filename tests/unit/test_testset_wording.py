"""The wording of a made question: what is told from the text alone."""

import pytest

from groundgraph.evaluation.testset.attempts import Attempt
from groundgraph.evaluation.testset.wording import alike, is_copied, needs_all, stands_alone, wording_fault
from groundgraph.evaluation.testset.write import Made
from nodes.language import Language
from tests.doubles import passage

TOWER = "The Eiffel Tower, finished in 1889, is 330 metres tall and stands on the Champ de Mars in Paris."
BRIDGE = "The Golden Gate Bridge in San Francisco opened in 1937 and is 2737 metres long."
TEA = "龙井茶产于浙江省杭州市西湖一带，以清明前采摘的嫩芽为上品，一斤需要三万多个芽头。"


def single(text: str = TOWER, language: Language = "en") -> Attempt:
    return Attempt("single", (passage(text),), language, text)


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("How tall is the Eiffel Tower?", True),
        ("Why did the Roman army change its tactics?", True),
        ("How does a plant lose its leaves?", True),
        ("How tall is it?", False),
        ("Who was his father?", False),
        ("What did they find at the bottom of the sea?", False),
        ("How tall is the tower in the passage?", False),
        ("According to the text, how tall is the Eiffel Tower?", False),
        ("Which of the two texts names a bridge?", False),
        ("What is this tower called?", False),
        ("Who plays the villain in the movie?", False),
        ("Who plays the villain in the movie Jaws?", True),
        ("What is the name of the city of bridges?", True),
        ("What does the First Amendment text protect?", True),
        ("龙井茶产于哪里？", True),
        ("其他地区的茶叶有哪些品种？", True),
        ("氯化钠应该怎样保存？", True),
        ("它产于哪里？", False),
        ("他是哪一年出生的？", False),
        ("本文介绍了什么茶？", False),
        ("这种茶产于哪里？", False),
        ("该公司成立于哪一年？", False),
        ("日本文化有什么特点？", True),
    ],
)
def test_a_question_stands_alone_if_it_points_at_nothing_left_unnamed(question: str, alone: bool) -> None:
    assert stands_alone(question) is alone


@pytest.mark.parametrize(
    ("question", "text", "language", "copied"),
    [
        ("How tall is the Eiffel Tower?", TOWER, "en", False),
        ("Is 330 metres tall and stands on the Champ de Mars?", TOWER, "en", True),
        ("The Eiffel Tower, finished when?", TOWER, "en", False),
        ("龙井茶产于哪个城市？", TEA, "zh", False),
        ("龙井茶产于浙江省杭州市西湖一带吗？", TEA, "zh", True),
    ],
)
def test_a_question_is_a_copy_if_most_of_it_stands_in_the_passage_in_one_run(
    question: str, text: str, language: Language, copied: bool
) -> None:
    assert is_copied(question, text, language) is copied


@pytest.mark.parametrize(
    ("attempt", "made", "fault"),
    [
        (single(), Made("How high does the Eiffel Tower rise?", "330 metres"), None),
        (single(TEA, "zh"), Made("龙井茶的产地在哪个城市？", "杭州市"), None),
        (single(), Made("", ""), "no question in the reply"),
        (single(), Made("How high does the Eiffel Tower rise?", ""), "no question in the reply"),
        (single(), Made("What is it?", "330 metres"), "no question in the reply"),
        (single(), Made("How high does the Eiffel Tower rise, " * 10 + "?", "330 metres"), "no question in the reply"),
        (single(TEA, "zh"), Made("龙井茶以清明前采摘的嫩芽为上品。", "嫩芽"), "no question in the reply"),
        (single(), Made("What is known of the Eiffel Tower?", "tall " * 26), "answer is too long"),
        (single(), Made("埃菲尔铁塔有多高？", "330 metres"), "in another language than its passage"),
        (single(), Made("How high does it rise?", "330 metres"), "does not stand alone"),
        (single(), Made("Is 330 metres tall and stands on what?", "Champ de Mars"), "copied from its passage"),
        (single(), Made("Does the Eiffel Tower rise 330 metres?", "330 metres"), "holds its own answer"),
        (single(), Made("How high does the Eiffel Tower rise?", "324 metres"), "answer is not in its passage"),
        (single(), Made("Who paid for the Eiffel Tower?", "Napoleon"), "answer is not in its passage"),
    ],
)
def test_the_first_fault_of_a_question_is_named(attempt: Attempt, made: Made, fault: str | None) -> None:
    assert wording_fault(attempt, made) == fault


@pytest.mark.parametrize(
    ("question", "answer", "fault"),
    [
        ("Which opened earlier, the Eiffel Tower or the Golden Gate Bridge?", "The Eiffel Tower", None),
        ("How long is the Golden Gate Bridge in San Francisco?", "2737 metres", "one passage is enough"),
    ],
)
def test_a_question_of_two_passages_needs_both(question: str, answer: str, fault: str | None) -> None:
    pair = Attempt("multi", (passage(TOWER, "paris.md"), passage(BRIDGE, "bridge.md")), "en")
    assert wording_fault(pair, Made(question, answer)) == fault


def test_each_text_must_hold_a_name_a_number_or_two_other_words_of_its_own() -> None:
    assert needs_all("red apples and green pears", ["red apples", "green pears"])
    assert not needs_all("red apples and pears", ["red apples", "red pears"])
    assert needs_all("apples of 1990 and pears of 1991", ["apples 1990", "apples pears 1991"])


def test_an_unanswerable_question_is_checked_for_its_wording_only() -> None:
    attempt = Attempt("unanswerable", (passage(TOWER),), "en")
    assert wording_fault(attempt, Made("Who painted the Eiffel Tower?")) is None
    assert wording_fault(attempt, Made("Who painted the tower of the text?")) == "does not stand alone"
    assert wording_fault(attempt, Made("How tall is the Eiffel Tower?")) == "its passage leaves nothing of it out"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (("How tall is the Eiffel Tower?", "330 m"), ("How tall is the tower of Eiffel?", "330 metres"), True),
        (("How tall is the Eiffel Tower?", "330 m"), ("What height does the Eiffel Tower have?", "330 m"), True),
        (("How tall is the Eiffel Tower?", "330 m"), ("What height does the Eiffel Tower have?", "1,083 feet"), False),
        (("How tall is the Eiffel Tower?", "330 m"), ("How tall is the Tokyo Tower?", "330 m"), False),
        (("What was sold in 2019?", "Tea"), ("What was sold in 2020?", "Tea"), False),
        (("How tall is the Eiffel Tower?", ""), ("Who painted the Golden Gate Bridge?", ""), False),
    ],
)
def test_near_duplicates(one: tuple[str, str], other: tuple[str, str], same: bool) -> None:
    assert alike(Made(*one), Made(*other), "en") is same
