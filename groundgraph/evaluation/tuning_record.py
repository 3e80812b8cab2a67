"""The record of a tuning: `tuning.json` beside the calls it paid for, in one folder that a person can diff."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from groundgraph.evaluation.aggregate import cost_of
from groundgraph.evaluation.choice import figures
from groundgraph.evaluation.files import write_json
from groundgraph.evaluation.plan import chat_model_of, embedding_of, experiment
from groundgraph.evaluation.profile import differing
from groundgraph.evaluation.records import ExperimentRecord, QuestionsRecord
from groundgraph.evaluation.tune import Tuner
from groundgraph.evaluation.tuned import verdict
from state.context import Context
from state.presets import settled

RECORD = "tuning.json"
RESULTS = {"cost", "settings", "stages", "all_together", "verdict"}
INCIDENTAL = {"date", "machine", "profile", "warnings", "budget", *RESULTS}
"""Parts that do not make a tuning another one: with more calls to spend, the same goes on."""


class TuningRecord(ExperimentRecord):
    """What a tuning was made with, and what it found."""

    pattern: str
    held_out: str | None
    """Split that the choice was measured on; None for half of the questions."""
    budget: int
    """Model calls that might be spent."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Those of the profile, by dotted name."""
    stages: list[dict[str, Any]] = Field(default_factory=list)
    all_together: list[dict[str, Any]] = Field(default_factory=list)
    verdict: str = ""


def record_of(
    pattern: str,
    context: Context,
    questions: QuestionsRecord,
    collections: Sequence[str],
    *,
    held_out: str | None = None,
    budget: int = 0,
    profile: str | None = None,
    warnings: Sequence[str] = (),
) -> TuningRecord:
    """Return the record of a tuning that begins now.

    Args:
        pattern: What is tuned.
        context: The settings it begins with.
        questions: Those to choose on and those held out.
        collections: Names of those that are searched, the ones cut otherwise among them.
        held_out: Split that is held out, if one is named.
        budget: Model calls that may be spent.
        profile: Name of the file that settings came from.
        warnings: What the questions were warned of.

    Raises:
        CollectionError: There is no such collection.
        ModelError: The evaluator's weights cannot be used.
    """
    context = settled(context)
    models = {"chat": chat_model_of(context), "embedding": embedding_of(context), "evaluator": context.evaluator}
    made_with = experiment([pattern], context, questions, collections, models=models, profile=profile)
    record = TuningRecord(**dict(made_with), pattern=pattern, held_out=held_out, budget=budget)
    return record.model_copy(update={"warnings": [*warnings]})


def folder_of(record: TuningRecord, runs: Path = Path("runs")) -> Path:
    """Return the folder of this very tuning, whatever it may spend."""
    made_of = json.dumps(record.model_dump(mode="json", exclude=INCIDENTAL), sort_keys=True)
    return runs / f"tune-{record.pattern}-{hashlib.sha256(made_of.encode()).hexdigest()[:12]}"


def begin(record: TuningRecord) -> Path:
    """Make the folder with the record as far as it is known, unless it is there, and return it."""
    folder = folder_of(record)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / RECORD).exists():
        write_json(folder / RECORD, record)
    return folder


def finish(record: TuningRecord, tuner: Tuner) -> TuningRecord:
    """Write the record with what was found and what it cost, and return it."""
    cost = cost_of(tuner.asker.rows).model_copy(update={"model_calls": tuner.asker.calls})
    found = {
        "cost": cost,
        "settings": differing(tuner.profile),
        "stages": [figures(choice) for choice in tuner.choices],
        "all_together": [figures(one) for one in tuner.whole],
        "verdict": verdict(tuner.choices, tuner.whole),
    }
    record = record.model_copy(update=found)
    write_json(folder_of(record) / RECORD, record)
    return record
