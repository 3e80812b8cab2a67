"""Settings chosen on some questions and measured on others."""

import json
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from graphs.catalogue import PATTERNS
from groundgraph.cli.context import build_context
from groundgraph.errors import CollectionError, InputError, ModelUnavailable
from groundgraph.evaluation import space
from groundgraph.evaluation.asker import Asker
from groundgraph.evaluation.choice import Choice, ThresholdMap
from groundgraph.evaluation.files import read_json
from groundgraph.evaluation.holdout import part
from groundgraph.evaluation.metrics.stats import Interval, PairedDifference
from groundgraph.evaluation.objectives import DECISIONS, QUALITY, RECALL
from groundgraph.evaluation.profile import changed, differing, profile_text
from groundgraph.evaluation.thresholds import Decision
from groundgraph.evaluation.tune import Tuner
from groundgraph.evaluation.tuned import NOISE, NOTHING_TRIED, WORSE, map_lines, summary, together, verdict
from groundgraph.evaluation.tuning_record import TuningRecord
from groundgraph.knowledge.index import Collection, index
from groundgraph.knowledge.search import SearchResult
from state.context import Context
from state.presets import settled
from tests.cli import run
from tests.doubles import passage
from tests.embedder import use_bag_embedder
from tests.scripted import Line, scripted

GOLD = "The answer is tower {n}."
OTHER = "Nothing of the kind {place}."


