"""The weights of the embedded evaluator: three logistic heads in one JSON file."""

from functools import cache
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from groundgraph.grading.features import AMONG_FEATURES, PAIR_FEATURES
from groundgraph.grading.head import Head
from groundgraph.grading.sentence_features import SENTENCE_FEATURES
from groundgraph.grading.weights_file import digest, in_use, read_weights
from groundgraph.settings import get_settings

DEFAULT_WEIGHTS = Path(__file__).with_name("evaluator.json")


class Weights(BaseModel):
    """Heads of the embedded evaluator, for the features of this version of the code."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    embedding_model: str = Field(description="Model whose similarities the heads were fitted on.")
    alone: Head = Field(description="Grades a passage that comes alone.")
    among: Head = Field(description="Grades a passage among other candidates.")
    sentence: Head = Field(description="Tells the sentences of a passage that are worth keeping, at 0.5 or more.")

    @model_validator(mode="after")
    def _features_are_ours(self) -> Self:
        heads = ((self.alone, PAIR_FEATURES), (self.among, AMONG_FEATURES), (self.sentence, SENTENCE_FEATURES))
        for head, features in heads:
            if head.features != features:
                raise ValueError(f"features are {head.features}, but this version computes {features}")
        return self


@cache
def load_weights(path: Path = DEFAULT_WEIGHTS) -> Weights:
    """Return the weights in a file, validated.

    Raises:
        ModelError: The file is missing, is not JSON, or does not fit this version.
    """
    return read_weights(path, Weights, "evaluator", "groundgraph evaluator train DATA")


def weights_path() -> Path:
    """Return the weights in use: those named by GROUNDGRAPH_EVALUATOR, those trained here, else the project's own."""
    return get_settings().evaluator or in_use(DEFAULT_WEIGHTS)


def record_path(weights: Path) -> Path:
    """Return where the training record of a weights file stands: beside it, under a name of its own."""
    stem = "training" if weights.name == DEFAULT_WEIGHTS.name else weights.stem
    return weights.with_name(f"{stem}_record.json")


def weights_digest() -> str:
    """Return what tells the weights in use from others; see `digest`.

    Raises:
        ModelError: They cannot be used.
    """
    return digest(load_weights(weights_path()))
