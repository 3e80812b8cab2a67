"""A test set: what is kept, what is discarded and why, how an interrupted one goes on, and that eval reads it."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from groundgraph.errors import CollectionError, InputError, ModelUnavailable
from groundgraph.evaluation.plan import plan as plan_evaluation
from groundgraph.evaluation.questions import load_questions
from groundgraph.evaluation.run import evaluate
from groundgraph.evaluation.testset.attempts import attempts
from groundgraph.evaluation.testset.make import make
from groundgraph.evaluation.testset.plan import Plan, plan
from groundgraph.evaluation.testset.records import Count, Discarded, Item, Kind, discarded_file, outcomes, read_card
from groundgraph.knowledge.index import Collection, index
from state.context import Context
from tests.doubles import FixedEvaluator
from tests.embedder import use_bag_embedder
from tests.scripted import Line, scripted

Evaluates = Callable[..., FixedEvaluator]

HEIGHTS = {"Amber": 310, "Birch": 320, "Cedar": 330, "Dahlia": 340, "Elm": 350, "Fir": 360}
TEXT = "{name} Tower rises {height} metres above the harbour of its city, finished by local masons. Donkeys helped."
TEA = "龙井茶产于浙江省杭州市西湖一带，以清明前采摘的嫩芽为上品，一斤需要三万多个芽头。"
WHO_PAID = json.dumps({"detail": "cost", "question": "Who paid the builders of every harbour Tower?"})


def asks(name: str, question: str | None = None, answer: str | None = None, times: int | None = 1) -> Line:
    """What the model makes of the sentence about one tower; by default a good question."""
    made = {"answer": answer or f"{HEIGHTS[name]} metres", "question": question or f"How high is the {name} Tower?"}
    return Line(f"Sentence: {name}", json.dumps(made), times=times)


@pytest.fixture(autouse=True)
def towers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, evaluates: Evaluates) -> None:
    """Six indexed notes, one of each tower; no passage is Correct, and none Incorrect."""
    use_bag_embedder(monkeypatch, dimension=512)
    for name, height in HEIGHTS.items():
        (tmp_path / f"{name}.md").write_text(TEXT.format(name=name, height=height))
    index([tmp_path / f"{name}.md" for name in HEIGHTS])
    evaluates({"Tower": 0.6, "茶": 0.6}, {"Donkeys": 0.1})


def planned(model: str, count: int, *, multi: float = 0, unanswerable: float = 0, **others: object) -> Plan:
    context = Context.parse(others.pop("context", None))
    return plan("default", count, model, context, multi=multi, unanswerable=unanswerable, **others)


def kept(file: Path) -> list[Item]:
    return [one for one in outcomes(file) if isinstance(one, Item)]


def reasons(file: Path) -> list[str]:
    return [one.reason for one in outcomes(file) if isinstance(one, Discarded)]


async def test_a_kept_question_has_its_answer_and_its_gold_passage(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    with scripted(*map(asks, HEIGHTS)) as (model, _):
        card = await make(planned(model, 6), file)
    assert card == read_card(file) and card.complete
    assert card.counts == {"single": Count(wanted=6, made=6, kept=6, discarded={})}
    assert (card.model, card.collection.documents, card.usage["model_calls"]) == (model, 6, 6)
    amber = next(item for item in kept(file) if "Amber" in item.question)
    assert (amber.src, amber.lang, amber.answerable, amber.answers) == ("single", "en", True, ["310 metres"])
    source, text = str(tmp_path / "Amber.md"), TEXT.format(name="Amber", height=310)
    (passage,) = amber.passages
    assert amber.rel == {source: 2} and passage.source == source
    assert (passage.text, passage.start, passage.end) == (text, 0, len(text))


async def test_eval_reads_the_three_kinds(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    pair = next(attempts("multi", Collection.open("default").store, None, seed=0))
    one, other = (Path(passage.source).stem for passage in pair.passages)
    compared = {"answer": f"{one} Tower", "question": f"Which is higher, {one} Tower or {other} Tower?"}
    lines = [Line("two given texts", json.dumps(compared)), Line("trick questions", WHO_PAID)]
    with scripted(*lines, *map(asks, HEIGHTS)) as (model, _):
        card = await make(planned(model, 8, multi=0.125, unanswerable=0.125, context={"top_k": 6}), file)
    assert {kind: (found.kept, found.wanted) for kind, found in card.counts.items()} == {
        "single": (6, 6),
        "multi": (1, 1),
        "unanswerable": (1, 1),
    }
    questions = load_questions(file).items
    assert {(q.source, q.answerable, len(q.answers), len(q.rel or {})) for q in questions} == {
        ("single", True, 1, 1),
        ("multi", True, 1, 2),
        ("unanswerable", False, 0, 0),
    }
    with scripted(Line(None, "It rises 310 metres [1].", times=8)) as (model, _):
        run = plan_evaluation(load_questions(file), ["naive"], Context(chat_model=model, top_k=6))
        scores = (await evaluate(run, tmp_path / "run")).patterns["naive"]
    assert scores.metrics["recall@6"].mean == 1 and scores.metrics["right_refusal"].rows == 1
    assert scores.sources.keys() == {"single", "multi", "unanswerable"}


@pytest.mark.parametrize(
    ("line", "scores", "sentences", "reason"),
    [
        (asks("Amber", "How high does it rise?"), {"Tower": 0.6}, {}, "does not stand alone"),
        (asks("Amber", "How high is the Birch Tower?"), {"Tower": 0.6}, {}, "search does not find its passage"),
        (asks("Amber"), {"Tower": 0.2}, {}, "evaluator rejects its passage"),
        (asks("Amber"), {"Tower": 0.6}, {"rises": 0.1}, "extractive answer differs"),
        (Line("Sentence: Amber", "I cannot think of one."), {}, {}, "no question in the reply"),
    ],
)
async def test_a_bad_question_is_discarded_with_its_reason(
    line: Line,
    scores: Mapping[str, float],
    sentences: Mapping[str, float],
    reason: str,
    tmp_path: Path,
    evaluates: Evaluates,
) -> None:
    evaluates(scores, sentences)
    index([tmp_path / "Birch.md", tmp_path / "Amber.md"], "two")
    lines = [line, Line("Sentence: Birch", "I cannot think of one.", times=None)]
    with scripted(*lines) as (model, _):
        card = await make(plan("two", 1, model, Context(top_k=1), multi=0), tmp_path / "set.jsonl")
    assert not card.complete and reason in reasons(tmp_path / "set.jsonl")
    assert kept(tmp_path / "set.jsonl") == []


@pytest.mark.parametrize(("score", "kept_ones", "reason"), [(0.9, 0, "a passage answers it"), (0.6, 1, None)])
async def test_an_unanswerable_question_is_kept_if_no_passage_is_correct_and_once(
    score: float, kept_ones: int, reason: str | None, tmp_path: Path, evaluates: Evaluates
) -> None:
    evaluates({"Tower": score})
    file = tmp_path / "set.jsonl"
    with scripted(Line("trick questions", WHO_PAID, times=6)) as (model, _):
        await make(planned(model, 6, unanswerable=1, context={"top_k": 6}), file)
    assert reasons(file) == [reason or "like an earlier question"] * (6 - kept_ones)
    assert [(item.answerable, item.answers, item.rel) for item in kept(file)] == [(False, [], None)] * kept_ones


async def test_questions_of_one_passage_make_up_for_what_cannot_be_had(tmp_path: Path) -> None:
    lines = [Line("two given texts", "I cannot think of one.", times=None), *(asks(n, times=None) for n in HEIGHTS)]
    with scripted(*lines) as (model, _):
        card = await make(planned(model, 6, multi=0.34), tmp_path / "set.jsonl")
    assert card.complete
    assert {kind: (found.wanted, found.kept) for kind, found in card.counts.items()} == {
        "single": (4, 6),
        "multi": (2, 0),
    }


async def test_a_kind_is_given_up_if_its_first_ten_questions_are_bad(tmp_path: Path) -> None:
    notes = [tmp_path / f"{number}.md" for number in range(12)]
    for number, note in enumerate(notes):
        note.write_text(TEXT.format(name=f"Gate{number}", height=number))
    index(notes, "gates")
    with scripted(Line(None, "I cannot think of one.", times=10)) as (model, _):
        card = await make(
            plan("gates", 6, model, Context(), multi=0, unanswerable=0, concurrency=1), tmp_path / "set.jsonl"
        )
    assert card.counts["single"].discarded == {"no question in the reply": 10}


async def test_a_copy_of_the_gold_passage_elsewhere_answers_too(tmp_path: Path) -> None:
    (tmp_path / "copy.md").write_text(TEXT.format(name="Amber", height=310))
    index([tmp_path / "Amber.md", tmp_path / "copy.md"], "copies")
    with scripted(asks("Amber")) as (model, _):
        await make(plan("copies", 1, model, Context(), multi=0), tmp_path / "set.jsonl")
    (item,) = kept(tmp_path / "set.jsonl")
    assert item.rel == {str(tmp_path / "Amber.md"): 2, str(tmp_path / "copy.md"): 2}


async def test_a_chinese_passage_is_asked_about_in_chinese(tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text(TEA, "utf-8")
    index([tmp_path / "tea.md"])
    made = json.dumps({"answer": "杭州市", "question": "龙井茶的产地在哪个城市？"}, ensure_ascii=False)
    with scripted(Line("用自己的话、用中文提问", made)) as (model, chat):
        await make(planned(model, 1, language="zh"), tmp_path / "set.jsonl")
    (item,) = kept(tmp_path / "set.jsonl")
    assert (item.lang, item.answers) == ("zh", ["杭州市"])
    assert f"句子：{TEA}" in chat.prompts[0] and f"{TEA}\n</passage>" in chat.prompts[0]


async def test_the_chat_model_may_evaluate_too(tmp_path: Path, evaluates: Evaluates) -> None:
    evaluates({})  # the embedded evaluator, were it asked, would reject everything
    lines = [*(asks(name, times=None) for name in HEIGHTS), Line("You judge whether a passage", "yes", times=None)]
    with scripted(*lines) as (model, _):
        card = await make(planned(model, 6, context={"evaluator": "llm"}), tmp_path / "set.jsonl")
    assert card.complete and card.evaluator == "llm" and card.usage["model_calls"] == 6 * (1 + 5)


def stop_after(number: int) -> Callable[[Mapping[Kind, Count]], None]:
    def done(counts: Mapping[Kind, Count]) -> None:
        if sum(count.made for count in counts.values()) == number:
            raise KeyboardInterrupt

    return done


@pytest.mark.parametrize("concurrency", [1, 3])
async def test_an_interrupted_test_set_goes_on_and_ends_as_a_whole_one(concurrency: int, tmp_path: Path) -> None:
    lines = [asks(name, times=None) for name in HEIGHTS if name != "Elm"]
    lines += [asks("Elm", "How high is it?", times=None), Line("trick questions", WHO_PAID, times=None)]
    whole, halves = tmp_path / "whole.jsonl", tmp_path / "halves.jsonl"
    with scripted(*lines) as (model, chat):
        full = await make(planned(model, 8, unanswerable=0.25), whole)
        asked = len(chat.prompts)
        assert (full.counts["single"].kept, full.counts["unanswerable"].kept) == (5, 1)
        task = make(planned(model, 8, unanswerable=0.25, concurrency=concurrency), halves, stop_after(4))
        with pytest.raises(KeyboardInterrupt):
            await task
        assert sum(count.made for count in read_card(halves).counts.values()) == 4
        for file in (halves, discarded_file(halves)):
            with file.open("a") as torn:
                torn.write('{"id": "sin')
        card = await make(planned(model, 8, unanswerable=0.25, concurrency=concurrency), halves)
        assert len(chat.prompts) - asked <= asked + concurrency - 1
    assert card.counts == full.counts
    if concurrency == 1:
        assert halves.read_text() == whole.read_text()
        assert discarded_file(halves).read_text() == discarded_file(whole).read_text()


async def test_more_questions_are_added_to_those_that_are_there(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    with scripted(*(asks(name, times=None) for name in HEIGHTS)) as (model, chat):
        await make(planned(model, 2), file)
        before = file.read_text()
        await make(planned(model, 6), file)
        assert len(chat.prompts) == 6 and file.read_text().startswith(before) and len(kept(file)) == 6


async def test_a_model_that_goes_down_ends_the_run_and_what_was_made_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    first, second = (one.passages[0] for one in list(attempts("single", Collection.open("default").store, None, 0))[:2])
    lines = [asks(Path(first.source).stem), Line(Path(second.source).stem, ModelUnavailable("the endpoint is down"))]
    with scripted(*lines) as (model, _):
        with pytest.raises(ModelUnavailable, match="the endpoint is down"):
            await make(planned(model, 6), file)
    assert len(kept(file)) == 1 and read_card(file).counts["single"].kept == 1


@pytest.mark.parametrize(
    ("again", "message"),
    [
        ({"seed": 1}, r"holds another test set \(seed: 0, now 1\): give another --out"),
        ({"context": {"top_k": 3}}, r"holds another test set \(context\.top_k: 5, now 3\)"),
        ({"language": "en"}, r"holds another test set \(language: None, now 'en'\)"),
    ],
)
async def test_another_test_set_is_not_mixed_into_a_file(
    again: Mapping[str, object], message: str, tmp_path: Path
) -> None:
    with scripted(*(asks(name, times=None) for name in HEIGHTS)) as (model, _):
        await make(planned(model, 6), tmp_path / "set.jsonl")
        with pytest.raises(InputError, match=message):
            await make(planned(model, 6, **again), tmp_path / "set.jsonl")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mine.jsonl", r"mine\.jsonl' exists, and no card of a test set beside it: give another --out"),
        ("set.csv", r"set\.csv': questions are written as JSON Lines; give a name that ends in \.jsonl"),
    ],
)
async def test_a_file_of_something_else_is_left_alone(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"question": "Mine?"}\n')
    with pytest.raises(InputError, match=message):
        await make(planned("openai:none", 1), tmp_path / name)
    assert (tmp_path / "mine.jsonl").read_text() == '{"question": "Mine?"}\n'


@pytest.mark.parametrize(
    ("collection", "model", "shares", "error", "message"),
    [
        ("default", "openai:m", (0.6, 0.5), InputError, "multi=0.6 and unanswerable=0.5: the two shares"),
        ("default", "gpt", (0, 0), InputError, "chat model 'gpt': give it as provider:model"),
        ("none", "openai:m", (0, 0), CollectionError, "no collection 'none'"),
        ("empty", "openai:m", (0, 0), CollectionError, "collection 'empty' is empty; fill it: groundgraph index"),
    ],
)
def test_what_cannot_be_made_is_said_at_once(
    collection: str, model: str, shares: Sequence[float], error: type[Exception], message: str
) -> None:
    Collection.open("empty", create=True)
    with pytest.raises(error, match=message):
        plan(collection, 5, model, Context(), multi=shares[0], unanswerable=shares[1])
