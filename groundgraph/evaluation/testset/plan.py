"""Make the plan of a test set from what a person asked for, and the card of what it is made with."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import groundgraph
from groundgraph.errors import CollectionError, InputError
from groundgraph.evaluation.plan import EMBEDDED, collection_record, versions, weights
from groundgraph.evaluation.testset.records import Card, Kind
from groundgraph.knowledge.index import Collection
from groundgraph.knowledge.store import Store
from groundgraph.models import check_provider
from nodes.language import Language
from state.context import Context
from state.presets import settled

SHARE = 0.2
"""Share of the questions that take two passages, and of those that no passage answers."""


@dataclass(frozen=True)
class Plan:
    """What is made, of what, and how it is checked."""

    card: Card
    wanted: Mapping[Kind, int]
    store: Store
    context: Context
    """Of the search and the checks."""
    concurrency: int = 1
    """Questions in work at once."""


def plan(
    collection: str,
    count: int,
    model: str,
    context: Context,
    *,
    language: Language | None = None,
    multi: float = SHARE,
    unanswerable: float = SHARE,
    seed: int = 0,
    concurrency: int | None = None,
) -> Plan:
    """Return the plan of a test set; an evaluator's model that is down ends the run, instead of grading otherwise.

    Args:
        collection: Name of the documents' collection.
        count: How many questions, at least 1.
        model: Chat model that makes them, as `provider:model`.
        context: Settings of the search and the checks.
        language: Use only passages in this language.
        multi: Share in [0, 1] of questions that take two passages.
        unanswerable: Share in [0, 1] of questions that no passage answers.
        seed: Of what is drawn.
        concurrency: Questions in work at once; by default `max_concurrency` where an endpoint is waited for, else 1.

    Raises:
        InputError: The shares exceed 1, or a name cannot be used.
        CollectionError: There is no such collection, or it is empty.
    """
    if multi + unanswerable > 1:
        raise InputError(f"multi={multi!r} and unanswerable={unanswerable!r}: the two shares may be at most 1 together")
    check_provider(model)
    opened = Collection.open(collection)
    info = opened.info()
    if not info.chunks:
        raise CollectionError(f"collection {info.name!r} is empty; fill it: groundgraph index PATH -c {info.name}")
    extra: dict[Kind, int] = {
        "multi": math.floor(round(count * multi, 6)),
        "unanswerable": math.floor(round(count * unanswerable, 6)),
    }
    own = {"collections": [info.name], "chat_model": model, "answerer": "model", "on_model_failure": "error"}
    context = settled(context.model_copy(update=own))
    card = Card(
        groundgraph=groundgraph.__version__,
        packages=versions(),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        model=model,
        embedding=info.embedding_model,
        evaluator=context.evaluator,
        weights=weights([], context),
        context=context.model_dump(mode="json"),
        collection=collection_record(info.name),
        language=language,
        seed=seed,
    )
    at_once = concurrency or (1 if model.startswith(EMBEDDED) else context.max_concurrency)
    return Plan(card, {"single": count - sum(extra.values()), **extra}, opened.store, context, at_once)
