"""Choose a pattern's settings on some questions, and measure the choice on others."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from statistics import fmean
from typing import NamedTuple

from groundgraph.errors import InputError
from groundgraph.evaluation import space
from groundgraph.evaluation.answering import GRADING, RETRIEVAL
from groundgraph.evaluation.asker import Asker, calls_model
from groundgraph.evaluation.metrics.retrieval import ndcg_at_k, recall_at_k, relevant_sources
from groundgraph.evaluation.metrics.stats import Interval, PairedDifference, bootstrap_interval, paired_test
from groundgraph.evaluation.outcome import quality
from groundgraph.evaluation.profile import Settings, changed, differing
from groundgraph.evaluation.questions import Question
from groundgraph.evaluation.records import Row
from groundgraph.evaluation.space import Stage
from groundgraph.evaluation.thresholds import Decision, GradedQuestion, axes, credit, graded_question, threshold_map
from state.context import Context
from state.presets import settled

DEPTH = 10
"""Passages that rankings are compared on."""
PASSAGE_COST = 0.01
"""Recall that one more passage must bring."""
ENOUGH = 5
"""Questions that a choice needs at least: of thresholds, as many that should be answered and that should be refused."""
FOR_TUNING = 2 / 3
"""Share of a stage's model calls that the choice gets; the measurement on held-out questions gets the rest."""

OBJECTIVES: dict[Stage, str] = {
    "chunker": f"nDCG@{DEPTH}",
    "search": f"nDCG@{DEPTH}",
    "top_k": f"recall less {PASSAGE_COST} a passage",
    "thresholds": "right decisions to answer or refuse, both kinds weighed alike",
    "answers": "quality of answers and refusals",
}

Values = list[list[float | None]]
"""Of each candidate the values of the same questions, in the same order."""
Measure = Callable[[Sequence[Context], Sequence[Question], int], Awaitable[Values]]


class Choice(NamedTuple):
    """What one stage chose, and what that is worth on the held-out questions."""

    stage: Stage
    settings: dict[str, object]
    """What it changed; empty if nothing was better."""
    tried: int
    questions: int
    """Questions that it chose on."""
    before: Interval
    """The stage's objective on held-out questions, with the settings as they were."""
    after: Interval
    gain: PairedDifference
    skipped: str = ""
    """Why the stage was left out; nothing else holds then."""


class ThresholdMap(NamedTuple):
    """What each pair of thresholds of the chosen policy makes of the tuning questions."""

    decisions: list[Decision]
    now: tuple[float, float]
    """The pair as it was."""
    chosen: tuple[float, float]
    web: bool = False
    """Whether the web is asked for questions that are not Correct."""


