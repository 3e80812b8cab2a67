"""Folders of runs, made up: what `groundgraph eval` would have kept."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from groundgraph.evaluation.records import PassageRecord, QuestionsRecord, Row, RunRecord, append_row, write_run
from nodes.grade import tier_of
from state.context import Context


def made_row(name: str, pattern: str = "crag", **fields: Any) -> Row:
    """Return a row whose answer was right and cheap, but for what is given."""
    known = {
        "id": name,
        "pattern": pattern,
        "language": "en",
        "question": f"What is {name}?",
        "answers": [f"answer {name}"],
        "answerable": True,
        "answer": f"The answer {name} [1].",
        "seconds": 1.0,
        "usage": {"model_calls": 1, "prompt_tokens": 100, "completion_tokens": 10},
    }
    return Row.model_validate({**known, **fields})


def graded_row(
    name: str, scores: Mapping[str, float | None], gold: str = "", evaluator: str = "embedded", **fields: Any
) -> Row:
    """Return a row of crag whose passages, by source, got these scores; `gold` is the relevant one, if any is."""
    tiers = [tier_of(score, 0.5, 0.79) for score in scores.values()]
    figures = {"scores": list(scores.values()), "tiers": tiers, "evaluator": evaluator}
    steps = [
        {"node": "retrieve", "decision": "", "figures": {"sources": list(scores)}},
        {"node": "grade", "decision": "correct", "figures": figures},
    ]
    passages = [PassageRecord(source=source, locator="", score=score, text=source) for source, score in scores.items()]
    known = {
        "rel": {source: 2.0 if source == gold else 0.0 for source in scores},
        "answerable": bool(gold),
        "retrieved": list(scores),
        "passages": passages,
        "steps": steps,
    }
    return made_row(name, **{**known, **fields})


def searched_again(row: Row) -> Row:
    """Return the row as it were had FLARE retrieved again, for a sentence that it drafted."""
    later = [
        {"node": "retrieve_next", "decision": "", "figures": {"sources": ["b.md", "c.md"]}},
        {"node": "grade_next", "decision": "", "figures": {"scores": [0.7], "tiers": ["ambiguous"]}},
    ]
    return row.model_copy(update={"retrieved": [*row.retrieved, "b.md", "c.md"], "steps": [*row.steps, *later]})


def refusal(name: str, pattern: str = "crag", **fields: Any) -> Row:
    known = {"answer": "Not found.", "refused": True, "refusal_reason": "no passage answers"}
    return made_row(name, pattern, **{**known, **fields})


def made_run(folder: Path, rows: Sequence[Row], **fields: Any) -> Path:
    """Write a run folder that holds these rows."""
    folder.mkdir(parents=True, exist_ok=True)
    known = {
        "groundgraph": "0.1.0",
        "packages": {},
        "date": "2026-11-30T00:00:00Z",
        "machine": {"cores": 2},
        "patterns": list(dict.fromkeys(row.pattern for row in rows)),
        "context": Context().model_dump(mode="json"),
        "models": {"chat": "scripted:model", "embedding": "bag:64", "evaluator": "embedded", "judge": None},
        "questions": QuestionsRecord(file="questions.jsonl", sha256="0" * 64, count=len({row.id for row in rows})),
        "collections": [],
        "metrics": list(dict.fromkeys(name for row in rows for name in row.metrics)),
        "min_scored": 0.5,
    }
    write_run(folder, RunRecord.model_validate({**known, **fields}))
    for row in rows:
        append_row(folder, row)
    return folder
