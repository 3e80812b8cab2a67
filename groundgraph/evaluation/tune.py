"""Choose a pattern's settings on some questions, and measure the choice on others."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from statistics import fmean

from groundgraph.errors import InputError
from groundgraph.evaluation import space
from groundgraph.evaluation.answering import GRADING, RETRIEVAL
from groundgraph.evaluation.asker import Asker, calls_model
from groundgraph.evaluation.choice import Choice, ThresholdMap, Whole, compared, skipped, unless_worse
from groundgraph.evaluation.objectives import (
    DECISIONS,
    QUALITY,
    RECALL,
    Measure,
    Objectives,
    Values,
    balanced,
    web_asked,
)
from groundgraph.evaluation.profile import Settings, changed, differing
from groundgraph.evaluation.questions import Question
from groundgraph.evaluation.space import Stage
from groundgraph.evaluation.thresholds import GradedQuestion, axes, graded_question, threshold_map
from state.context import Context
from state.presets import settled

PASSAGE_COST = 0.01
"""Recall that one more passage must bring."""
ENOUGH = 5
"""Questions that a choice needs at least: of thresholds, as many that should be answered and that should be refused."""
FOR_TUNING = 2 / 3
"""Share of a stage's model calls that the choice gets; the measurement on held-out questions gets the rest."""


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
    whole: list[Whole] = field(default_factory=list)
    """Empty if nothing was changed."""
    map: ThresholdMap | None = None
    """Where thresholds were tuned."""

    def __post_init__(self) -> None:
        self.context = settled(self.context)
        self.objectives = Objectives(self.pattern, self.asker)

    @property
    def profile(self) -> Context:
        """Return the settings to keep: as they stand, but for the collections unless one was chosen."""
        chosen = not self.is_worse and any("collections" in choice.settings for choice in self.choices)
        return self.context if chosen else self.context.model_copy(update={"collections": Context().collections})

    @property
    def is_tried(self) -> bool:
        """Return whether any stage could try anything."""
        return any(not choice.skipped for choice in self.choices)

    @property
    def is_combined(self) -> bool:
        """Return whether anything was changed that the stage of answers did not measure with its answers."""
        return any(choice.settings for choice in self.choices if choice.stage != "answers")

    @property
    def is_worse(self) -> bool:
        """Return whether all choices together are worse beyond chance than the settings given, which then stay."""
        return any(one.gain.is_worse for one in self.whole)

    async def run(self) -> None:
        """Go through the stages of the pattern; each goes on from what the ones before it chose.

        In the end all that was chosen is measured together, beside the settings that were given.

        Raises:
            InputError: The budget is too small for any stage that asks the chat model.
        """
        check_budget(self.pattern, self.context, self.budget)
        given = self.context
        for stage in space.stages_of(self.pattern):
            choice = await _STAGES[stage](self)
            self.context = changed(self.context, choice.settings)
            self.choices.append(choice)
        await self._measure_whole(given)

    async def choose(
        self,
        stage: Stage,
        candidates: Iterable[Context],
        measure: Measure,
        asked: str,
        cost: Callable[[Context], float] = lambda _: 0.0,
    ) -> Choice:
        """Return the best candidate by its mean on the tuning questions less its cost.

        The present settings stay if none is better, or if the best is worse beyond chance on the held-out questions.
        """
        contexts = [self.context, *candidates]
        contexts = [one for n, one in enumerate(contexts) if one not in contexts[:n]]
        least = least_calls(stage, len(contexts))
        allowance = self._allowance(stage, least) if calls_model(asked, contexts) else 0
        if calls_model(asked, contexts) and allowance < least:
            return skipped(stage, f"it takes {least} model calls at least, and {allowance} are left for it")
        values = await measure(contexts, self.tuning, int(allowance * FOR_TUNING))
        scored = sum(value is not None for value in values[0])
        if scored < ENOUGH or 2 * scored <= len(values[0]):
            failure = f" (a failure: {self.asker.failure})" if self.asker.failure else ""
            paid = f", with {allowance} model calls" if allowance else ""
            why = f"only {scored} of {len(values[0])} questions could be scored{paid}{failure}"
            return skipped(stage, f"{why}; it needs {ENOUGH}, and over half")
        best = max(range(len(contexts)), key=lambda n: (round(_mean(values[n]) - cost(contexts[n]), 9), -n))
        pair = [self.context, contexts[best]] if best else [self.context]
        held = await measure(pair, self.held_out, allowance - int(allowance * FOR_TUNING))
        settings = differing(contexts[best], self.context)
        saved = round(cost(self.context) - cost(contexts[best]), 9)
        return unless_worse(Choice(stage, settings, len(contexts), scored, *compared(held), saved=saved), held)

    def with_each(self, candidates: Iterable[Settings]) -> Iterator[Context]:
        """Yield the settings as they stand, changed to each candidate."""
        return (changed(self.context, one) for one in candidates)

    def _allowance(self, stage: Stage, least: int) -> int:
        """Return the model calls that the stage may spend: what is left, shared with the stages that follow.

        The measurement of all that was chosen has a share too, if `least` are left for the stage without it.
        """
        stages = space.stages_of(self.pattern)
        following = [one for one in stages[stages.index(stage) :] if _may_call(one, self.pattern, self.context)]
        left = self.budget - self.asker.calls
        share = left // (len(following) + 1) if len(stages) > 1 else 0
        return share if share >= least else left // max(1, len(following))

    async def _measure_whole(self, given: Context) -> None:
        """Measure all choices together on the held-out questions, by what costs nothing or can be paid for.

        If they are worse together than the settings given, these stay.
        """
        if not self.is_combined:
            return
        pair = [given, self.context]
        left = self.budget - self.asker.calls
        tried = {choice.stage for choice in self.choices if not choice.skipped}
        measures: dict[str, Measure] = {RECALL: self.objectives.recall}
        if "thresholds" in tried and not calls_model(GRADING, pair):
            measures[DECISIONS] = self.objectives.decisions
        if not calls_model(self.pattern, pair) or left >= len(pair) * ENOUGH:
            measures[QUALITY] = self.objectives.quality
        for objective, measure in measures.items():
            whole = Whole(objective, *compared(await measure(pair, self.held_out, left)))
            if whole.gain.n >= ENOUGH:
                self.whole.append(whole)
        if self.is_worse:
            self.context = given


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


