import json
from pathlib import Path
from typing import Any

import pytest

from groundgraph.errors import InputError
from groundgraph.grading import train as module
from groundgraph.grading.candidates import CandidateMaker
from groundgraph.grading.compare_weights import losses
from groundgraph.grading.dataset import load_dataset
from groundgraph.grading.fit_sentences import holds_answer
from groundgraph.grading.train import train
from groundgraph.grading.vector_store import VectorStore
from groundgraph.grading.weights import load_weights
from tests.embedder import BagEmbedder

TOWNS = [
    "Arden",
    "Brill",
    "Corby",
    "Dover",
    "Epsom",
    "Frome",
    "Goole",
    "Hythe",
    "Ilkley",
    "Jarrow",
    "Keswick",
    "Ludlow",
]


def rows(source: str, thing: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    corpus, queries = [], []
    for n, town in enumerate(TOWNS):
        text = f"{town} lies by a river. The {thing} of {town} was built in {1800 + n}. People like it."
        corpus.append({"pid": f"{source}-{n}", "src": source, "lang": "en", "title": town, "text": text})
        other = f"{source}-{(n + 1) % len(TOWNS)}"
        queries.append(
            {
                "qid": f"{source}:{n}",
                "src": source,
                "lang": "en",
                "split": ("train", "val", "test")[n % 3],
                "question": f"When was the {thing} of {town} built?",
                "answers": [str(1800 + n)],
                "answerable": True,
                "rel": {f"{source}-{n}": 2, other: 0, f"{source}-{(n + 2) % len(TOWNS)}": 1},
            }
        )
    return corpus, queries


@pytest.fixture
def data(tmp_path: Path) -> Path:
    pairs = [rows("roads", "bridge"), rows("towns", "church")]
    for name, place in (("corpus.jsonl", 0), ("queries.jsonl", 1)):
        lines = [json.dumps(row) for pair in pairs for row in pair[place]]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_training_writes_weights_that_load_and_a_record(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bag = BagEmbedder(64)
    monkeypatch.setattr(module, "embedding_model", lambda name: bag)
    out = data / "evaluator.json"
    train([data], out)
    assert load_weights(out).among.features[0] == "cosine"
    record = json.loads((data / "training_record.json").read_text(encoding="utf-8"))
    figures = record["among"]["test"]
    assert set(figures) == {"roads", "towns", "all"}
    assert figures["all"]["pairs"] == 8 * 5 and figures["all"]["auc"] > 0.9
    assert record["refinement"]["test"]["all"]["passages"] == 8
    assert record["cross_validation"]["roads"]["auc"] > 0.9
    assert record["unseen_source"]["towns"]["pairs"] == 12 * 5
    assert sum(record["tiers"]["relevant"].values()) == 8

    embedded = len(bag.embedded)
    train([data], out)
    assert len(bag.embedded) == embedded, "vectors are cached between runs"
    assert json.loads((data / "training_record.json").read_text(encoding="utf-8")) == record, "training is repeatable"


def test_weights_in_use_are_measured_on_the_same_test_questions(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "embedding_model", lambda name: BagEmbedder(64))
    out = data / "mine.json"
    train([data], out)
    learned = load_weights(out)
    record = train([data], out, used=learned)
    assert record["in_use"]["figures"] == record["among"]["test"]
    assert record["in_use"]["gains"] == {"auc": (0.0, 0.0), "right_decisions": (0.0, 0.0)}
    refuses = learned.model_copy(update={"among": learned.among.shifted(-99)})
    gains = train([data], out, used=refuses)["in_use"]["gains"]
    assert gains["right_decisions"][0] > 0 and not losses(gains), "it refuses where it should answer"
    assert losses({"auc": (-0.2, 0.1), "right_decisions": (-0.3, -0.1)}) == ["right_decisions"]


@pytest.fixture
def more(tmp_path: Path) -> Path:
    """Write a folder with training questions of a third source."""
    folder = tmp_path / "more"
    folder.mkdir()
    corpus, queries = rows("parks", "gate")
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, corpus)), encoding="utf-8")
    learned = "\n".join(json.dumps(row | {"split": "train"}) for row in queries)
    (folder / "queries.jsonl").write_text(learned, encoding="utf-8")
    return folder


