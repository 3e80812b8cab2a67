"""What `groundgraph evaluator calibrate` does: read passages with the chat model, and fit the cascade to it."""

import asyncio
import json
import re
from pathlib import Path

from groundgraph.grading.check import candidate_sets
from groundgraph.grading.evaluator import embedded_evaluator
from groundgraph.grading.fit_cascade import Figures, calibrate, read_cases
from groundgraph.grading.train import EMBEDDING_MODEL, load_labelled
from groundgraph.grading.vector_store import training_vectors
from groundgraph.models import embedding_model
from groundgraph.settings import get_settings
from nodes.model import required_chat_model
from state.context import Context


def calibrate_cascade(data: Path, out: Path, chat_model: str | None, seconds: float) -> Figures:
    """Write the calibration to `out`, and beside it the figures of each source; return the figures.

    Raises:
        InputError: The data cannot be used, or the readings do not suffice.
        ModelError: The chat model cannot be had, or does not answer.
    """
    context = Context.parse({"chat_model": chat_model} if chat_model else None)
    dataset = load_labelled(data)
    store = training_vectors(embedding_model(EMBEDDING_MODEL))
    examples = candidate_sets(dataset, store, ("train",), ("retrieved",))
    with asyncio.Runner() as runner:
        model = runner.run(required_chat_model(context, "evaluator calibrate"))
        name = re.sub(r"[^\w.-]+", "-", model)
        kept = get_settings().cache / "training" / f"{name}-{dataset.digest[:12]}-cases.jsonl"
        cases = runner.run(read_cases(dataset, examples, model, embedded_evaluator(), kept, seconds))
    calibration, figures = calibrate(cases, model)
    record = {"data_sha256": dataset.digest, "chat_model": model, "questions": figures}
    out.write_text(calibration.model_dump_json(indent=1) + "\n", encoding="utf-8")
    out.with_name(f"{out.stem}_record.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return figures
