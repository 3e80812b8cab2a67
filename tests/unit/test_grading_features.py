import numpy as np
import pytest

from groundgraph.grading.features import among_features, lexical_features, pair_features, window_coverage
from groundgraph.grading.sentence_features import SENTENCE_FEATURES, sentence_features


def test_terms_must_stand_close_together() -> None:
    assert window_coverage(frozenset(["a", "b"]), ["a", "x", "b"]) == 1.0
    assert window_coverage(frozenset(["a", "b"]), ["a", *["x"] * 50, "b"]) == 0.5
    assert window_coverage(frozenset(["a", "b"]), []) == 0.0
    assert window_coverage(frozenset(), ["a"]) == 0.0


def test_repeats_do_not_hide_a_term() -> None:
    assert window_coverage(frozenset(["a", "b"]), [*["a"] * 39, "b"], size=40) == 1.0


def test_across_languages_only_names_and_numbers_meet() -> None:
    assert lexical_features("卡夫卡2020年的版本是Kafka几？", "Kafka 2.4 was released in 2020.") == (0.0, 0.5, 1.0)
    assert lexical_features("Which version is it?", "版本是多少") == (0.0, 0.0, 1.0)


def test_pair_features_hold_the_cosine_first() -> None:
    rows = pair_features("red apple", np.array([1, 0], np.float32), ["red apple", "pear"], np.eye(2, dtype=np.float32))
    assert rows.tolist() == [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]


def test_margins_are_to_the_best_other_text() -> None:
    pairs = np.array([[0.9, 1.0, 0, 0], [0.8, 0.5, 0, 0], [0.9, 1.0, 0, 0]])
    margins = among_features(pairs, ["lead", "other", "lead"])[:, 4:]
    assert margins == pytest.approx(np.array([[0.1, 0.5], [-0.1, -0.5], [0.1, 0.5]]))


def test_only_copies_means_no_margin() -> None:
    assert among_features(np.ones((2, 4)), ["same", "same"])[:, 4:].tolist() == [[0.0, 0.0], [0.0, 0.0]]


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
