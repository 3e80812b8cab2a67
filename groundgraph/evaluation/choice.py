"""What one stage of tuning chose, what all of them chose together, and what that is worth on held-out questions."""

from typing import Any, NamedTuple

from groundgraph.evaluation.metrics.stats import Interval, PairedDifference, bootstrap_interval, paired_test
from groundgraph.evaluation.objectives import DECISIONS, NDCG, QUALITY, RECALL, Values
from groundgraph.evaluation.profile import Settings
from groundgraph.evaluation.space import Stage
from groundgraph.evaluation.thresholds import Decision

OBJECTIVES: dict[Stage, str] = {
    "chunker": NDCG,
    "search": NDCG,
    "top_k": RECALL,
    "thresholds": DECISIONS,
    "answers": QUALITY,
}


class Choice(NamedTuple):
    """What one stage chose, and what that is worth on the held-out questions."""

    stage: Stage
    settings: dict[str, object]
    """What it changed; empty if nothing was better, or the best is `rejected`."""
    tried: int
    questions: int
    """Questions that it chose on."""
    before: Interval
    """The stage's objective on held-out questions, with the settings as they were."""
    after: Interval
    gain: PairedDifference
    skipped: str = ""
    """Why the stage was left out; nothing else holds then."""
    rejected: Settings | None = None
    """What did best on the tuning questions, but is worse beyond chance on the held-out ones, which `gain` shows."""
    saved: float = 0.0
    """How much cheaper it is, in units of the objective."""

    @property
    def is_cheaper(self) -> bool:
        """Return whether all that is known to be gained is what it saves."""
        return bool(self.settings) and self.saved > 0 and self.gain.is_noise


class Whole(NamedTuple):
    """What all that was chosen is worth together on the held-out questions, by one objective."""

    objective: str
    before: Interval
    """With the settings that were given."""
    after: Interval
    gain: PairedDifference


class ThresholdMap(NamedTuple):
    """What each pair of thresholds of the chosen policy makes of the tuning questions."""

    decisions: list[Decision]
    now: tuple[float, float]
    """The pair as it was."""
    chosen: tuple[float, float]
    web: bool = False
    """Whether the web is asked for questions that are not Correct."""


def skipped(stage: Stage, reason: str) -> Choice:
    """Return the choice of a stage that was left out."""
    nothing = Interval(None, None, None, 0)
    return Choice(stage, {}, 0, 0, nothing, nothing, PairedDifference(None, None, None, None, 0), reason)


def figures(measured: Choice | Whole) -> dict[str, Any]:
    """Return all of it as JSON values, and whether the gain is within noise."""
    inner = {name: getattr(measured, name)._asdict() for name in ("before", "after", "gain")}
    return {**measured._asdict(), **inner, "within_noise": measured.gain.is_noise}


def compared(held: Values) -> tuple[Interval, Interval, PairedDifference]:
    """Return what the first settings and the last are worth, and the difference."""
    before, after = held[0], held[-1]
    return bootstrap_interval(before), bootstrap_interval(after), paired_test(before, after)


def unless_worse(choice: Choice, held: Values) -> Choice:
    """Return the choice, rejected if it is worse beyond chance on the held-out questions, or not worth its cost."""
    after = [None if value is None else value + choice.saved for value in held[-1]]
    if choice.gain.is_worse or paired_test(held[0], after).is_worse:
        return choice._replace(settings={}, rejected=choice.settings)
    return choice
