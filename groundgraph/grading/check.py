"""Check an evaluator on labelled questions: ranking, calibration, tiers and refusals, source by source."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from groundgraph.grading.candidates import CandidateMaker, Kind
from groundgraph.grading.dataset import Dataset, Split
from groundgraph.grading.features import Floats
from groundgraph.grading.fit_passages import Example, make_examples
from groundgraph.grading.measure import HIGH, LOW, measure_passages, tier_table
from groundgraph.grading.vector_store import VectorStore
from groundgraph.knowledge.passage import Passage

Evaluate = Callable[[str, Sequence[Passage]], Sequence[float | None]]
"""Returns the score in [0, 1] of each passage for a question; None where the evaluator is unsure."""

UNSURE = (LOW + HIGH) / 2
"""What counts for a passage without a score: Ambiguous."""


def candidate_sets(
    dataset: Dataset, store: VectorStore, splits: Sequence[Split], kinds: Sequence[Kind], limit: int | None = None
) -> list[Example]:
    """Return what a search brings up for the questions of some splits; `limit` draws so many questions, always alike.

    Raises:
        ModelError: The embedding model cannot be had.
    """
    chosen = [question for question in dataset.questions if question.split in splits]
    if limit is not None and limit < len(chosen):
        chosen = Random(0).sample(chosen, limit)
    wanted = replace(dataset, questions=tuple(chosen))
    questions = store.questions((question.text for question in chosen), "Embedding questions")
    passages = store.passages((passage.context for passage in dataset.passages.values()), "Embedding passages")
    maker = CandidateMaker(wanted, passages, questions)
    found = [candidates for split in splits for candidates in maker.make(split) if candidates.kind in kinds]
    return make_examples(found, dataset, passages, questions)


def check(dataset: Dataset, examples: Sequence[Example], evaluate: Evaluate) -> dict[str, Any]:
    """Return `figures` of each source (see `measure_passages`) and the table of `tiers` of an evaluator."""
    scores: dict[int, Floats] = {}
    for example in track(examples, "Scoring", transient=True, console=Console(stderr=True)):
        found = example.candidates
        given = evaluate(found.question.text, [dataset.passages[name] for name in found.ids])
        scores[id(example)] = np.array([UNSURE if score is None else score for score in given])

    def scores_of(example: Example) -> Floats:
        return scores[id(example)]

    return {"figures": measure_passages(scores_of, examples), "tiers": tier_table(scores_of, examples)}
