"""The cascade: the embedded evaluator settles the clear cases, the chat model reads the best of the doubtful ones."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, field_validator

from groundgraph.errors import ModelUnavailable
from groundgraph.grading.head import Floats, Head
from groundgraph.grading.reader import read
from groundgraph.grading.weights_file import digest, in_use, read_weights
from groundgraph.knowledge.passage import Passage
from groundgraph.models import Reply

CALIBRATION = Path(__file__).with_name("cascade.json")
FEATURES = ("embedded", "stated")
EDGE = 0.01
"""Probabilities are cut to [EDGE, 1 - EDGE] before their log odds are taken: no model is quite sure."""


class Calibration(BaseModel):
    """What the chat model's reading is worth beside the embedded evaluator's score."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chat_model: str = Field(description="Model whose probabilities were fitted.")
    head: Head = Field(description="P(the passages answer) from the log odds of the features.")

    @field_validator("head")
    @classmethod
    def _features_are_ours(cls, head: Head) -> Head:
        if head.features != FEATURES:
            raise ValueError(f"features are {head.features}, but this version computes {FEATURES}")
        return head

    def predict(self, embedded: float, stated: float) -> float:
        """Return the probability in (0, 1) that the passages answer, from the best one's score and the reading."""
        return float(self.head.predict(log_odds([embedded], [stated]))[0])


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
    choose: Callable[[Sequence[Passage]], Sequence[Passage]],
) -> Cascade:
    """Return the embedded evaluator's scores, corrected by what the chat model makes of the doubtful passages.

    It reads them together. The best one then scores the probability that an answer is there, and every other its share
    of that. A passage that was not read scores no more than before. What cannot be read in time, or not at all, keeps
    the embedded evaluator's scores, with a warning.

    Args:
        model: Chat model as `provider:model`.
        question: The question as it reads by itself.
        passages: The candidates.
        scores: Their scores by the embedded evaluator.
        limits: Which of them are doubtful, and how much reading is allowed.
        choose: Returns passages, which carry their scores, cut to what is worth reading, such as `best_sentences`.

    Raises:
        ModelError: The chat model cannot be had, or the endpoint refuses.
    """
    result = Cascade(list(scores))
    doubtful = _doubtful(scores, limits)
    if not doubtful:
        return result
    evidence = [passages[place].model_copy(update={"score": scores[place]}) for place in doubtful]
    try:
        async with asyncio.timeout(limits.seconds):
            stated, reply = await read(model, question, await asyncio.to_thread(choose, evidence))
    except TimeoutError:
        result.warnings.append(f"graded by the embedded evaluator alone: no reading within {limits.seconds:g} s")
    except ModelUnavailable as error:
        result.warnings.append(f"graded by the embedded evaluator alone: {error}")
    else:
        result.replies = [reply]
        if stated is None:
            result.warnings.append(f"graded by the embedded evaluator alone: the chat model's draft is {reply.text!r}")
        else:
            result.read = doubtful
            result.scores = _corrected(scores, doubtful, stated)
    return result


def log_odds(embedded: Sequence[float], stated: Sequence[float]) -> Floats:
    """Return the rows of `FEATURES`: ln(p / (1 - p)) of both probabilities, (n, 2)."""
    cut: Floats = np.clip(np.column_stack([embedded, stated]).astype(np.float64), EDGE, 1 - EDGE)
    return np.asarray(np.log(cut / (1 - cut)))


@cache
def load_calibration(path: Path = CALIBRATION) -> Calibration:
    """Return the calibration in a file, validated.

    Raises:
        ModelError: The file is missing, is not JSON, or does not fit this version.
    """
    return read_weights(path, Calibration, "cascade", "groundgraph evaluator calibrate DATA_DIR")


def calibration_digest() -> str:
    """Return what tells the calibration in use from others; see `digest`.

    Raises:
        ModelError: It cannot be used.
    """
    return digest(load_calibration(in_use(CALIBRATION)))


def _doubtful(scores: Sequence[float], limits: Limits) -> list[int]:
    """Return the places of the passages to read, best first."""
    ranked = sorted(range(len(scores)), key=lambda place: -scores[place])
    if not ranked or scores[ranked[0]] >= limits.high:
        return []
    return [place for place in ranked if scores[place] > limits.low][: limits.passages]


def _corrected(scores: Sequence[float], doubtful: Sequence[int], stated: float) -> list[float]:
    """Return all scores in proportion to the best one's, which the reading settles; what was not read never rises."""
    best = max(scores)
    settled = load_calibration(in_use(CALIBRATION)).predict(best, stated)
    shares = [settled * score / best for score in scores]
    return [share if place in doubtful else min(share, scores[place]) for place, share in enumerate(shares)]
