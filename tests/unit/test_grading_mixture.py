import gzip
import json
from pathlib import Path

import pytest

from groundgraph.errors import InputError
from groundgraph.grading.dataset import Corpus, Dataset, Question, Split, load_dataset
from groundgraph.grading.mixture import merged, sampled
from groundgraph.grading.validate import question_groups
from tests.doubles import passage

TOWNS = Corpus("towns", "en")


def towns(*texts: str, split: Split = "train") -> Dataset:
    """Return a question about each text, which answers it."""
    passages = {f"p{n}": passage(text) for n, text in enumerate(texts)}
    questions = (
        Question(f"q{n}", TOWNS, split, f"What of {text}", (), True, {f"p{n}": 2}, group=f"{split}{n}")
        for n, text in enumerate(texts)
    )
    return Dataset((), passages, {TOWNS: tuple(passages)}, tuple(questions))


def test_sources_of_one_name_are_searched_apart() -> None:
    mixed = merged([towns("Arden.", split="val"), towns("Brill.", "Corby.")])
    assert mixed.corpora == {TOWNS: ("p0",), TOWNS._replace(part=1): ("1:p0", "1:p1")}
    assert {question.source for question in mixed.questions} == {"towns"}
    for question in mixed.questions:
        (name,) = question.relevant
        assert name in mixed.corpora[question.corpus]
        assert mixed.passages[name].page_content == question.text.removeprefix("What of ")


def test_questions_about_the_same_text_are_never_divided() -> None:
    mixed = merged([towns("Arden.", split="test"), towns("Brill.", "Arden.")])
    assert len(mixed.passages) == 2 and mixed.corpora[TOWNS._replace(part=1)] == ("1:p0", "p0")
    groups = question_groups(mixed.questions)
    assert groups["q0"] == groups["1:q1"] != groups["1:q0"]


def test_one_data_set_stays_as_it_is() -> None:
    alone = towns("Arden.", "Brill.", "Arden.")
    assert merged([alone]) == alone


def test_a_sample_cuts_only_what_is_not_measured() -> None:
    learned = towns(*(f"Town {n}." for n in range(9)))
    cut = sampled(learned, 3)
    assert len(cut.questions) == len(cut.passages) == len(cut.corpora[TOWNS]) == 3
    assert sampled(learned, 2).questions == cut.questions[:2], "a smaller sample is a part of a larger one"
    measured = towns("Arden.", "Brill.", split="val")
    assert sampled(measured, 1) == measured


def test_gzipped_folders_read_like_others(tmp_path: Path) -> None:
    corpus = {"pid": "a", "src": "towns", "lang": "en", "title": "Arden", "text": "Arden lies by a river."}
    query = {"qid": "q", "src": "towns", "lang": "en", "split": "train", "question": "Where?", "answers": []}
    query |= {"answerable": True, "rel": {"a": 2}}
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    for folder in (plain, packed):
        folder.mkdir()
    for name, row in (("corpus.jsonl", corpus), ("queries.jsonl", query)):
        line = json.dumps(row).encode()
        (plain / name).write_bytes(line)
        (packed / f"{name}.gz").write_bytes(gzip.compress(line))
    assert load_dataset(packed).questions == load_dataset(plain).questions
    assert load_dataset(packed).passages == load_dataset(plain).passages

    (packed / "corpus.jsonl.gz").write_bytes(b"no gzip")
    with pytest.raises(InputError, match=r"corpus\.jsonl\.gz': it is broken"):
        load_dataset(packed)
