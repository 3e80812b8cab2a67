"""Runs side by side."""

from pathlib import Path

import pytest

from groundgraph.errors import InputError
from groundgraph.evaluation.compare import QUALITY, compare, worst
from groundgraph.evaluation.metrics.stats import PairedDifference
from groundgraph.evaluation.wording import difference, figure
from state.context import Context
from tests.cli import run
from tests.runs import graded_row, made_row, made_run, refusal


def right(count: int, of: int, pattern: str) -> list:
    """Return rows of which the first `count` answer right."""
    return [made_row(f"q{n}", pattern, **({} if n < count else {"answer": "nonsense"})) for n in range(of)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return made_run(tmp_path / "run", [*right(12, 20, "crag"), *right(2, 20, "naive")])


def test_each_pattern_has_its_scores_and_its_distance_from_the_baseline(folder: Path) -> None:
    found = compare([folder])
    crag, naive = found.entries
    assert found.baseline is naive
    assert (crag.figure(QUALITY).mean, naive.figure(QUALITY).mean) == (0.6, 0.1)
    assert found.difference(naive, QUALITY) is None
    ahead = found.difference(crag, QUALITY)
    assert (ahead.difference, ahead.n, ahead.is_noise) == (0.5, 20, False)
    assert crag.outcomes["answered"] == 12 and crag.outcomes["wrong"] == 8


def test_a_small_difference_is_called_noise(tmp_path: Path) -> None:
    found = compare([made_run(tmp_path / "run", [*right(10, 20, "crag"), *right(9, 20, "naive")])])
    assert difference(found.difference(found.entries[0], QUALITY)).startswith("within noise (+0.05 [")


def test_next_to_nothing_has_no_sign() -> None:
    said = difference(PairedDifference(-0.001, -0.004, 0.02, 0.6, 20))
    assert said == "within noise (+0.00 [+0.00, +0.02], p = 0.600)"


def test_only_questions_of_both_are_compared(tmp_path: Path) -> None:
    first = made_run(tmp_path / "first", right(4, 4, "crag"))
    other = [made_row(f"q{n}", "naive", question=f"Another question {n}") for n in (2, 3)]
    second = made_run(tmp_path / "second", [*right(1, 2, "naive"), *other])
    found = compare([first, second])
    assert found.difference(found.entries[0], QUALITY).n == 2


def test_a_pattern_of_two_runs_goes_by_its_folder(tmp_path: Path) -> None:
    first, second = (made_run(tmp_path / name, right(1, 2, "crag")) for name in ("first", "second"))
    found = compare([first, second, first], baseline=f"crag ({second})")
    assert [entry.label for entry in found.entries] == [f"crag ({first})", f"crag ({second})"]
    assert found.baseline is found.entries[1]


def test_a_metric_of_which_too_few_rows_were_scored_is_invalid(tmp_path: Path) -> None:
    """The judge failed on nine of ten rows."""
    rows = [made_row(f"q{n}", metrics={"faithfulness": 1.0 if n == 0 else None}) for n in range(10)]
    found = compare([made_run(tmp_path / "run", rows)]).entries[0].figure("faithfulness")
    assert (found.scored, found.rows, found.valid) == (1, 10, False)
    assert figure(found) == "1.00 (1/10 scored, invalid)"


def test_a_failed_question_is_counted_and_costs_nothing(tmp_path: Path) -> None:
    rows = [made_row("q0"), made_row("q1", error="the endpoint is down", answer="", usage={}, seconds=99)]
    entry = compare([made_run(tmp_path / "run", rows)]).entries[0]
    assert (entry.failed, entry.cost.p95, entry.cost.model_calls) == (1, 1.0, 1.0)
    assert (entry.figure(QUALITY).scored, entry.figure(QUALITY).rows) == (1, 2)


def test_the_worst_questions_come_first_and_right_ones_not_at_all(tmp_path: Path) -> None:
    rows = [made_row("right"), made_row("half", answers=["answer of"]), refusal("zero")]
    found = compare([made_run(tmp_path / "run", rows)])
    assert [key[0] for key, _ in worst(found, 5)] == ["zero", "half"]
    assert [key[0] for key, _ in worst(found, 1)] == ["zero"]


def test_rows_without_gold_have_their_metrics_and_no_quality(tmp_path: Path) -> None:
    rows = [made_row(f"q{n}", answers=[], answerable=None, metrics={"answer_relevancy": 0.5}) for n in range(3)]
    found = compare([made_run(tmp_path / "run", rows)])
    assert found.metrics == ["answer_relevancy"] and found.headline == "answer_relevancy"
    assert len(worst(found, 5)) == 3


def test_what_was_only_retrieved_is_judged_by_what_was_found(tmp_path: Path) -> None:
    found = [made_row("q0", "retrieval", answer="", rel={"a.md": 2}, retrieved=["a.md"], metrics={"recall@5": 1.0})]
    found += [made_row("q1", "retrieval", answer="", rel={"a.md": 2}, retrieved=["b.md"], metrics={"recall@5": 0.0})]
    comparison = compare([made_run(tmp_path / "run", found)])
    assert comparison.metrics == ["recall@5"]
    assert [key[0] for key, _ in worst(comparison, 5)] == ["q1"]
    assert {end: count for end, count in comparison.entries[0].outcomes.items() if count} == {
        "not retrieved": 1,
        "not judged": 1,
    }


def test_a_folder_that_is_no_run_and_an_unknown_baseline_are_bad_use(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(InputError, match=r"run.json' is missing"):
        compare([tmp_path / "nowhere"])
    with pytest.raises(InputError, match="no finished question"):
        compare([made_run(tmp_path / "empty", [])])
    with pytest.raises(InputError, match="baseline='best': no such pattern; known are crag, naive"):
        compare([folder], baseline="best")


def test_the_command_shows_tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "compare", str(folder))
    assert ran.status == 0
    assert [line.split()[:3] for line in ran.out.splitlines()[1:3]] == [
        ["quality", "crag", "0.60"],
        ["naive", "0.10", "[0.00,"],
    ]
    assert "Against naive" in ran.out and "p < 0.05" not in ran.out


def test_the_command_says_what_two_runs_were_made_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strict = {"crag": {"theta_low": 0.6}}
    first = made_run(tmp_path / "first", right(1, 2, "crag"))
    second = made_run(tmp_path / "second", right(2, 2, "crag"), context=Context(**strict).model_dump(mode="json"))
    lines = run(capsys, "compare", str(first), str(second)).out.splitlines()
    assert lines[0] == f"{first}: 2 questions of questions.jsonl, default settings"
    assert lines[1] == f"{second}: 2 questions of questions.jsonl, crag.theta_low=0.6"


def test_runs_of_different_depth_are_compared_at_the_smaller_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As before and after tuning, which may choose another top_k."""
    rel, retrieved = {"rel": {"gold.md": 2}}, ["a.md", "b.md", "gold.md"]
    deep = [made_row(f"q{n}", retrieved=retrieved, metrics={"recall@3": 1.0, "f1": 0.5}, **rel) for n in range(2)]
    flat = [made_row("q0", retrieved=["gold.md", "a.md"], metrics={"recall@2": 1.0}, **rel)]
    flat += [made_row("q1", error="the endpoint is down", metrics={"recall@2": None}, **rel)]
    folders = [made_run(tmp_path / "before", deep, metrics=["recall", "f1"]), made_run(tmp_path / "after", flat)]
    found = compare(folders)
    assert (found.metrics, found.depth) == ([QUALITY, "f1", "recall@2"], 2)
    before, after = found.entries
    assert before.figure("recall@2").mean == 0 and after.figure("recall@2").mean == 1
    assert (after.figure("recall@2").scored, after.figure("recall@2").rows) == (1, 2)
    assert found.difference(after, "recall@2").difference == 1
    said = run(capsys, "compare", *map(str, folders)).out
    assert "Retrieval metrics look at 2 passages in all runs: some retrieved no more." in said


def judged_runs(tmp_path: Path, *judges: dict[str, str | None]) -> list[str]:
    """Return folders of runs that these judges found ever less faithful."""
    models = {"chat": "scripted:model", "embedding": "bag:64", "evaluator": "embedded"}
    return [
        str(
            made_run(
                tmp_path / f"run{n}",
                [made_row(f"q{i}", metrics={"faithfulness": 1 - 0.4 * n, "f1": 1 - 0.4 * n}) for i in range(10)],
                models=models | judge,
            )
        )
        for n, judge in enumerate(judges)
    ]


def test_what_different_judges_scored_is_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = folders = judged_runs(tmp_path, {"judge": None}, {"judge": "openai:m"})
    note = (
        f"Scored by different judges, and so not compared: faithfulness "
        f"({first} by the embedded evaluator; {second} by openai:m)."
    )
    said = [
        " ".join(line.split()) for line in run(capsys, "compare", *folders, "--html", "report.html").out.splitlines()
    ]
    assert note in said
    assert f"crag ({second}) 0.60 [0.60, 0.60] nothing to compare" in said
    assert f"crag ({second}) 0.60 [0.60, 0.60] -0.40 [-0.40, -0.40], p = 0.002" in said, "f1 needs no judge"
    assert note in Path("report.html").read_text("utf-8")
    found = run(capsys, "compare", *folders, "--json").object
    assert found["notes"] == [note]
    against = found["patterns"][1]["metrics"]["faithfulness"]["against_baseline"]
    assert (against["difference"], against["p"], against["within_noise"]) == (None, None, True)


def test_the_package_ragas_is_another_judge(tmp_path: Path) -> None:
    folders = judged_runs(tmp_path, {"judge": "openai:m"}, {"judge": "openai:m", "ragas": "openai:m"})
    (note,) = compare([*map(Path, folders)]).notes
    assert note.endswith(f"({folders[0]} by openai:m; {folders[1]} by openai:m through ragas).")


def test_one_judge_needs_no_note(tmp_path: Path) -> None:
    found = compare([*map(Path, judged_runs(tmp_path, {"judge": "openai:m"}, {"judge": "openai:m"}))])
    assert found.notes == [] and found.difference(found.entries[1], "faithfulness").n == 10


def test_the_command_says_what_each_evaluator_is_worth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [graded_row("q0", {"a.md": 0.9, "b.md": 0.3}, gold="a.md")]
    rows += [graded_row("q1", {"a.md": 0.6}, gold="a.md", evaluator="llm")]
    found = run(capsys, "compare", str(made_run(tmp_path / "run", rows)), "--json").object["evaluators"]
    tiers = {tier: {"relevant": 0, "irrelevant": 0} for tier in ("correct", "ambiguous", "incorrect")}
    tiers["correct"]["relevant"] = tiers["incorrect"]["irrelevant"] = 1
    assert found == {
        "embedded": {"passages": 2, "relevant": 1, "auc": 1.0, "calibration_error": 0.2, "tiers": tiers},
        "llm": {"passages": 1, "relevant": 1, "auc": None, "calibration_error": None, "tiers": {}},
    }


def test_the_same_evaluator_by_another_chat_model_is_another(tmp_path: Path) -> None:
    rows = [graded_row("q0", {"a.md": 0.9}, gold="a.md", evaluator=name) for name in ("embedded", "llm")]
    rows[1] = rows[1].model_copy(update={"id": "q1"})
    folders = [made_run(tmp_path / chat, rows, models={"chat": chat}) for chat in ("small", "large")]
    assert {name: len(graded) for name, graded in compare(folders).graded.items()} == {
        "embedded": 1,
        "llm (large)": 1,
        "llm (small)": 1,
    }
    assert [*compare(folders[:1]).graded] == ["embedded", "llm"]


def test_an_unfinished_run_is_marked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = {"file": "questions.jsonl", "sha256": "0" * 64, "count": 9}
    folder = made_run(tmp_path / "run", right(2, 3, "crag"), questions=questions)
    assert "Unfinished: crag was asked 3 of 9 questions." in run(capsys, "compare", str(folder)).out
    assert run(capsys, "compare", str(folder), "--json").object["patterns"][0]["unfinished"] is True


def test_where_questions_end_adds_up(tmp_path: Path) -> None:
    rows = [made_row("a", answers=[]), refusal("b", answers=[]), made_row("c", answers=[], answerable=None)]
    rows += [made_row("d"), made_row("e", error="the endpoint is down", answer="")]
    (entry,) = compare([made_run(tmp_path / "run", rows)]).entries
    assert {end: count for end, count in entry.outcomes.items() if count} == {
        "answered": 2,
        "wrongly refused": 1,
        "failed": 1,
        "not judged": 1,
    }


def test_the_command_gives_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, "compare", str(folder), "--baseline", "crag", "--json").object
    assert found["baseline"] == "crag"
    naive = found["patterns"][1]
    assert naive["metrics"][QUALITY]["mean"] == 0.1
    assert naive["metrics"][QUALITY]["against_baseline"]["difference"] == pytest.approx(-0.5)
    assert naive["metrics"][QUALITY]["against_baseline"]["within_noise"] is False
    assert naive["cost"]["p50"] == 1.0 and naive["outcomes"]["wrong"] == 18
