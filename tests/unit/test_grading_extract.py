import pytest

from groundgraph.grading.extract import Quote, extractive_answer
from tests.doubles import FixedEvaluator, passage

TOWER = passage("The tower is tall. It is 330 metres high. It is painted brown.")
CATS = passage("Cats purr. Dogs bark.")
HEIGHT = passage("People ask often. The height is 330 m today.")


def test_the_best_sentences_are_quoted_verbatim_with_their_passage() -> None:
    evaluator = FixedEvaluator({"tower": 0.9}, {"330": 0.9, "tall": 0.2, "brown": 0.1})
    assert extractive_answer("How high?", [CATS, TOWER], evaluator) == [
        Quote("The tower is tall. It is 330 metres high.", 2)
    ]


def test_sentences_that_score_close_to_the_best_follow_in_the_order_of_the_passages() -> None:
    evaluator = FixedEvaluator({"tower": 0.8, "ask": 0.85}, {"330": 0.9, "tall": 0.2, "brown": 0.1, "ask": 0.1})
    quotes = extractive_answer("How high?", [TOWER, HEIGHT], evaluator)
    assert quotes == [Quote("The tower is tall. It is 330 metres high.", 1), Quote("The height is 330 m today.", 2)]


def test_at_most_three_and_no_sentence_twice() -> None:
    evaluator = FixedEvaluator({"tower": 0.9}, {})
    four = passage("A tower. B tower. C tower. D tower.")
    assert len(extractive_answer("?", [four, four], evaluator)) == 3
    assert extractive_answer("?", [TOWER, TOWER], evaluator) == extractive_answer("?", [TOWER], evaluator)


HEADER = "| Office | Opening |\n| --- | --- |"
OFFICES = passage(f"Hours.\n\n{HEADER}\n| Bern | 08:00 |\n| Basel | 09:00 |\n| Chur | 10:00 |\n\nThe end.")


@pytest.mark.parametrize(
    ("scores", "quoted"),
    [
        ({"Basel": 0.9}, [f"{HEADER}\n| Basel | 09:00 |"]),
        ({"Basel": 0.9, "Chur": 0.9}, [f"{HEADER}\n| Basel | 09:00 |", "| Chur | 10:00 |"]),
        ({"Bern": 0.1, "Basel": 0.1, "Chur": 0.1, "Opening": 0.9, "end": 0.8}, ["The end."]),
    ],
)
def test_a_row_is_quoted_below_its_header_and_a_header_never_alone(scores: dict[str, float], quoted: list[str]) -> None:
    evaluator = FixedEvaluator({"Office": 0.9}, {**scores, "": 0.2})
    assert [quote.text for quote in extractive_answer("When?", [OFFICES], evaluator)] == quoted


def test_a_row_is_graded_with_its_header() -> None:
    """By itself `| Basel | 09:00 |` does not say what opens at nine."""
    evaluator = FixedEvaluator({"Office": 0.9}, {f"{HEADER}\n| Basel": 0.9, "": 0.1})
    assert [quote.text for quote in extractive_answer("When?", [OFFICES], evaluator)] == [
        f"{HEADER}\n| Basel | 09:00 |"
    ]


def test_nothing_relevant_is_an_empty_answer() -> None:
    assert extractive_answer("How high?", [CATS], FixedEvaluator({"Cats": 0.5})) == []
    assert extractive_answer("How high?", [], FixedEvaluator({})) == []


def test_graded_passages_are_not_graded_again() -> None:
    graded = TOWER.model_copy(update={"score": 0.9})
    assert extractive_answer("How high?", [graded], FixedEvaluator({}, {"330": 0.9, "": 0.1}))
