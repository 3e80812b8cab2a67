"""The cascade: the embedded evaluator settles the clear cases, the chat model reads the best of the doubtful ones."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, field_validator

from groundgraph.errors import ModelUnavailable
from groundgraph.grading.evaluator import Evaluator
from groundgraph.grading.head import Floats, Head
from groundgraph.grading.judge import Verdict, judge
from groundgraph.grading.rubrics import STATES
from groundgraph.grading.weights_file import read_weights
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.sentences import sentences
from groundgraph.models import Reply

CALIBRATION = Path(__file__).with_name("cascade.json")
FEATURES = ("embedded", "states")
SENTENCES = 4
"""Sentences of a passage that the chat model reads: on two cores it takes 2 s for them, and 4 s for the passage."""
EDGE = 0.01
"""Probabilities are cut to [EDGE, 1 - EDGE] before their log odds are taken: no model is quite sure."""
ANSWERS = 0.79
"""Once a passage scores this much, an embedded chat model reads no further: CRAG's Correct."""


class Calibration(BaseModel):
    """What the chat model's reading is worth beside the embedded evaluator's score."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chat_model: str = Field(description="Model whose probabilities were fitted.")
    head: Head = Field(description="P(the passage answers) from the log odds of both.")

    @field_validator("head")
    @classmethod
    def _features_are_ours(cls, head: Head) -> Head:
        if head.features != FEATURES:
            raise ValueError(f"features are {head.features}, but this version computes {FEATURES}")
        return head

    def predict(self, embedded: Sequence[float], states: Sequence[float]) -> list[float]:
        """Return the probability in [0, 1] that each passage answers, from both scores."""
        return [float(score) for score in self.head.predict(log_odds(embedded, states))]


@dataclass(frozen=True)
class Limits:
    """Which passages the chat model reads, and for how long."""

    low: float
    """A passage that the embedded evaluator scores at or below is settled."""
    high: float
    """Where a passage scores at or above, nothing is read."""
    passages: int
    """Passages read at most, the best of the doubtful ones."""
    seconds: float
    """Wall time for reading."""


@dataclass
class Cascade:
    """Scores, and what it took to get them."""

    scores: list[float]
    """Probability in [0, 1] that each passage answers, in order."""
    read: list[int] = field(default_factory=list)
    """Places of the passages that the chat model has read."""
    warnings: list[str] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)


async def cascade(
    model: str,
    question: str,
    passages: Sequence[Passage],
    scores: Sequence[float],
    limits: Limits,
    choose: Callable[[Passage], Passage],
    *,
    max_concurrency: int = 8,
) -> Cascade:
    """Return the embedded evaluator's scores, corrected by what the chat model reads in the best doubtful passages.

    An embedded chat model reads one at a time and stops at the first that answers; an endpoint reads them at once. A
    passage that was not read scores no more than the best of those that were, which stand above it. What cannot be
    read in time, or not at all, keeps the embedded evaluator's score, with a warning.

    Args:
        model: Chat model as `provider:model`.
        question: The question as it reads by itself.
        passages: The candidates.
        scores: Their scores by the embedded evaluator.
        limits: Which of them are doubtful, and how much reading is allowed.
        choose: Returns a passage cut to what is worth reading, such as `best_sentences`.
        max_concurrency: Passages that an endpoint reads at once.

    Raises:
        ModelError: The chat model cannot be had, or the endpoint refuses.
    """
    result = Cascade(list(scores))
    doubtful = _doubtful(scores, limits)
    width = 1 if model.startswith("llamacpp:") else max_concurrency
    cuts = await asyncio.to_thread(lambda: [choose(passages[place]) for place in doubtful])
    try:
        async with asyncio.timeout(limits.seconds):
            for start in range(0, len(doubtful), width):
                part = slice(start, start + width)
                verdicts = await judge(model, question, cuts[part], rubric=STATES, max_concurrency=max_concurrency)
                _note(result, doubtful[part], verdicts)
                if max(result.scores[place] for place in doubtful[part]) >= ANSWERS:
                    break
    except TimeoutError:
        said = f"the chat model read {len(result.read)} of {len(doubtful)} doubtful passages in {limits.seconds:g} s"
        result.warnings.append(f"{said}; the others were graded by the embedded evaluator")
    except ModelUnavailable as error:
        result.warnings.append(f"doubtful passages were graded by the embedded evaluator alone: {error}")
    if result.read:
        best = max(result.scores[place] for place in result.read)
        unread = [place for place in range(len(passages)) if place not in result.read]
        for place in unread:
            result.scores[place] = min(result.scores[place], best)
    return result


def best_sentences(evaluator: Evaluator, question: str, passage: Passage, most: int = SENTENCES) -> Passage:
    """Return a passage cut to its `most` most relevant sentences, in their order."""
    spans = sentences(passage.page_content)
    strips = [passage.page_content[start:end] for start, end in spans]
    scores = evaluator.score_sentences(question, strips, passage) if len(spans) > most else []
    if not scores:
        return passage
    kept = sorted(sorted(range(len(spans)), key=lambda place: -scores[place])[:most])
    return passage.cut([spans[place] for place in kept])


def log_odds(embedded: Sequence[float], states: Sequence[float]) -> Floats:
    """Return the rows of `FEATURES`: ln(p / (1 - p)) of both scores, (n, 2)."""
    cut: Floats = np.clip(np.column_stack([embedded, states]).astype(np.float64), EDGE, 1 - EDGE)
    return np.asarray(np.log(cut / (1 - cut)))


@cache
def load_calibration(path: Path = CALIBRATION) -> Calibration:
    """Return the calibration in a file, validated.

    Raises:
        ModelError: The file is missing, is not JSON, or does not fit this version.
    """
    return read_weights(path, Calibration, "cascade", "groundgraph evaluator calibrate DATA_DIR")


def _doubtful(scores: Sequence[float], limits: Limits) -> list[int]:
    """Return the places of the passages to read, best first."""
    ranked = sorted(range(len(scores)), key=lambda place: -scores[place])
    if not ranked or scores[ranked[0]] >= limits.high:
        return []
    return [place for place in ranked if scores[place] > limits.low][: limits.passages]


def _note(result: Cascade, places: Sequence[int], verdicts: Sequence[Verdict]) -> None:
    """Correct the scores of passages that were read; one without a verdict keeps its own, with a warning."""
    result.replies += [verdict.reply for verdict in verdicts if verdict.reply is not None]
    for place, verdict in zip(places, verdicts, strict=True):
        if verdict.score is None:
            result.warnings.append(f"passage {place + 1} graded by the embedded evaluator alone: {verdict.ambiguous}")
        else:
            result.read.append(place)
            (result.scores[place],) = load_calibration().predict([result.scores[place]], [verdict.score])
