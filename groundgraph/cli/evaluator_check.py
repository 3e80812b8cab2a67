"""What `groundgraph evaluator check` does: score candidate sets with any evaluator, and hold figures to bounds."""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from groundgraph.errors import InputError, ModelError
from groundgraph.grading.candidates import Kind
from groundgraph.grading.check import candidate_sets, check
from groundgraph.grading.dataset import Split
from groundgraph.grading.drift import drift, feedback_figures, feedback_tiers
from groundgraph.grading.runs import Feedback, all_feedback, recent_runs
from groundgraph.grading.train import EMBEDDING_MODEL, load_labelled
from groundgraph.grading.vector_store import training_vectors
from groundgraph.grading.weights import record_path, weights_digest, weights_path
from groundgraph.knowledge.passage import Passage
from groundgraph.models import embedding_model
from nodes.score import score
from state.context import Context


def measured(
    data: Path, evaluator: str, collection: str | None, chat_model: str | None, limit: int | None
) -> dict[str, Any]:
    """Return figures and tiers of an evaluator, on the test questions of a folder or on all pairs of a file.

    Evaluators that ask a chat model are measured on retrieved passages only, to spare calls.

    Raises:
        InputError: The data or the evaluator's name cannot be used.
        ModelError: A model cannot be had.
    """
    given = {"evaluator": evaluator, **({"chat_model": chat_model} if chat_model else {})}
    context = Context.parse(given)
    dataset = load_labelled(data, collection)
    splits: tuple[Split, ...] = ("test",) if data.is_dir() else ("train", "val", "test")
    kinds: tuple[Kind, ...] = ("retrieved", "withheld", "foreign") if evaluator == "embedded" else ("retrieved",)
    store = training_vectors(embedding_model(EMBEDDING_MODEL))
    examples = candidate_sets(dataset, store, splits, kinds, limit)
    if not examples:
        raise InputError(f"{str(data)!r} holds no question with two passages or more to choose from; add passages")
    with asyncio.Runner() as runner:

        def scores(question: str, passages: Sequence[Passage]) -> list[float | None]:
            return [passage.score for passage in runner.run(score(question, passages, context)).passages]

        return check(dataset, examples, scores)


def watched(last: int) -> dict[str, Any]:
    """Return the drift of the embedded evaluator's scores over recent runs, and its figures by people's feedback.

    `not_counted` has the number of graded runs that say nothing of these scores, by what scored them: the cascade's
    are corrected by a chat model, and those by other weights are on another scale.

    Raises:
        ModelError: The training record is missing or has no distribution to compare with.
    """
    path = record_path(weights_path())
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        cuts, learned = record["best_score_deciles"], record["questions"]["val"] + record["questions"]["test"]
    except (OSError, json.JSONDecodeError, KeyError):
        raise ModelError(
            f"training record {str(path)!r} cannot be used: train again: groundgraph evaluator train DATA"
        ) from None
    weights, scores = weights_digest(), list[float]()
    not_counted: Counter[str] = Counter()
    for run in recent_runs(last):
        if run.best is None:
            continue
        if run.evaluator != "embedded":
            not_counted[run.evaluator] += 1
        elif run.weights != weights:
            not_counted["embedded, by other weights"] += 1
        else:
            scores.append(run.best)
    return {
        "drift": drift(cuts, scores, learned),
        "not_counted": dict(not_counted),
        "feedback": feedback_figures(_by_weights_in_use()),
    }


def judged(evaluator: str) -> dict[str, Any]:
    """Return verdict, figures and tiers of an evaluator by what people said, of its weights in use only.

    Raises:
        InputError: Nobody has said anything of them yet.
        ModelError: The weights cannot be used.
    """
    pairs = [pair for pair in _by_weights_in_use() if pair.evaluator == evaluator]
    if not pairs:
        raise InputError(f"no feedback on evaluator={evaluator!r} yet: groundgraph feedback RUN up|down")
    figures = {**feedback_figures(pairs)[evaluator]}
    return {"verdict": figures.pop("verdict"), "figures": {"all": figures}, "tiers": feedback_tiers(pairs)}


def _by_weights_in_use() -> list[Feedback]:
    return [pair for pair in all_feedback() if pair.weights in {"", weights_digest()}]


def bounds(given: Sequence[str]) -> dict[str, float]:
    """Return the value of each `FIGURE=VALUE`.

    Raises:
        InputError: One is not of this form.
    """
    found = {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            found[name] = float(value)
        except ValueError:
            raise InputError(f"{text!r}: give FIGURE=VALUE, such as auc=0.9") from None
    return found


def missed(figures: Mapping[str, Any], floors: Mapping[str, float], ceilings: Mapping[str, float]) -> list[str]:
    """Return a line for each figure that is below its floor or above its ceiling; one that has no value is missed.

    Raises:
        InputError: There is no such figure.
    """
    lines = []
    for name in (*floors, *ceilings):
        if name not in figures:
            raise InputError(f"{name!r} is no figure; known are {', '.join(figures)}")
    for name, least in floors.items():
        if figures[name] is None or figures[name] < least:
            lines.append(f"{name} is {figures[name]}, below the floor of {least:g}")
    for name, most in ceilings.items():
        if figures[name] is None or figures[name] > most:
            lines.append(f"{name} is {figures[name]}, above the ceiling of {most:g}")
    return lines