@dataclass
class Tuner:
    """One tuning: its questions, its budget, and the settings as they stand."""

    pattern: str
    context: Context
    tuning: Sequence[Question]
    held_out: Sequence[Question]
    asker: Asker
    budget: int
    """Model calls that may be spent in all."""
    chunked: Sequence[str] = ()
    """Collections of the same documents, cut otherwise."""
    choices: list[Choice] = field(default_factory=list)
    map: ThresholdMap | None = None
    """Where thresholds were tuned."""

    def __post_init__(self) -> None:
        self.context = settled(self.context)

    @property
    def profile(self) -> Context:
        """Return the settings to keep: as they stand, but for the collections unless one was chosen."""
        chosen = any("collections" in choice.settings for choice in self.choices)
        return self.context if chosen else self.context.model_copy(update={"collections": Context().collections})

    @property
    def is_tried(self) -> bool:
        """Return whether any stage could try anything."""
        return any(not choice.skipped for choice in self.choices)

    async def run(self) -> None:
        """Go through the stages of the pattern; each goes on from what the ones before it chose.

        Raises:
            InputError: The budget is too small for any stage that asks the chat model.
        """
        check_budget(self.pattern, self.context, self.budget)
        for stage in space.stages_of(self.pattern):
            choice = await _STAGES[stage](self)
            self.context = changed(self.context, choice.settings)
            self.choices.append(choice)

    async def choose(self, stage: Stage, candidates: Iterable[Context], measure: Measure, asked: str) -> Choice:
        """Return the best candidate by its mean on the tuning questions, the present settings if none is better."""
        contexts = [self.context, *candidates]
        contexts = [one for n, one in enumerate(contexts) if one not in contexts[:n]]
        allowance = self._allowance(stage) if calls_model(asked, contexts) else 0
        if calls_model(asked, contexts) and allowance < (least := least_calls(stage, len(contexts))):
            return skipped(stage, f"it takes {least} model calls at least, and {allowance} are left for it")
        values = await measure(contexts, self.tuning, int(allowance * FOR_TUNING))
        scored = sum(value is not None for value in values[0])
        if scored < ENOUGH or 2 * scored <= len(values[0]):
            failure = f" (a failure: {self.asker.failure})" if self.asker.failure else ""
            paid = f", with {allowance} model calls" if allowance else ""
            why = f"only {scored} of {len(values[0])} questions could be scored{paid}{failure}"
            return skipped(stage, f"{why}; it needs {ENOUGH}, and over half")
        best = max(range(len(contexts)), key=lambda n: (round(_mean(values[n]), 9), -n))
        pair = [self.context, contexts[best]] if best else [self.context]
        held = await measure(pair, self.held_out, allowance - int(allowance * FOR_TUNING))
        before, after = held[0], held[-1]
        settings = differing(contexts[best], self.context)
        gain = paired_test(before, after)
        return Choice(
            stage, settings, len(contexts), scored, bootstrap_interval(before), bootstrap_interval(after), gain
        )

    def with_each(self, candidates: Iterable[Settings]) -> Iterator[Context]:
        """Yield the settings as they stand, changed to each candidate."""
        return (changed(self.context, one) for one in candidates)

    def _allowance(self, stage: Stage) -> int:
        """Return the model calls that the stage may spend: what is left, shared with the stages that follow."""
        stages = space.stages_of(self.pattern)
        following = [one for one in stages[stages.index(stage) :] if _may_call(one, self.pattern, self.context)]
        return (self.budget - self.asker.calls) // max(1, len(following))

    async def ranked(self, contexts: Sequence[Context], questions: Sequence[Question]) -> list[list[Row]]:
        """Return what is retrieved, `DEPTH` passages or more, for each question with a known relevant source."""
        known = [question for question in questions if relevant_sources(question.rel or {})]
        deep = [changed(one, {"top_k": max(DEPTH, one.top_k), "answerer": "extractive"}) for one in contexts]
        return await self.asker.ask(RETRIEVAL, deep, known, 0)


def check_budget(pattern: str, context: Context, budget: int) -> None:
    """Raise if model calls may be spent, but too few for any stage of the pattern that asks the chat model.

    Raises:
        InputError: The message says how many it takes.
    """
    context = settled(context)
    least = [
        least_calls(stage, len([*space.answers(pattern)]) if stage == "answers" else 1)
        for stage in space.stages_of(pattern)
        if _may_call(stage, pattern, context)
    ]
    if 0 < budget < min(least, default=0):
        raise InputError(f"budget={budget}: tuning {pattern} by the chat model takes {min(least)} model calls at least")


def least_calls(stage: Stage, candidates: int) -> int:
    """Return the model calls that a stage takes where each candidate takes one on each of the fewest questions."""
    asked = 1 if stage == "thresholds" else candidates  # one grading serves all thresholds
    return ceil(ENOUGH * asked / FOR_TUNING)


def skipped(stage: Stage, reason: str) -> Choice:
    """Return the choice of a stage that was left out."""
    nothing = Interval(None, None, None, 0)
    return Choice(stage, {}, 0, 0, nothing, nothing, PairedDifference(None, None, None, None, 0), reason)


async def _chunker(tuner: Tuner) -> Choice:
    if not tuner.chunked:
        return skipped("chunker", "name others to try with --chunker")
    candidates = [{"collections": [name]} for name in tuner.chunked]
    return await tuner.choose("chunker", tuner.with_each(candidates), _ndcg(tuner), RETRIEVAL)


async def _search(tuner: Tuner) -> Choice:
    return await tuner.choose("search", tuner.with_each(space.searches()), _ndcg(tuner), RETRIEVAL)


def _ndcg(tuner: Tuner) -> Measure:
    async def measure(contexts: Sequence[Context], questions: Sequence[Question], _: int) -> Values:
        rows = await tuner.ranked(contexts, questions)
        return [[None if row.error else ndcg_at_k(row.retrieved, row.rel or {}, DEPTH) for row in own] for own in rows]

    return measure