async def _chunker(tuner: Tuner) -> Choice:
    if not tuner.chunked:
        return skipped("chunker", "name others to try with --chunker")
    candidates = [{"collections": [name]} for name in tuner.chunked]
    return await tuner.choose("chunker", tuner.with_each(candidates), tuner.objectives.ndcg, RETRIEVAL)


async def _search(tuner: Tuner) -> Choice:
    return await tuner.choose("search", tuner.with_each(space.searches()), tuner.objectives.ndcg, RETRIEVAL)


async def _top_k(tuner: Tuner) -> Choice:
    candidates = tuner.with_each({"top_k": k} for k in space.TOP_K)
    return await tuner.choose(
        "top_k", candidates, tuner.objectives.recall, RETRIEVAL, lambda context: PASSAGE_COST * context.top_k
    )


async def _thresholds(tuner: Tuner) -> Choice:
    if calls_model(GRADING, [tuner.context]) and not tuner.budget:
        return skipped(
            "thresholds", f"evaluator={tuner.context.evaluator!r} asks the chat model: give model calls with --budget"
        )
    graded: dict[bool, list[GradedQuestion | None]] = {}
    web = web_asked(tuner.context)

    async def measure(contexts: Sequence[Context], questions: Sequence[Question], allowance: int) -> Values:
        on_tuning = questions is tuner.tuning
        if on_tuning not in graded:
            rows = await tuner.objectives.graded(tuner.context, questions, allowance)
            graded[on_tuning] = [graded_question(row) for row in rows]
        return [balanced(graded[on_tuning], one, web=web) for one in contexts]

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


async def _answers(tuner: Tuner) -> Choice:
    if calls_model(tuner.pattern, [tuner.context]) and not tuner.budget:
        return skipped("answers", "it asks the chat model: give model calls with --budget")

    candidates = tuner.with_each(space.answers(tuner.pattern))
    return await tuner.choose("answers", candidates, tuner.objectives.quality, tuner.pattern)


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