class RankedSearch:
    """Finds the passage that answers a question first by meaning, third otherwise; of odd questions nothing does."""

    def __call__(self, query: str, collections: Sequence[str], *, k: int, mode: str, **_: object) -> SearchResult:
        n = int(query.split()[-1].rstrip("?"))
        found = [passage(OTHER.format(place=place), f"other{place}.md") for place in range(12)]
        if n % 2 == 0:
            found.insert(0 if mode == "vector" else 2, passage(GOLD.format(n=n), f"gold{n}.md"))
        return SearchResult(found[:k], [])


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, evaluates: Callable[..., object]) -> Path:
    """Return a file of 24 questions; the passages that answer score 0.45, the others 0.35."""
    monkeypatch.setattr("nodes.retrieve.search", RankedSearch())
    monkeypatch.setattr("nodes.receive._checked_names", lambda context, routed: context.collections)
    evaluates({"The answer": 0.45, "Nothing": 0.35})
    rows = [
        {"id": f"q{n}", "question": f"How high is tower {n}?", "answerable": n % 2 == 0}
        | ({"answers": [f"tower {n}"], "rel": {f"gold{n}.md": 2}} if n % 2 == 0 else {})
        for n in range(24)
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    return file


async def tuned(
    file: Path, pattern: str = "crag", budget: int = 0, chunked: Sequence[str] = (), **settings: object
) -> Tuner:
    parts = part(file, split=None, held_out=None, limit=None, seed=0)
    asker = Asker(file.parent / "calls", 4, lambda what, done, total: None)
    tuner = Tuner(pattern, Context(**settings), parts.tuning, parts.held_out, asker, budget, chunked)
    await tuner.run()
    return tuner


def by_stage(tuner: Tuner) -> dict[str, Choice]:
    return {choice.stage: choice for choice in tuner.choices}


async def test_each_stage_chooses_what_is_better_on_the_held_out_questions_too(asked: Path) -> None:
    tuner = await tuned(asked)
    found = by_stage(tuner)
    assert found["search"].settings == {"search_mode": "vector"}
    assert found["search"].before.mean == pytest.approx(0.5) and found["search"].after.mean == 1  # 1 / log2(4)
    assert found["top_k"].settings == {"top_k": 3}
    assert found["thresholds"].settings == {"crag.theta_low": 0.35}
    assert (found["thresholds"].before.mean, found["thresholds"].after.mean) == (0.5, 1)
    assert not any(found[stage].gain.is_noise for stage in ("search", "thresholds"))
    assert differing(tuner.context) == {"search_mode": "vector", "top_k": 3, "crag.theta_low": 0.35}
    assert verdict(tuner.choices, tuner.whole) == (
        "Better on the held-out questions beyond chance: search, thresholds. "
        "Cheaper at a quality that does not differ there beyond chance: top_k."
    )
    assert tuner.asker.calls == 0


async def test_fewer_passages_of_the_same_recall_are_cheaper_and_not_better(asked: Path) -> None:
    found = by_stage(await tuned(asked, "naive"))["top_k"]
    assert (found.before.mean, found.after.mean, found.saved) == (1, 1, pytest.approx(0.02))
    worth = "recall 1.00 → 1.00 on 6 held-out questions: within noise (+0.00 [+0.00, +0.00], p = 1.000)"
    assert summary(found).endswith(f"{worth}; cheaper")


async def test_what_is_worse_on_the_held_out_questions_is_not_kept(
    asked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held_out = {one.question for one in part(asked, split=None, held_out=None, limit=None, seed=0).held_out}
    ranked = RankedSearch()

    def search(query: str, collections: Sequence[str], *, mode: str, **options: object) -> SearchResult:
        is_good = (mode == "vector") is not (query in held_out)
        return ranked(query, collections, mode="vector" if is_good else "hybrid", **options)

    monkeypatch.setattr("nodes.retrieve.search", search)
    tuner = await tuned(asked, "naive")
    found = by_stage(tuner)["search"]
    assert (found.settings, found.rejected) == ({}, {"search_mode": "vector"})
    assert "search_mode=vector did best on these, but not on others: nDCG@10 1.00 → 0.50" in summary(found)
    assert tuner.profile.search_mode == "hybrid"
    assert verdict(tuner.choices).endswith(
        "Kept as it was, since the best on the tuning questions is worse on the held-out ones: search."
    )


async def test_all_that_was_chosen_is_measured_together_by_what_costs_nothing(asked: Path) -> None:
    tuner = await tuned(asked)
    assert [(one.objective, one.before.mean, one.after.mean) for one in tuner.whole] == [
        (RECALL, 1, 1),
        (DECISIONS, 0.5, 1),
    ]
    assert together(tuner)[-1] == "all together: answers not measured, give more model calls with --budget"
    tuner.held_out = tuner.held_out[:4]
    assert together(tuner)[-1].endswith(
        "it needs 5 held-out questions with answers, or that the documents do not answer"
    )


async def test_answers_are_measured_together_where_no_model_writes_them(asked: Path) -> None:
    tuner = await tuned(asked, answerer="extractive")
    assert [one.objective for one in tuner.whole] == [RECALL, DECISIONS, QUALITY]
    assert (tuner.whole[-1].before.n, len(together(tuner))) == (12, 3)


async def test_answers_are_measured_together_where_the_budget_allows(asked: Path) -> None:
    with scripted(Line(None, "The answer is tower 0 [1].", times=None)) as (name, model):
        tuner = await tuned(asked, budget=200, chat_model=name)
    assert tuner.whole[-1].objective == QUALITY and len(model.prompts) == tuner.asker.calls <= 200


async def test_choices_that_are_worse_together_leave_the_settings_as_they_were(
    asked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def quality(*_: object) -> list[list[float]]:
        return [[1.0] * 12, [0.0] * 12]

    monkeypatch.setattr("groundgraph.evaluation.objectives.Objectives.quality", quality)
    tuner = await tuned(asked, "naive", answerer="extractive")
    assert by_stage(tuner)["search"].settings and tuner.is_worse
    assert differing(tuner.profile) == {"answerer": "extractive"}
    assert verdict(tuner.choices, tuner.whole) == WORSE


async def test_what_asks_a_model_is_left_out_without_a_budget_and_says_so(asked: Path) -> None:
    assert by_stage(await tuned(asked))["answers"].skipped == "it asks the chat model: give model calls with --budget"
    judged = by_stage(await tuned(asked, evaluator="llm"))["thresholds"]
    assert judged.skipped.startswith("evaluator='llm' asks the chat model")


async def test_the_budget_is_kept_and_an_interrupted_tuning_asks_nothing_twice(asked: Path) -> None:
    settings = {"crag": {"theta_low": 0.3}, "search_mode": "vector"}
    with scripted(Line(None, "The answer is tower 0 [1].", times=None)) as (name, model):
        first = await tuned(asked, budget=24, chat_model=name, **settings)
        assert 0 < len(model.prompts) == first.asker.calls <= 24
        rows = (asked.parent / "calls" / "rows.jsonl").read_text().splitlines()
        (asked.parent / "calls" / "rows.jsonl").write_text("\n".join(rows[:5]) + "\n" + rows[5][:40])  # killed here
        before = len(model.prompts)
        again = await tuned(asked, budget=24, chat_model=name, **settings)
        assert again.choices == first.choices
        assert len(model.prompts) - before == len(rows) - 5
    answers = by_stage(again)["answers"]
    assert (answers.tried, answers.skipped) == (2, "") and answers.questions >= 5


async def test_a_budget_that_is_too_small_is_not_begun(asked: Path) -> None:
    with scripted() as (name, _), pytest.raises(InputError, match=r"budget=2: tuning crag .* takes 15 model calls"):
        await tuned(asked, budget=2, chat_model=name, answerer="model")


async def test_calls_that_fail_count_and_no_call_is_made_beyond_the_budget(asked: Path) -> None:
    settings = {"crag": {"theta_low": 0.3}, "search_mode": "vector"}
    with scripted(Line(None, ModelUnavailable("the endpoint is down"), times=None)) as (name, model):
        tuner = await tuned(asked, budget=15, chat_model=name, **settings)
    assert 0 < len(model.prompts) == tuner.asker.calls <= 15


async def test_a_question_that_takes_more_calls_than_are_left_is_cut_off(asked: Path) -> None:
    first, *_ = part(asked, split=None, held_out=None, limit=None, seed=0).tuning
    asker = Asker(asked.parent / "calls", 4, lambda what, done, total: None)
    with scripted(Line(None, "[]", times=None)) as (name, model):
        contexts = [Context(chat_model=name, evaluator="llm", search_mode=mode) for mode in ("vector", "hybrid")]
        assert await asker.ask("crag", contexts, [first], 2) == [[], []]  # each takes five calls to grade
    assert len(model.prompts) == asker.calls == 2


async def test_a_model_that_is_down_answers_nothing(asked: Path) -> None:
    settings = {"crag": {"theta_low": 0.3}, "search_mode": "vector"}
    with scripted(Line(None, ModelUnavailable("the endpoint is down"), times=None)) as (name, _):
        found = by_stage(await tuned(asked, budget=24, chat_model=name, **settings))["answers"]
    assert found.skipped.startswith("only 6 of 12 questions could be scored")
    assert "the endpoint is down" in found.skipped


async def test_answers_without_a_model_need_no_budget(asked: Path) -> None:
    found = by_stage(await tuned(asked, answerer="extractive"))["answers"]
    assert (found.skipped, found.tried, found.questions) == ("", 2, 12)


async def test_a_chunker_is_chosen_by_its_collection(asked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ranked = RankedSearch()

    def search(query: str, collections: Sequence[str], *, mode: str, **options: object) -> SearchResult:
        return ranked(query, collections, mode="vector" if collections == ["towers-fixed"] else mode, **options)

    monkeypatch.setattr("nodes.retrieve.search", search)
    tuner = await tuned(asked, "naive", chunked=["towers-fixed"], search_mode="keyword")
    assert by_stage(tuner)["chunker"].settings == {"collections": ["towers-fixed"]}
    assert differing(tuner.profile)["collections"] == ["towers-fixed"]


async def test_too_few_questions_choose_nothing(asked: Path) -> None:
    few = asked.with_name("few.jsonl")
    few.write_text("\n".join(asked.read_text().splitlines()[:8]))
    tuner = await tuned(few)
    assert by_stage(tuner)["search"].skipped == "only 2 of 2 questions could be scored; it needs 5, and over half"
    assert verdict(tuner.choices) == NOTHING_TRIED


async def test_thresholds_need_questions_to_refuse(asked: Path) -> None:
    answerable = asked.with_name("answerable.jsonl")
    answerable.write_text("\n".join(asked.read_text().splitlines()[::2]))
    reason = by_stage(await tuned(answerable))["thresholds"].skipped
    assert reason == "of the tuning questions, 6 find a passage that answers and 0 find none; it needs 5 of both"


async def test_a_question_that_fails_is_left_out_and_the_failure_is_named(
    asked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> SearchResult:
        raise CollectionError("the collection is damaged")

    monkeypatch.setattr("nodes.retrieve.search", broken)
    assert "(a failure: the collection is damaged)" in by_stage(await tuned(asked))["search"].skipped


def test_the_threshold_map_shows_both_pairs() -> None:
    qualities = {(0.4, 0.6): 1.0, (0.4, 0.79): 1.0, (0.5, 0.6): 0.5, (0.5, 0.79): 0.25}
    decisions = [Decision(low, high, value, value, None, 0.4, 2 * low) for (low, high), value in qualities.items()]
    shown = ThresholdMap(decisions, now=(0.5, 0.79), chosen=(0.4, 0.6))
    assert map_lines(shown) == [
        "θ low \\ θ high   0.6     0.79",
        "           0.5   0.50   [0.25]",
        "           0.4   1.00*   1.00",
        "[ ] 0.25 answered, – refused; 1.0 passages a question",
        "*   1.00 answered, – refused; 0.8 passages a question",
    ]
    assert map_lines(shown._replace(web=True))[-1].endswith("0.8 passages and 0.40 web searches a question")


@pytest.mark.parametrize(
    ("difference", "p", "said"),
    [
        (0.2, 0.01, "Better on the held-out questions beyond chance: search."),
        (0.01, 0.4, NOISE),
        (-0.01, 0.4, NOISE),
    ],
)
def test_the_verdict_is_that_of_the_held_out_questions(difference: float, p: float, said: str) -> None:
    mean = Interval(0.5, 0.4, 0.6, 20)
    gain = PairedDifference(difference, difference - 0.1, difference + 0.1, p, 20)
    choice = Choice("search", {"search_mode": "vector"}, 14, 20, mean, mean, gain)
    assert verdict([choice]) == said
    assert ("within noise" in summary(choice)) is gain.is_noise


@pytest.mark.parametrize("pattern", PATTERNS)
def test_everything_that_is_tried_is_a_setting(pattern: str) -> None:
    for settings in (*space.searches(), *space.answers(pattern)):
        changed(Context(), settings)


def test_a_profile_holds_what_differs_and_is_read_back(tmp_path: Path) -> None:
    values = {
        "search_mode": "vector",
        "crag.theta_low": 0.4,
        "router.table": {"a b": "naive"},
        "where.source": '引号"*',
    }
    context = changed(Context(), values)
    file = tmp_path / "profile.toml"
    file.write_text(profile_text(context, ["two\nlines"]), encoding="utf-8")
    assert file.read_text("utf-8").startswith("# two lines\n")
    assert settled(build_context(file, [], [])) == context
    assert profile_text(Context()) == ""


def test_a_preset_stays_a_preset() -> None:
    context = changed(Context(preset="strict"), {"crag.theta_low": 0.5})
    assert (context.crag.theta_low, context.crag.theta_high) == (0.5, 0.79)  # a pair is the person's or the preset's
    assert context.adaptive.theta_low == 0.6
    assert tomllib.loads(profile_text(context)) == {"preset": "strict", "crag": {"theta_low": 0.5}}


def test_the_parts_share_no_question_and_hold_as_many_of_each_kind(asked: Path) -> None:
    parts = part(asked, split=None, held_out=None, limit=None, seed=0)
    tuning, held_out = ({one.id for one in questions} for questions in parts[:2])
    assert len(tuning) == len(held_out) == 12 and not tuning & held_out
    assert sum(bool(one.answerable) for one in parts.tuning) == 6
    assert parts == part(asked, split=None, held_out=None, limit=None, seed=0)
    assert parts != part(asked, split=None, held_out=None, limit=None, seed=1)
    assert len(part(asked, split=None, held_out=None, limit=5, seed=0).tuning) == 5


def test_named_splits_are_used(tmp_path: Path) -> None:
    file = tmp_path / "q.csv"
    file.write_text("id,question,split\na,What is a?,val\nb,What is b?,test\nc,What is c?,train\n")
    parts = part(file, split="val", held_out="test", limit=None, seed=0)
    assert ([one.id for one in parts.tuning], [one.id for one in parts.held_out]) == (["a"], ["b"])
    with pytest.raises(ValueError, match="name two different splits"):
        part(file, split="val", held_out="val", limit=None, seed=0)


def test_the_command_writes_a_profile_and_a_report(
    asked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_bag_embedder(monkeypatch)
    Collection.open("towers", create=True)
    command = ["tune", str(asked), "-c", "towers"]
    ran = run(capsys, *command, "--out", "tuned.toml", "--html", "tuned.html")
    assert ran.status == 0
    assert ran.err == "warning: 12 of 12 sources in rel are in no collection searched, such as 'gold22.md'\n"
    lines = ran.out.splitlines()
    assert lines[0] == "chunker: skipped, name others to try with --chunker"
    assert lines[1].startswith("search: search_mode=vector; ")
    assert any("1.00*" in line for line in lines) and lines[-1] == "Profile: tuned.toml"
    record = read_json(Path(lines[-2].removeprefix("Record: ")) / "tuning.json", TuningRecord, "record", "")
    assert (record.pattern, record.questions.count, record.cost.model_calls) == ("crag", 24, 0)
    assert record.collections[0].sha256 and record.weights and record.packages["langgraph"] and record.cost.rows
    assert record.settings == {"search_mode": "vector", "top_k": 3, "crag.theta_low": 0.35}
    assert [stage["stage"] for stage in record.stages] == ["chunker", "search", "top_k", "thresholds", "answers"]
    assert build_context(Path("tuned.toml"), [], []).search_mode == "vector"
    profile = Path("tuned.toml").read_text("utf-8")
    for essential in (record.questions.sha256, record.collections[0].sha256, "bag:64", record.date, "0 model calls"):
        assert essential in profile
    page = Path("tuned.html").read_text("utf-8")
    assert page.count("<svg") == 2 and "passages a question" in page
    assert "<code>search_mode=&#34;vector&#34;</code>" in page


def test_the_command_gives_json(
    asked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_bag_embedder(monkeypatch)
    Collection.open("towers", create=True)
    found = run(capsys, "tune", "naive", str(asked), "-c", "towers", "--json").object
    assert found["settings"] == {"search_mode": "vector", "top_k": 3}
    assert [stage["stage"] for stage in found["stages"]] == ["chunker", "search", "top_k"]
    assert found["stages"][1]["within_noise"] is False and found["model_calls"] == 0 and found["map"] == []


def test_the_same_tuning_has_the_same_folder_and_another_collection_another(
    asked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_bag_embedder(monkeypatch)
    Collection.open("towers", create=True)
    note = asked.with_name("note.md")
    note.write_text("A tower.")
    with scripted(Line(None, "The answer is tower 0 [1].", times=None)) as (name, _):
        command = ["tune", "naive", str(asked), "-c", "towers", "--json", "--set", f"chat_model={name}"]
        first = run(capsys, *command).object
        paid = run(capsys, *command, "--budget", "20").object
        index([note], "towers")
        other = run(capsys, *command).object
    assert first["record"] == paid["record"] != other["record"]
    assert [one["objective"] for one in paid["all_together"]] == [RECALL, QUALITY]
    record = read_json(Path(paid["record"]) / "tuning.json", TuningRecord, "record", "")
    assert 0 < record.cost.model_calls == paid["model_calls"] <= record.budget == 20


def test_thresholds_and_policy_are_searched_for_on_a_grid() -> None:
    tried = [one.crag for one in space.thresholds(Context())]
    assert {one.policy for one in tried} == {"paper", "mean", "per_document"}
    for policy in ("paper", "per_document"):
        pairs = {(one.theta_low, one.theta_high) for one in tried if one.policy == policy}
        grid = {(low / 100, high / 100) for low in range(30, 65, 5) for high in range(60, 95, 5)}
        assert pairs == grid | {(low / 100, 0.79) for low in range(30, 65, 5)}, "the present ones are tried too"


def test_the_command_that_could_try_nothing_writes_no_profile(
    asked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_bag_embedder(monkeypatch)
    Collection.open("towers", create=True)
    asked.write_text("\n".join(asked.read_text().splitlines()[:4]))
    ran = run(capsys, "tune", str(asked), "-c", "towers", "--out", "tuned.toml")
    assert (ran.status, ran.out.splitlines()[-2]) == (1, NOTHING_TRIED)
    assert not Path("tuned.toml").exists()


def test_what_would_fail_at_the_end_is_found_before_anything_runs(
    asked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_bag_embedder(monkeypatch)
    Collection.open("towers", create=True)
    command = ["tune", str(asked), "-c", "towers"]
    assert "cannot be written: give another file" in run(capsys, *command, "--out", str(asked.parent)).err
    assert "cannot be written" in run(capsys, *command, "--html", str(asked / "page.html")).err
    asked.write_text('{"question": "How high?"}\n{"question": "How wide?"}')
    assert "--chunker: 0 of 1 tuning questions" in run(capsys, *command, "--chunker", "fixed").err


def test_the_command_names_what_cannot_be_used(asked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "pattern='best': unknown" in run(capsys, "tune", "best", str(asked)).err
    assert "give a pattern, or none, and one file" in run(capsys, "tune", "crag", "a.jsonl", "b.jsonl").err
    assert "nothing.jsonl" in run(capsys, "tune", "nothing.jsonl").err
