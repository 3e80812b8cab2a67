"""Questions to evaluate on: what may stand in a file, and how a bad row is named."""

import json
from collections import Counter
from pathlib import Path

import pytest

from groundgraph.errors import InputError
from groundgraph.evaluation.questions import load_questions


def jsonl(folder: Path, *rows: object) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), "utf-8")
    return path


def csv(folder: Path, text: str) -> Path:
    path = folder / "questions.csv"
    path.write_text(text, "utf-8")
    return path


def test_only_the_question_is_required(tmp_path: Path) -> None:
    questions = load_questions(jsonl(tmp_path, {"question": "Who?"}, "", {"question": "谁写了这本书？"}))
    first, second = questions.items
    assert (first.id, first.language, first.answers, first.answerable, first.rel) == ("1", "en", [], None, None)
    assert (second.id, second.language) == ("3", "zh")
    assert (questions.record.file, questions.record.count) == ("questions.jsonl", 2)
    assert len(questions.record.sha256) == 64


def test_all_that_is_known_of_a_question_is_read(tmp_path: Path) -> None:
    known = {"qid": "q7", "src": "wiki", "lang": "en", "split": "test", "answers": ["1998", "'98"], "answerable": True}
    row = {**known, "question": "When?", "rel": {"p1": 2, "p2": 1, "p3": None}, "history": ["Who won?", "France."]}
    (question,) = load_questions(jsonl(tmp_path, row)).items
    assert (question.id, question.source, question.split) == ("q7", "wiki", "test")
    assert question.answers == ["1998", "'98"] and question.answerable is True
    assert question.rel == {"p1": 2, "p2": 1, "p3": None}
    assert [(turn.role, turn.content) for turn in question.history] == [("user", "Who won?"), ("assistant", "France.")]


def test_what_has_a_right_answer_is_answerable_unless_the_file_says_otherwise(tmp_path: Path) -> None:
    known = [{"answers": ["1998"]}, {"answer": "1998", "answerable": False}, {"answers": [" "]}]
    path = jsonl(tmp_path, *({"question": f"When was it, asked {n} times?"} | one for n, one in enumerate(known)))
    assert [question.answerable for question in load_questions(path).items] == [True, False, None]


def test_short_forms(tmp_path: Path) -> None:
    """One answer as text, a number as an answer, relevant sources as a list, an id under its other name."""
    row = {"id": 7, "question": "How many?", "answer": 308, "rel": ["notes/sea.md"]}
    (question,) = load_questions(jsonl(tmp_path, row)).items
    assert (question.id, question.answers, question.rel) == ("7", ["308"], {"notes/sea.md": 2.0})


def test_blank_answers_are_none(tmp_path: Path) -> None:
    rows = [{"question": "Who?", "answers": ["", " "]}, {"question": "Why?", "answers": ["", "Anna"]}]
    assert [q.answers for q in load_questions(jsonl(tmp_path, *rows)).items] == [[], ["Anna"]]


def test_a_line_ends_at_a_line_feed_alone(tmp_path: Path) -> None:
    rows = [json.dumps({"question": f"Who{mark}is it?"}, ensure_ascii=False) for mark in "\u2028\x85\u2029"]
    questions = load_questions(jsonl(tmp_path, *rows)).items
    assert [q.line for q in questions] == [1, 2, 3] and "\u2028" in questions[0].question


def test_columns_that_look_misspelt_are_named_once(tmp_path: Path) -> None:
    rows = [{"question": "Who?", "anwsers": ["Anna"], "hops": 1}, {"question": "Why?", "anwsers": [], "sources": "a"}]
    assert load_questions(jsonl(tmp_path, *rows)).warnings == (
        "questions 'questions.jsonl': columns that are not read: 'anwsers' (is it answers?), 'sources' (is it source?)",
    )


