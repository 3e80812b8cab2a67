"""Keep runs on record: what they answered from, to give feedback on and to watch the evaluator by."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackManager, BaseCallbackHandler
from langchain_core.runnables import RunnableConfig

from groundgraph.grading.runs import Judged, RunRecord, remember
from groundgraph.grading.weights import weights_digest
from groundgraph.knowledge.search import as_indexed
from groundgraph.settings import get_settings
from state.context import Context
from state.schemas import Answer

WEIGHTED = ("embedded", "cascade")
"""Evaluators whose scores depend on the weights in use."""


def record_of(name: str, pattern: str, context: Context, answer: Answer) -> RunRecord:
    """Return the record of a run under the id `name`, with the question and the passages as they were graded.

    That is the question made to stand alone, and whole passages: what refinement leaves of one would, to training, be
    another text than the one that a search finds.
    """
    steps = {step["node"]: step["figures"] for step in reversed(answer["steps"])}
    whole = [passage.page_content for passage in as_indexed(answer["passages"])]
    graded = [step["figures"].get("scores", []) for step in answer["steps"] if step["node"] == "grade"]
    return RunRecord(
        id=name,
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        pattern=pattern,
        evaluator=context.evaluator,
        weights=weights_digest() if context.evaluator in WEIGHTED else "",
        question=steps["receive"]["query"],
        refused=answer["refused"],
        best=max((score for scores in graded for score in scores if score is not None), default=None),
        cited=tuple(citation["number"] for citation in answer["citations"]),
        passages=tuple(
            Judged(source=p.source, heading=p.heading, text=text, score=p.score)
            for p, text in zip(answer["passages"], whole, strict=True)
        ),
    )


def on_record(config: RunnableConfig | None, pattern: str, context: Context) -> RunnableConfig | None:
    """Return the config of a run on a LangGraph server, so that its end is kept on record; any other as it is."""
    if not config or "graph_id" not in config.get("configurable", {}) or not config.get("run_id"):
        return config
    recorder = _Recorder(str(config["run_id"]), pattern, context)
    return {**config, "callbacks": AsyncCallbackManager.configure(config.get("callbacks"), [recorder])}


class _Recorder(BaseCallbackHandler):
    """Remembers how a graph's run ends, not those inside it; LangChain logs it if the disk does not take it."""

    def __init__(self, name: str, pattern: str, context: Context) -> None:
        self._name, self._pattern, self._context = name, pattern, context

    def on_chain_end(self, outputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **_: Any) -> None:
        """Write the record, on a thread of its own; a run that was interrupted has no answer yet, and no record."""
        ended = isinstance(outputs, Mapping) and outputs.keys() >= Answer.__required_keys__ and outputs["answer"]
        if ended and parent_run_id is None and get_settings().record_runs:
            remember(record_of(self._name, self._pattern, self._context, outputs))
