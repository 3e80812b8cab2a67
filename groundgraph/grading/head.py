"""A logistic head: a probability from a few features, its weights kept as JSON."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

Floats = NDArray[np.float64]


class Head(BaseModel):
    """Logistic regression over standardised features: p = σ(weights · (x - mean) / scale + bias)."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    features: tuple[str, ...] = Field(min_length=1, description="Names of the columns, in order.")
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float

    @model_validator(mode="after")
    def _one_figure_a_feature(self) -> Self:
        lengths = {len(self.features), len(self.mean), len(self.scale), len(self.weights)}
        if len(lengths) > 1 or min(self.scale) <= 0:
            raise ValueError("mean, scale (above 0) and weights must hold one figure a feature")
        return self

    def predict(self, rows: Floats) -> Floats:
        """Return one probability in (0, 1) for each row of an (n, features) matrix."""
        return sigmoid((rows - np.array(self.mean)) / np.array(self.scale) @ np.array(self.weights) + self.bias)

    def shifted(self, logits: float) -> "Head":
        """Return the same head with every log odds raised by `logits`."""
        return self.model_copy(update={"bias": self.bias + logits})

    def raised(self, feature: str, logits: float) -> "Head":
        """Return the same head with the log odds raised by `logits` where a feature is 1, and as they are where 0."""
        place = self.features.index(feature)
        weights = list(self.weights)
        weights[place] += logits * self.scale[place]
        bias = self.bias + logits * self.mean[place]
        return self.model_copy(update={"weights": tuple(weights), "bias": bias})


def sigmoid(logits: ArrayLike) -> Floats:
    """Return 1 / (1 + e^-x) of each value, without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * np.asarray(logits, dtype=np.float64))))


def fit_head(
    features: tuple[str, ...], rows: Floats, labels: Floats, weights: Floats, ridge: float = 1e-3, steps: int = 100
) -> Head:
    """Fit a head by Newton's method on weighted examples.

    Args:
        features: Names of the columns.
        rows: (n, features) matrix.
        labels: n values, 0 or 1.
        weights: n weights of any scale.
        ridge: Penalty on the squared weights of the standardised features; the bias goes free.
        steps: Newton steps at most; it stops earlier once no weight moves by 1e-8.
    """
    weights = weights / weights.sum()
    mean = weights @ rows
    scale = np.sqrt(weights @ (rows - mean) ** 2) + 1e-6
    design = np.column_stack([(rows - mean) / scale, np.ones(len(rows))])
    penalty = np.diag([ridge] * len(features) + [1e-9])
    solution = np.zeros(design.shape[1])
    for _ in range(steps):
        predicted = sigmoid(design @ solution)
        gradient = design.T @ (weights * (predicted - labels)) + penalty @ solution
        hessian = (design * (weights * predicted * (1 - predicted))[:, None]).T @ design + penalty
        step = np.linalg.solve(hessian, gradient)
        solution -= step
        if np.abs(step).max() < 1e-8:
            break
    return Head(
        features=features,
        mean=tuple(mean.tolist()),
        scale=tuple(scale.tolist()),
        weights=tuple(solution[:-1].tolist()),
        bias=float(solution[-1]),
    )