def test_where_no_grade_exceeds_1_a_1_says_that_the_passage_answers(tmp_path: Path) -> None:
    rows = [{"question": "a?", "rel": {"p1": 1, "p2": 0}}, {"question": "b?"}]
    assert load_questions(jsonl(tmp_path, *rows)).items[0].rel == {"p1": 2, "p2": 0}
    rows[1]["rel"] = {"p3": 2}
    assert load_questions(jsonl(tmp_path, *rows)).items[0].rel == {"p1": 1, "p2": 0}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_has_the_same_columns(tmp_path: Path, delimiter: str) -> None:
    header = delimiter.join(("id", "question", "answers", "answerable", "rel"))
    first = delimiter.join(("a", "Who?", '"[""Anna"", ""Bob""]"', "true", "notes.md"))
    second = delimiter.join(("b", "Why?", "", "false", ""))
    one, two = load_questions(csv(tmp_path, f"{header}\n{first}\n{second}\n")).items
    assert (one.answers, one.answerable, one.rel) == (["Anna", "Bob"], True, {"notes.md": 2.0})
    assert (two.answers, two.answerable, two.rel) == ([], False, None)


def test_csv_of_one_column(tmp_path: Path) -> None:
    assert [q.question for q in load_questions(csv(tmp_path, "question\nWho?\n谁？\n")).items] == ["Who?", "谁？"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (['{"question": '], r"line 1: not JSON"),
        (["[1]"], r"line 1: \[1\] is no JSON object"),
        ([{"question": "Who?"}, {"id": "x"}], r"line 2: question=\{'id': 'x'\}: Field required"),
        ([{"question": " ? "}], r"line 1: question=' \? ': String should match"),
        ([{"question": "Who?", "answerable": "perhaps"}], r"line 1: answerable='perhaps'"),
        ([{"question": "Who?", "rel": {"p": "high"}}], r"line 1: rel\.p='high'"),
        (['{"question": "Who?", "rel": {"p": NaN}}'], r"line 1: rel\.p=nan: Input should be a finite number"),
        (['{"question": "Who?"}', '{"question": "Why?", "rel": {"p": Infinity}}'], r"line 2: rel\.p=inf"),
        ([{"id": "a", "question": "Who?"}, {"id": "a", "question": "Why?"}], r"lines 1 and 2 have the same id 'a'"),
        ([{"question": "Who?", "split": "train"}], r"split='test': there are only \['train'\]"),
        ([{"question": "Who?"}], r"split='test': no question has one"),
        ([], r"there are none; give one a line"),
    ],
)
def test_a_bad_row_is_named_by_its_line(tmp_path: Path, rows: list[object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_questions(jsonl(tmp_path, *rows), split="test" if "split" in message else None)


def test_splits_and_sources_are_chosen_by_name(tmp_path: Path) -> None:
    rows = [{"id": f"{src}-{split}", "question": "Who?", "src": src, "split": split}
            for src in ("a", "b", "c") for split in ("train", "val", "test")]  # fmt: skip
    path = jsonl(tmp_path, *rows)
    chosen = load_questions(path, split="val, test", source="a,c").items
    assert [q.id for q in chosen] == ["a-val", "a-test", "c-val", "c-test"]
    with pytest.raises(InputError, match=r"source='a,d': there are only \['a', 'b', 'c'\]"):
        load_questions(path, source="a,d")
    with pytest.raises(InputError, match=r"none has both split='val' and source='c'"):
        load_questions(jsonl(tmp_path, *rows[:-2]), split="val", source="c")


def test_a_csv_row_with_too_many_cells_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2: more cells than the header has"):
        load_questions(csv(tmp_path, "id,question\n1,Who,did,it?\n"))


def test_a_file_that_is_not_there_is_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.jsonl': No such file or directory; give a JSON Lines or CSV file"):
        load_questions(tmp_path / "none.jsonl")


def test_a_limit_takes_as_many_of_each_source_and_language_always_the_same(tmp_path: Path) -> None:
    strata = {"a-en": 20, "a-zh": 3, "b-en": 20}
    rows = [
        {"id": f"{stratum}{n}", "src": stratum[0], "lang": stratum[2:], "question": "Who?"}
        for stratum, count in strata.items()
        for n in range(count)
    ]
    path = jsonl(tmp_path, *rows)
    chosen = [q.id for q in load_questions(path, limit=13).items]
    assert Counter(name[:4] for name in chosen) == {"a-en": 5, "a-zh": 3, "b-en": 5}
    assert chosen == [q.id for q in load_questions(path, limit=13).items]
    assert chosen != [q.id for q in load_questions(path, limit=13, seed=1).items]
    assert chosen == [row["id"] for row in rows if row["id"] in chosen]  # in the order of the file
