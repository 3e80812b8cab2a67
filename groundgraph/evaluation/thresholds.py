"""What CRAG would have decided with other thresholds: recomputed from recorded scores, without asking anything."""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from groundgraph.evaluation.graded import grade_step, graded_sources
from groundgraph.evaluation.metrics.retrieval import relevant_sources
from groundgraph.evaluation.records import Row
from groundgraph.knowledge.passage import Passage
from nodes.grade import action_of, tier_of, usable
from state.blocks import CragSettings

_RELEVANT, _OTHER = "relevant", "other"
_HALF = 0.5


class GradedQuestion(NamedTuple):
    """The scores of a question's passages, and what should be made of them."""

    scores: tuple[float | None, ...]
    relevant: tuple[bool, ...]
    """Whether each is relevant; all alike where that is known of the question only."""
    answerable: bool
    """Whether any of them answers."""


class Decision(NamedTuple):
    """What thresholds make of many questions, each share in [0, 1]; None where there is no such question."""

    low: float
    high: float
    quality: float | None
    """Mean of `answered` and `refused`, or the one there is."""
    answered: float | None
    """Of the questions whose passages answer, those that keep such a passage."""
    refused: float | None
    """Of the others, those that keep none."""
    uncertain: float
    """Share of all questions that are corrected by the web where that is allowed: the action is not Correct."""
    kept: float
    """Passages that a question keeps, in the mean: what the prompt grows with."""


def axes(crag: CragSettings) -> tuple[str, str, tuple[float, ...], tuple[float, ...]]:
    """Return the names of the policy's two thresholds and the values to try, the present ones among them."""
    names, first_low, first_high = (
        (("mean_low", "mean_high"), 10, 50) if crag.policy == "mean" else (("theta_low", "theta_high"), 30, 60)
    )
    low, high = (getattr(crag, name) for name in names)
    lows = {round(first_low / 100 + step / 20, 2) for step in range(7)} | {low}
    highs = {round(first_high / 100 + step / 20, 2) for step in range(7)} | {high}
    return *names, tuple(sorted(lows)), tuple(sorted(highs))


def graded_question(row: Row) -> GradedQuestion | None:
    """Return what the row's first `grade` step scored; None if there is none, or it is not known what is relevant."""
    sources = graded_sources(row)
    if not sources:
        return None
    gold = relevant_sources(row.rel or {})
    if gold or row.answerable is False:
        relevant = tuple(source in gold for source in sources)
    elif row.answerable:
        relevant = (True,) * len(sources)
    else:
        return None
    return GradedQuestion(tuple(grade_step(row)["scores"]), relevant, any(relevant))


def credit(question: GradedQuestion, crag: CragSettings, *, web: bool) -> float:
    """Return how right the decision on a question is: 1, 0, or ½ if the web, where allowed, is asked beside it."""
    action, kept = _decide(question, crag)
    if web and action == "ambiguous":
        return _HALF
    if question.answerable:
        return float(any(passage.source == _RELEVANT for passage in kept))
    return float(not kept)


def decide(questions: Sequence[GradedQuestion], crag: CragSettings, *, web: bool) -> Decision:
    """Return what these settings make of the questions, of which there is at least one."""
    credits: dict[bool, list[float]] = {True: [], False: []}
    for question in questions:
        credits[question.answerable].append(credit(question, crag, web=web))
    answered, refused = _mean(credits[True]), _mean(credits[False])
    low_name, high_name, *_ = axes(crag)
    decided = [_decide(question, crag) for question in questions]
    return Decision(
        low=getattr(crag, low_name),
        high=getattr(crag, high_name),
        quality=_mean([share for share in (answered, refused) if share is not None]),
        answered=answered,
        refused=refused,
        uncertain=fmean(action != "correct" for action, _ in decided),
        kept=fmean(len(kept) for _, kept in decided),
    )


def threshold_map(questions: Sequence[GradedQuestion], crag: CragSettings, *, web: bool) -> list[Decision]:
    """Return the decision for every pair of thresholds of the policy, row by row of the lower one."""
    low_name, high_name, lows, highs = axes(crag)
    return [
        decide(questions, crag.model_copy(update={low_name: low, high_name: high}), web=web)
        for low in lows
        for high in highs
        if low <= high
    ]


def best(decisions: Iterable[Decision], low: float, high: float) -> Decision:
    """Return the decision of highest quality; of several, the one whose thresholds are nearest to these."""
    return max(decisions, key=lambda one: (one.quality or 0.0, -abs(one.low - low) - abs(one.high - high)))


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _decide(question: GradedQuestion, crag: CragSettings) -> tuple[str, list[Passage]]:
    """Return the action and the passages kept, as the node `grade` decides them."""
    passages = [
        Passage(
            page_content="",
            source=_RELEVANT if relevant else _OTHER,
            score=score,
            tier=tier_of(score, crag.theta_low, crag.theta_high),
        )
        for score, relevant in zip(question.scores, question.relevant, strict=True)
    ]
    action = action_of(passages, crag)
    return action, usable(passages, action, crag)