async def _top_k(tuner: Tuner) -> Choice:
    async def measure(contexts: Sequence[Context], questions: Sequence[Question], _: int) -> Values:
        ranked = await tuner.ranked(contexts, questions)
        return [[_worth(row, one.top_k) for row in rows] for one, rows in zip(contexts, ranked, strict=True)]

    return await tuner.choose("top_k", tuner.with_each({"top_k": k} for k in space.TOP_K), measure, RETRIEVAL)


def _worth(row: Row, k: int) -> float | None:
    recall = recall_at_k(row.retrieved[:k], row.rel or {}, k)
    return None if recall is None or row.error else recall - PASSAGE_COST * k


async def _thresholds(tuner: Tuner) -> Choice:
    if calls_model(GRADING, [tuner.context]) and not tuner.budget:
        return skipped(
            "thresholds", f"evaluator={tuner.context.evaluator!r} asks the chat model: give model calls with --budget"
        )
    graded: dict[bool, list[GradedQuestion | None]] = {}
    web = tuner.context.web_search != "off"
    grading = tuner.context
    if grading.evaluator == "embedded":
        grading = changed(grading, {"answerer": "extractive"})  # a follow-up then asks no model either

    async def measure(contexts: Sequence[Context], questions: Sequence[Question], allowance: int) -> Values:
        on_tuning = questions is tuner.tuning
        if on_tuning not in graded:
            known = [question for question in questions if question.rel or question.answerable is not None]
            (rows,) = await tuner.asker.ask(GRADING, [grading], known, allowance)
            graded[on_tuning] = [graded_question(row) for row in rows]
        return [_balanced(graded[on_tuning], one, web=web) for one in contexts]

    choice = await tuner.choose("thresholds", space.thresholds(tuner.context), measure, GRADING)
    known = [question for question in graded[True] if question]
    kinds = [sum(question.answerable is kind for question in known) for kind in (True, False)]
    if min(kinds) < ENOUGH:
        return skipped(
            "thresholds",
            f"of the tuning questions, {kinds[0]} find a passage that answers and {kinds[1]} find none; "
            f"it needs {ENOUGH} of both",
        )
    chosen = changed(tuner.context, choice.settings).crag
    low, high, *_ = axes(chosen)
    now = tuner.context.crag.model_copy(update={"policy": chosen.policy})
    pairs = [(getattr(crag, low), getattr(crag, high)) for crag in (now, chosen)]
    tuner.map = ThresholdMap(threshold_map(known, now, web=web), pairs[0], pairs[1], web)
    return choice


def _balanced(graded: Sequence[GradedQuestion | None], context: Context, *, web: bool) -> list[float | None]:
    """Return each question's credit, weighted so that the mean is that of the two kinds' means."""
    kinds = [question.answerable for question in graded if question]
    weights = {kind: len(kinds) / (len({*kinds}) * kinds.count(kind)) for kind in {*kinds}}
    return [
        None if question is None else weights[question.answerable] * credit(question, context.crag, web=web)
        for question in graded
    ]


async def _answers(tuner: Tuner) -> Choice:
    if calls_model(tuner.pattern, [tuner.context]) and not tuner.budget:
        return skipped("answers", "it asks the chat model: give model calls with --budget")

    async def measure(contexts: Sequence[Context], questions: Sequence[Question], allowance: int) -> Values:
        judged = [question for question in questions if question.answers or question.answerable is False]
        rows = await tuner.asker.ask(tuner.pattern, contexts, judged, allowance)
        return [[quality(row) for row in own] for own in rows]

    return await tuner.choose("answers", tuner.with_each(space.answers(tuner.pattern)), measure, tuner.pattern)


_STAGES: dict[Stage, Callable[[Tuner], Awaitable[Choice]]] = {
    "chunker": _chunker,
    "search": _search,
    "top_k": _top_k,
    "thresholds": _thresholds,
    "answers": _answers,
}


def _may_call(stage: Stage, pattern: str, context: Context) -> bool:
    asked = {"thresholds": GRADING, "answers": pattern}.get(stage, RETRIEVAL)
    return calls_model(asked, [context])


def _mean(values: Sequence[float | None]) -> float:
    scored = [value for value in values if value is not None]
    return fmean(scored) if scored else float("-inf")