def test_more_data_is_learned_from_and_measured_by_a_head_that_has_not_seen_it(
    data: Path, more: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bag = BagEmbedder(64)
    monkeypatch.setattr(module, "embedding_model", lambda name: bag)
    record = train([data, more], data / "evaluator.json", sample=5)
    assert record["command"] == "groundgraph evaluator train DATA DATA --sample 5"
    assert record["questions"] == {"train": 8 + 5, "val": 8, "test": 8, "unseen": 0}
    assert set(record["among"]["test"]) == {"roads", "towns", "all"}, "what is only learned from is not measured"
    assert record["unseen_source"].keys() == record["cross_validation"].keys() == {"parks", "roads", "towns"}
    assert not any(text.startswith("The gate of") for text in bag.embedded), "its sentences are not learned from"


def test_nothing_is_learned_from_unseen_data(data: Path, more: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "embedding_model", lambda name: BagEmbedder(64))
    alone, mixed = data / "alone.json", data / "mixed.json"
    train([data], alone)
    record = train([data], mixed, others=[more])
    assert mixed.read_text(encoding="utf-8") == alone.read_text(encoding="utf-8")
    assert record["command"] == "groundgraph evaluator train DATA --unseen DATA"
    assert record["questions"]["unseen"] == 12 and record["unseen_source"]["parks"]["pairs"] == 12 * 5
    assert record["cross_validation"].keys() == {"roads", "towns"}


def test_candidate_sets(data: Path, tmp_path: Path) -> None:
    dataset = load_dataset(data)
    store = VectorStore(tmp_path / "vectors.npz", BagEmbedder(64))
    passages = store.passages((passage.context for passage in dataset.passages.values()), "passages")
    questions = store.questions((question.text for question in dataset.questions), "questions")
    found = CandidateMaker(dataset, passages, questions).make("test")
    by_kind = {candidates.kind: candidates for candidates in found[:4]}
    assert set(by_kind) == {"retrieved", "withheld", "graded", "foreign"}
    relevant = found[0].question.relevant
    assert relevant <= set(by_kind["retrieved"].ids) and not relevant & set(by_kind["withheld"].ids)
    assert not any(by_kind["foreign"].labels)
    assert all(name.startswith("towns") for name in by_kind["foreign"].ids)


def test_questions_of_one_source_have_random_passages_that_they_do_not_grade(tmp_path: Path) -> None:
    """There is no other source to ask; the easy negatives are drawn, always alike."""
    for name, part in zip(("corpus.jsonl", "queries.jsonl"), rows("roads", "bridge"), strict=True):
        (tmp_path / name).write_text("\n".join(map(json.dumps, part)), encoding="utf-8")
    dataset = load_dataset(tmp_path)
    store = VectorStore(tmp_path / "vectors.npz", BagEmbedder(64))
    passages = store.passages((passage.context for passage in dataset.passages.values()), "passages")
    questions = store.questions((question.text for question in dataset.questions), "questions")
    maker = CandidateMaker(dataset, passages, questions)
    drawn = [found for found in maker.make("train") if found.kind == "foreign"]
    assert len(drawn) == 4 and len({found.ids for found in drawn}) > 1
    for found in drawn:
        assert len(set(found.ids)) == 5 and not found.question.grades.keys() & set(found.ids)
        assert found.labels == (False,) * 5
    assert drawn == [found for found in maker.make("train") if found.kind == "foreign"]


def test_data_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"corpus\.jsonl"):
        load_dataset(tmp_path)
    (tmp_path / "corpus.jsonl").write_text('{"pid": "a"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"line 1: fields \['src', 'lang', 'title', 'text'\] are missing"):
        load_dataset(tmp_path)
    (tmp_path / "corpus.jsonl").write_text("{broken\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 1: not a JSON object"):
        load_dataset(tmp_path)


def test_data_of_one_source_or_without_a_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "embedding_model", lambda name: BagEmbedder(64))
    corpus, queries = rows("roads", "bridge")
    out = tmp_path / "evaluator.json"
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, corpus)), encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), encoding="utf-8")
    train([tmp_path], out)
    trained = [row for row in queries if row["split"] != "val"]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, trained)), encoding="utf-8")
    with pytest.raises(InputError, match="no 'val' question has a relevant passage"):
        train([tmp_path], out)


def test_no_folder_to_write_to_is_noticed_before_training(data: Path) -> None:
    with pytest.raises(InputError, match="the folder does not exist"):
        train([data], data / "none" / "evaluator.json")


def test_holds_answer() -> None:
    assert holds_answer("It is 1,000 metres long.", ["1000"])
    assert not holds_answer("It is long.", ["1000"])
    long = "The river rises in the northern hills and flows for two hundred miles to the sea."
    assert holds_answer("The river rises in the northern hills.", [long])
    assert not holds_answer("The museum shows paintings of the hills.", [long])
