import numpy as np
import pytest

from groundgraph.grading.features import among_features, lexical_features, pair_features, sentence_coverage
from groundgraph.grading.sentence_features import SENTENCE_FEATURES, sentence_features
from tests.doubles import passage


def test_terms_must_stand_in_one_sentence() -> None:
    assert sentence_coverage(frozenset(["red", "plum"]), passage("A red plum. A pear.")) == 1.0
    assert sentence_coverage(frozenset(["red", "plum"]), passage("A red pear. A plum.")) == 0.5
    assert sentence_coverage(frozenset(["red", "plum"]), passage("A pear.")) == 0.0
    assert sentence_coverage(frozenset(), passage("A pear.")) == 0.0
    assert sentence_coverage(frozenset(["red"]), passage(" ")) == 0.0


def test_the_heading_counts_for_every_sentence() -> None:
    apples = passage("Some are red. Some are sweet.", heading="Apples")
    assert sentence_coverage(frozenset(["red", "appl", "sweet"]), apples) == pytest.approx(2 / 3)


def test_across_languages_only_names_and_numbers_meet() -> None:
    kafka = passage("Kafka 2.4 was released in 2020.")
    assert lexical_features("卡夫卡2020年的版本是Kafka几？", kafka) == (0.0, 0.5, 1.0)
    assert lexical_features("Which version is it?", passage("版本是多少")) == (0.0, 0.0, 1.0)


def test_pair_features_hold_the_cosine_first() -> None:
    fruit = [passage("red apple"), passage("pear")]
    rows = pair_features("red apple", np.array([1, 0], np.float32), fruit, np.eye(2, dtype=np.float32))
    assert rows.tolist() == [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]


def test_margins_are_to_the_other_texts() -> None:
    pairs = np.array([[0.9, 1.0, 0, 0], [0.8, 0.5, 0, 0], [0.6, 0.7, 0, 0]])
    stands = among_features(pairs, ["lead", "second", "third"])[:, 4:]
    assert stands == pytest.approx(np.array([[0.1, 0.3, 1.0], [-0.1, -0.5, 0.5], [-0.3, -0.3, 0.0]]))
    copied = among_features(pairs[[0, 1, 2, 0]], ["lead", "second", "third", "lead"])[:, 4:]
    assert copied == pytest.approx(stands[[0, 1, 2, 0]]), "a copy is not another text"


def test_only_copies_means_no_margin() -> None:
    assert among_features(np.ones((2, 4)), ["same", "same"])[:, 4:].tolist() == [[0.0] * 3] * 2


def test_sentence_features_of_one_and_of_several_sentences() -> None:
    vectors = np.eye(3, dtype=np.float32)
    parts = ["The tower opened in 1889.", "It is made of iron.", "埃菲尔铁塔很高。"]
    rows = sentence_features("When did the tower open?", vectors[0], parts, vectors, "Tower")
    assert rows.shape == (3, len(SENTENCE_FEATURES))
    named = [dict(zip(SENTENCE_FEATURES, row, strict=True)) for row in rows.tolist()]
    assert named[0]["answer_type"] == 1.0 and named[1]["answer_type"] == -1.0
    assert named[0]["cosine_to_best"] == 0.0 and named[1]["cosine_to_best"] == -1.0
    assert named[1]["before"] == 0.0, "its neighbour is the best sentence"
    assert sentence_features("q", vectors[0], parts[:1], vectors[:1]).shape == (1, len(SENTENCE_FEATURES))
