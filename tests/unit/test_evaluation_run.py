"""A run: what is asked, what is kept, and how an interrupted one goes on."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from groundgraph.errors import InputError, ModelError, ModelUnavailable
from groundgraph.evaluation.answering import ranking
from groundgraph.evaluation.compare import compare
from groundgraph.evaluation.plan import plan
from groundgraph.evaluation.questions import Question, Questions, load_questions
from groundgraph.evaluation.records import Row, RunRecord, read_rows, read_run, read_scores
from groundgraph.evaluation.run import Evaluation, differences, evaluate, folder_for
from groundgraph.evaluation.sources import known_sources
from groundgraph.grading.cascade import CALIBRATION
from groundgraph.grading.weights import DEFAULT_WEIGHTS
from groundgraph.knowledge.index import Collection, index
from groundgraph.settings import get_settings
from state.context import Context
from tests.doubles import FixedEvaluator
from tests.embedder import use_bag_embedder
from tests.scripted import Line, scripted

Evaluates = Callable[..., FixedEvaluator]

TOWER = "The Eiffel Tower is 330 metres tall."
ANSWER = "The tower is 330 metres tall [1]."
ROWS: Sequence[dict[str, object]] = [
    {"id": f"q{n}", "src": "ab"[n % 2], "question": f"How tall is the Eiffel tower, asked {n} times?",
     "answers": ["330 metres"], "answerable": True, "rel": ["paris.md"]}
    for n in range(4)
]  # fmt: skip


class Stop(Exception):
    """Ends a run midway."""


@pytest.fixture
def questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, evaluates: Evaluates) -> Questions:
    """Four questions about an indexed note."""
    use_bag_embedder(monkeypatch)
    (tmp_path / "paris.md").write_text(TOWER)
    index([tmp_path / "paris.md"])
    evaluates({"Eiffel": 0.9, "330": 0.8})
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)))
    return load_questions(path)


def planned(questions: Questions, model: str, patterns: Sequence[str] = ("naive",), **options: object) -> Evaluation:
    return plan(questions, patterns, Context(chat_model=model), **options)


async def test_a_run_keeps_its_rows_its_scores_and_what_it_was_made_with(questions: Questions, tmp_path: Path) -> None:
    with scripted(Line(None, ANSWER, times=8)) as (model, _):
        scores = await evaluate(planned(questions, model, ["naive", "crag"]), tmp_path / "run")
    assert scores == read_scores(tmp_path / "run") and scores.valid
    assert scores.patterns["crag"].metrics["recall@5"].mean == 1
    assert scores.patterns["naive"].metrics["containment"].mean == 1
    assert scores.patterns["naive"].sources.keys() == {"a", "b"}
    rows = read_rows(tmp_path / "run")
    assert [row.key for row in rows] == [(p, f"q{n}") for n in range(4) for p in ("naive", "crag")]
    assert rows[0].retrieved == [str(tmp_path / "paris.md")]
    assert rows[0].rel == {str(tmp_path / "paris.md"): 2}  # the question file names it by the end of its path
    assert rows[1].passages[0].tier == "correct"
    record = read_run(tmp_path / "run")
    assert record.models == {"chat": model, "embedding": "bag:64", "evaluator": "embedded", "judge": None}
    assert (record.collections[0].chunks, record.questions.count, record.cost.model_calls) == (1, 4, 8)
    assert record.packages["langgraph"] and record.context["top_k"] == 5


async def test_an_interrupted_run_goes_on_asks_nothing_twice_and_gives_the_same_figures(
    questions: Questions, tmp_path: Path
) -> None:
    with scripted(Line(None, ANSWER, times=4)) as (model, _):
        whole = await evaluate(planned(questions, model), tmp_path / "whole")

    def stop(rows: Sequence[Row], number: int, total: int) -> None:
        if number == 2:
            raise Stop

    with scripted(Line(None, ANSWER, times=2)) as (model, _):
        with pytest.raises(Stop):
            await evaluate(planned(questions, model, concurrency=1), tmp_path / "halves", stop)
    with (tmp_path / "halves" / "rows.jsonl").open("a") as file:
        file.write('{"id": "q2", "answ')
    told: list[tuple[int, int, int]] = []
    with scripted(Line(None, ANSWER, times=2)) as (model, chat):
        halves = await evaluate(
            planned(questions, model), tmp_path / "halves", lambda rows, n, total: told.append((len(rows), n, total))
        )
    assert len(chat.prompts) == 2 and told == [(2, 2, 4), (1, 3, 4), (1, 4, 4)]
    assert halves.patterns["naive"].metrics == whole.patterns["naive"].metrics
    assert halves.patterns["naive"].sources == whole.patterns["naive"].sources


async def test_another_run_is_not_mixed_into_a_folder(questions: Questions, tmp_path: Path) -> None:
    with scripted(Line(None, ANSWER, times=4)) as (model, _):
        await evaluate(planned(questions, model), tmp_path / "run")
        other = plan(questions, ["naive"], Context(chat_model=model, top_k=3), min_scored=0.9)
        with pytest.raises(
            InputError, match=r"holds another run \(context\.top_k: 5, now 3; min_scored: 0\.5, now 0\.9"
        ):
            await evaluate(other, tmp_path / "run")


async def test_one_failed_question_is_recorded_and_asked_again_the_next_time(
    questions: Questions, tmp_path: Path
) -> None:
    lines = [Line("asked 1 times", ModelError("the endpoint refuses"), times=1), Line(None, ANSWER, times=4)]
    with scripted(*lines) as (model, chat):
        scores = await evaluate(planned(questions, model, metrics=["f1"]), tmp_path / "run")
        assert [row.error for row in read_rows(tmp_path / "run")] == [None, "the endpoint refuses", None, None]
        assert (scores.patterns["naive"].metrics["f1"].scored, scores.patterns["naive"].cost.errors) == (3, 1)
        scores = await evaluate(planned(questions, model, metrics=["f1"]), tmp_path / "run")
    assert len(chat.prompts) == 5
    assert (scores.patterns["naive"].metrics["f1"].scored, scores.patterns["naive"].cost.errors) == (4, 0)


async def test_a_model_that_is_down_fails_the_question_and_no_quotation_passes_for_its_answer(
    questions: Questions, tmp_path: Path
) -> None:
    with scripted(Line(None, ModelUnavailable("the endpoint is down"), times=8)) as (model, _):
        await evaluate(planned(questions, model, metrics=["f1"]), tmp_path / "strict")
        wished = Context(chat_model=model, on_model_failure="extractive")
        await evaluate(plan(questions, ["naive"], wished, metrics=["f1"]), tmp_path / "wished")
    assert {row.error for row in read_rows(tmp_path / "strict")} == {"the endpoint is down"}
    assert {row.error for row in read_rows(tmp_path / "wished")} == {None}


async def test_rows_whose_judge_failed_are_judged_again_and_not_asked(questions: Questions, tmp_path: Path) -> None:
    lines = [
        Line("You rate", ModelUnavailable("the judge is down"), times=4),
        Line("You rate", "5", times=4),
        Line(None, ANSWER, times=4),
    ]
    with scripted(*lines) as (model, _):
        run = planned(questions, model, judge=model, metrics=["correctness"])
        first = await evaluate(run, tmp_path / "run")
        again = await evaluate(run, tmp_path / "run")
    assert not first.valid and first.patterns["naive"].metrics["correctness"].scored == 0
    assert again.valid and again.patterns["naive"].metrics["correctness"].mean == 1


async def test_at_most_so_many_questions_are_in_work_at_once(questions: Questions, tmp_path: Path) -> None:
    with scripted(Line(None, ANSWER, times=4, latency=0.05)) as (model, _):
        run = planned(questions, model, concurrency=4, metrics=["f1"])
        await evaluate(run, tmp_path / "run")
    rows = read_rows(tmp_path / "run")
    assert [row.id for row in rows] == ["q0", "q1", "q2", "q3"]  # in the order of the file, whichever was done first
    assert planned(questions, "scripted:test").concurrency == 8
    assert planned(questions, "llamacpp:small").concurrency == 1


async def test_no_pattern_is_always_asked_first(questions: Questions, tmp_path: Path) -> None:
    orders = []
    for name in ("first", "second"):
        asked: list[str] = []
        with scripted(Line(None, ANSWER, times=8)) as (model, _):
            run = planned(questions, model, ["naive", "crag"], metrics=["f1"], concurrency=1)
            await evaluate(run, tmp_path / name, lambda rows, *_: asked.extend(row.pattern for row in rows))  # noqa: B023
        orders.append(asked)
    assert orders[0] == orders[1] and {*orders[0][::2]} == {"naive", "crag"}


@pytest.fixture
def notes(questions: Questions, tmp_path: Path) -> Callable[[dict[str, object]], Questions]:
    """Index two notes of one name, and make questions of such `rel`."""
    for folder in ("alpha", "beta"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "README.md").write_text(f"About {folder}.")
    index([tmp_path / "alpha", tmp_path / "beta"])

    def asked(rel: dict[str, object]) -> Questions:
        path = tmp_path / "rel.jsonl"
        path.write_text("\n" + json.dumps({"question": "What is alpha?", "rel": rel}))
        return load_questions(path)

    return asked


def test_a_name_that_fits_two_documents_is_named_by_its_line(notes: Callable[..., Questions], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 2: rel='README.md' fits 2 documents, such as .*give more of its path"):
        plan(notes({"README.md": 2}), [], Context(), retrieval_only=True)
    (question,) = plan(notes({"alpha/README.md": 2}), [], Context(), retrieval_only=True).questions
    assert question.rel == {str(tmp_path / "alpha" / "README.md"): 2}


def test_a_whole_name_goes_before_the_end_of_a_longer_one(
    questions: Questions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundgraph.knowledge.index.Collection.sources", lambda _: ["a.md", "notes/a.md"])
    found = known_sources([Question(id="q", question="Who?", rel={"a.md": 2})], ["default"], "q.jsonl")
    assert found.questions[0].rel == {"a.md": 2} and found.warnings == []


def test_of_two_names_of_one_document_the_higher_grade_stays(notes: Callable[..., Questions], tmp_path: Path) -> None:
    name = str(tmp_path / "alpha" / "README.md")
    for rel in ({"alpha/README.md": 2, name: 0}, {name: 0, "alpha/README.md": 2}, {name: None, "alpha/README.md": 2}):
        assert plan(notes(rel), [], Context(), retrieval_only=True).questions[0].rel == {name: 2}


def test_names_that_are_in_no_collection_are_counted(notes: Callable[..., Questions]) -> None:
    run = plan(notes({"paris.md": 2, "rome.md": 2, "oslo.md": 1}), [], Context(), retrieval_only=True)
    assert run.record.warnings == ["2 of 3 sources in rel are in no collection searched, such as 'rome.md'"]


def test_the_endpoint_is_recorded_without_its_key(questions: Questions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:secret@127.0.0.1:8000/v1")
    get_settings.cache_clear()
    record = planned(questions, "openai:small").record
    assert record.endpoint == "127.0.0.1:8000"
    assert planned(questions, "scripted:small").record.endpoint is None
    moved = record.model_copy(update={"endpoint": "example.com"})
    assert differences(record, moved) == ["endpoint: '127.0.0.1:8000', now 'example.com'"]


def test_weights_trained_here_are_another_run(questions: Questions, tmp_path: Path) -> None:
    record = plan(questions, ["crag"], Context()).record
    assert record.weights.keys() == {"evaluator"}
    own = tmp_path / "home" / "evaluator" / "evaluator.json"
    own.parent.mkdir()
    trained = json.loads(DEFAULT_WEIGHTS.read_text())
    trained["alone"]["bias"] += 1
    own.write_text(json.dumps(trained))
    (difference,) = differences(record, plan(questions, ["crag"], Context()).record)
    assert difference.startswith(f"weights.evaluator: '{record.weights['evaluator']}', now ")


@pytest.mark.parametrize(("pattern", "settings"), [("crag", {"evaluator": "cascade"}), ("router", {})])
def test_another_calibration_is_another_run_where_the_cascade_may_grade(
    pattern: str, settings: dict[str, str], questions: Questions, tmp_path: Path
) -> None:
    context = Context(answerer="extractive", **settings)
    record = plan(questions, [pattern], context).record
    own = tmp_path / "home" / "evaluator" / "cascade.json"
    own.parent.mkdir()
    own.write_text(CALIBRATION.read_text().replace('"chat_model": "', '"chat_model": "another-'))
    (difference,) = differences(record, plan(questions, [pattern], context).record)
    assert difference.startswith("weights.cascade: ")


def test_a_collection_made_again_of_another_text_is_another_run(questions: Questions, tmp_path: Path) -> None:
    record = plan(questions, ["crag"], Context()).record

    def made_again(text: str) -> RunRecord:
        Collection.open("default").delete()
        (tmp_path / "paris.md").write_text(text)
        index([tmp_path / "paris.md"])
        return plan(questions, ["crag"], Context()).record

    (difference,) = differences(record, made_again("The Eiffel Tower is 331 metres tall."))
    assert difference.startswith("collections.0.sha256: ")
    assert not differences(record, made_again(TOWER))


async def test_a_run_recorded_before_weights_and_documents_were_is_read_and_not_gone_on_with(
    questions: Questions, tmp_path: Path
) -> None:
    run = plan(questions, [], Context(), retrieval_only=True)
    await evaluate(run, tmp_path / "run")
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    del record["weights"], record["collections"][0]["sha256"]
    (tmp_path / "run" / "run.json").write_text(json.dumps(record))
    assert compare([tmp_path / "run"]).baseline.run.weights is None
    with pytest.raises(
        InputError,
        match=r"another run \(collections.0.sha256: None, now '\w+'; weights.evaluator: None, now '\w+'\): give",
    ):
        await evaluate(run, tmp_path / "run")


async def test_rows_of_something_else_are_not_mixed_in(questions: Questions, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"mine": 1}\n')
    with pytest.raises(InputError, match=r"holds rows.jsonl of something else, and no run.json: give another --out"):
        await evaluate(plan(questions, [], Context(), retrieval_only=True), tmp_path)
    assert (tmp_path / "rows.jsonl").read_text() == '{"mine": 1}\n'


async def test_retrieval_alone_asks_no_model(questions: Questions, tmp_path: Path) -> None:
    run = plan(questions, [], Context(top_k=3), retrieval_only=True)
    scores = await evaluate(run, tmp_path / "run")
    assert scores.patterns["retrieval"].metrics.keys() == {"recall@3", "precision@3", "mrr@3", "ndcg@3"}
    assert scores.patterns["retrieval"].cost.model_calls == 0 and scores.valid


async def test_what_was_said_before_is_handed_to_the_pattern(questions: Questions, tmp_path: Path) -> None:
    path = tmp_path / "follow.jsonl"
    path.write_text(json.dumps({"question": "How tall is it?", "history": ["What is the Eiffel Tower?", "A tower."]}))
    with scripted(("Last question:", "How tall is the Eiffel Tower?"), (None, ANSWER)) as (model, _):
        await evaluate(planned(load_questions(path), model), tmp_path / "run")
    (row,) = read_rows(tmp_path / "run")
    assert row.question == "How tall is it?" and row.steps[0]["figures"]["query"] == "How tall is the Eiffel Tower?"


@pytest.mark.parametrize(
    ("patterns", "context", "options", "message"),
    [
        (["crack"], {}, {}, "pattern='crack': unknown; known are naive"),
        (["naive"], {"web_search": "ask"}, {}, "web_search='ask': an evaluation cannot ask a person"),
        (["naive"], {}, {"retrieval_only": True}, "--retrieval-only runs no pattern, but naive is given"),
        (["naive"], {}, {"judge": "gpt"}, "chat model 'gpt': give it as provider:model"),
    ],
)
def test_what_cannot_be_evaluated_is_said_at_once(
    questions: Questions, patterns: list[str], context: dict[str, object], options: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        plan(questions, patterns, Context.parse(context), **options)


async def test_the_same_command_finds_its_folder_again(questions: Questions, tmp_path: Path) -> None:
    record = plan(questions, [], Context(), retrieval_only=True).record
    first = folder_for(record)
    assert first == Path("runs") / f"{record.date[:10]}-questions"
    await evaluate(plan(questions, [], Context(), retrieval_only=True), first)
    assert folder_for(record.model_copy(update={"date": "2099-01-01T00:00:00"})) == first
    other = plan(questions, [], Context(top_k=2), retrieval_only=True).record
    assert folder_for(other) == first.with_name(f"{first.name}-2")


@pytest.mark.parametrize("pattern", ["naive", "crag", "advanced", "adaptive"])
async def test_what_every_pattern_retrieved_is_kept_best_first(
    pattern: str, questions: Questions, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("A tower of cards is tall in its way, said the postman.")
    index([tmp_path / "a.md"])
    context = Context(answerer="extractive", rewrite="off", search_mode="keyword")
    await evaluate(plan(questions, [pattern], context, metrics=["mrr"]), tmp_path / "run")
    for row in read_rows(tmp_path / "run"):
        assert [Path(source).name for source in row.retrieved] == ["paris.md", "a.md"]
        assert row.metrics == {"mrr@5": 1.0}


@pytest.mark.parametrize(
    ("steps", "sources"),
    [
        ([("retrieve", ["a", "b", "a"])], ["a", "b", "a"]),
        ([("retrieve", ["a", "b"]), ("rerank", ["b"])], ["b"]),
        ([("retrieve", ["a"]), ("retrieve", ["b"]), ("web_search", ["c"])], ["a", "b"]),
        ([("retrieve", ["a"]), ("retrieve", ["b"]), ("fuse", ["b", "a"])], ["b", "a"]),
        ([("retrieve", ["a"]), ("retrieve_again", ["a", "b"])], ["a", "b"]),
        ([("retrieve", ["a"]), ("retrieve_evidence", ["b"]), ("retrieve_beams", ["c"])], ["a", "b", "c"]),
        ([("retrieve", ["a"]), ("retrieve_next", ["b"]), ("retrieve_next", [])], ["a", "b"]),
        ([], []),
    ],
)
def test_the_ranking_is_read_from_the_steps(steps: list[tuple[str, list[str]]], sources: list[str]) -> None:
    taken = [{"node": node, "decision": "", "figures": {"sources": found}} for node, found in steps]
    assert ranking(taken) == sources
