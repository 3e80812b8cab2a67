import json
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from groundgraph.errors import ModelError
from groundgraph.grading.head import Head, fit_head, sigmoid
from groundgraph.grading.metrics import auc, expected_calibration_error
from groundgraph.grading.weights import DEFAULT_WEIGHTS, load_weights


def test_a_fitted_head_recovers_the_probabilities_it_was_drawn_from() -> None:
    random = np.random.default_rng(0)
    rows = random.normal(size=(20_000, 2))
    truth = sigmoid(2 * rows[:, 0] - 1)
    labels = (random.random(len(rows)) < truth).astype(float)
    head = fit_head(("signal", "noise"), rows, labels, np.ones(len(rows)), ridge=1e-6)
    assert head.predict(rows) == pytest.approx(truth, abs=0.03)


def test_weights_count_as_repeats() -> None:
    rows, labels = np.array([[0.0], [1.0], [1.0]]), np.array([0.0, 1.0, 0.0])
    weighted = fit_head(("x",), rows, labels, np.array([1.0, 3.0, 1.0]))
    repeated = fit_head(("x",), rows[[0, 1, 1, 1, 2]], labels[[0, 1, 1, 1, 2]], np.ones(5))
    assert weighted.predict(rows) == pytest.approx(repeated.predict(rows))


def test_a_constant_feature_and_separable_classes_do_no_harm() -> None:
    rows = np.array([[5.0, 0.0], [5.0, 0.0], [5.0, 1.0], [5.0, 1.0]])
    scores = fit_head(("constant", "clear"), rows, np.array([0.0, 0, 1, 1]), np.ones(4)).predict(rows)
    assert (scores[:2] < 0.1).all() and (scores[2:] > 0.9).all()


def test_a_shift_moves_the_log_odds() -> None:
    head = Head(features=("x",), mean=(0,), scale=(1,), weights=(1,), bias=0)
    assert head.shifted(1.0).predict(np.array([[0.0]])) == pytest.approx(sigmoid([1.0]))


def test_a_head_must_be_whole() -> None:
    with pytest.raises(ValidationError, match="one figure a feature"):
        Head(features=("x", "y"), mean=(0,), scale=(1,), weights=(1,), bias=0)


def test_the_shipped_weights_load_and_have_their_record() -> None:
    assert load_weights().embedding_model.startswith("e5:")
    record = json.loads(DEFAULT_WEIGHTS.with_name("training_record.json").read_text(encoding="utf-8"))
    assert record["among"]["test"]["all"]["pairs"] > 0
    bias = record["heads"]["among"]["bias"]
    assert bias == pytest.approx(load_weights().among.bias, abs=1e-3), "the record is of other weights"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\x80\x04cos\nsystem\n", "Invalid JSON"),
        (b"{}", "embedding_model"),
        (b'{"version": 2}', "version"),
    ],
)
def test_broken_weights_are_named_with_the_remedy(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "evaluator.json"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=says) as error:
        load_weights(path)
    assert str(path) in str(error.value) and "train" in str(error.value)
    assert "\n" not in str(error.value)


def test_weights_for_other_features_are_refused(tmp_path: Path) -> None:
    weights = json.loads(DEFAULT_WEIGHTS.read_text(encoding="utf-8"))
    weights["alone"]["features"][0] = "moon_phase"
    path = tmp_path / "evaluator.json"
    path.write_text(json.dumps(weights), encoding="utf-8")
    with pytest.raises(ModelError, match="moon_phase"):
        load_weights(path)


def test_missing_weights(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="No such file"):
        load_weights(tmp_path / "none.json")


def test_auc_counts_ties_half() -> None:
    assert auc([0.9, 0.8, 0.1], [1, 0, 0]) == 1.0
    assert auc([0.5, 0.5], [1, 0]) == 0.5
    assert auc([0.1, 0.9], [1, 0]) == 0.0
    assert auc([0.5], [1]) is None


def test_calibration_error_is_the_mean_gap() -> None:
    assert expected_calibration_error([0.8] * 5, [1, 1, 1, 1, 0]) == pytest.approx(0.0)
    assert expected_calibration_error([1.0, 0.0], [0, 1]) == pytest.approx(1.0)
