"""What each pattern finds, answers and costs, on the validation and test questions of a data set.

    groundgraph index --jsonl --collection qa DATA_DIR/corpus.jsonl
    python -m benchmarks.patterns DATA_DIR [--collection qa] [--out runs/patterns] [--limit 48] [--recall-limit N]

DATA_DIR (or GROUNDGRAPH_QA) holds `corpus.jsonl` and `queries.jsonl`. Every answer is kept: after Ctrl-C, the same
command goes on. Each pattern is a run of its own, so that none finds a prompt in the chat model's cache that another
one left there; `groundgraph compare` reads these runs too.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from rich.console import Console

from benchmarks.pattern_tables import CONTEXT, RECALL, answer_table, difference_table, metric_table
from groundgraph.cli.scores import Running
from groundgraph.errors import GroundgraphError, InputError
from groundgraph.evaluation.compare import QUALITY, compare
from groundgraph.evaluation.plan import plan
from groundgraph.evaluation.questions import load_questions
from groundgraph.evaluation.run import evaluate
from state.context import Context

Run: TypeAlias = tuple[str, int | None, Mapping[str, Any]]
"""Pattern, number of questions, settings."""

SOURCES = "xquad,musique,2wiki,clapnq,dureader"
EXTRACTIVE = {"answerer": "extractive"}
UNANSWERED = {"prompt_tokens": 100, "max_tokens": 16}
"""Too few tokens for a passage: what was retrieved is all there is, and no answer is waited for."""
BRIEF = {"compress_tokens": 20, "max_tokens": 16}
"""The answer is written from one sentence, and hardly waited for; what comes before it is as ever."""
RETRIEVING: dict[str, Mapping[str, Any]] = {
    "naive": EXTRACTIVE,
    "hyde": UNANSWERED,
    "advanced": BRIEF,  # a chain is searched for by the answers of its links
    "adaptive": UNANSWERED,
}
"""Patterns that differ in what they retrieve, and their settings; the others begin as naive or hyde does."""
ANSWERING = ("naive", "hyde", "advanced", "adaptive", "crag", "combined", "flare", "self_rag")


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask what was not asked yet and print the tables; return the exit status: 0, or 2 with one line of error."""
    given = _given(arguments)
    try:
        if given.data is None:
            raise InputError("DATA_DIR is missing: name the folder of questions, or set GROUNDGRAPH_QA")
        _run(given)
    except GroundgraphError as error:
        Console(stderr=True).print(str(error), style="red", markup=False, soft_wrap=True)
        return 2
    return 0


def _given(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", default=os.environ.get("GROUNDGRAPH_QA"), metavar="DATA_DIR")
    parser.add_argument("--collection", default="qa", help="collection that holds the passages, by their pid")
    parser.add_argument("--out", type=Path, default=Path("runs/patterns"), help="folder of the runs")
    parser.add_argument("--limit", type=int, default=48, help="questions to answer, of each source as many")
    parser.add_argument("--recall-limit", type=int, help="questions to retrieve for; by default all")
    return parser.parse_args(arguments)


def _run(given: argparse.Namespace) -> None:
    runs: dict[Path, Run] = {
        given.out / "recall" / pattern: (pattern, given.recall_limit, settings)
        for pattern, settings in RETRIEVING.items()
    }
    runs |= {given.out / "answers" / pattern: (pattern, given.limit, {}) for pattern in ANSWERING}
    for pattern in ("naive", "crag"):
        runs[given.out / "answers" / f"{pattern}-extractive"] = (pattern, given.limit, EXTRACTIVE)
    asyncio.run(_ask(given, runs))
    found = compare([given.out / "recall" / pattern for pattern in RETRIEVING])
    answered = compare([folder for folder in runs if folder.parent.name == "answers"])
    tables = [metric_table(RECALL, found), difference_table(found)]
    tables += [answer_table(answered), *(metric_table(metric, answered) for metric in (QUALITY, RECALL, CONTEXT))]
    console = Console(width=400)
    for table in tables:
        console.print(table)


async def _ask(given: argparse.Namespace, runs: Mapping[Path, Run]) -> None:
    for folder, (pattern, limit, settings) in runs.items():
        questions = load_questions(Path(given.data) / "queries.jsonl", split="val,test", source=SOURCES, limit=limit)
        context = Context.model_validate({"collections": [given.collection], **settings})
        with Running(show=True) as running:
            await evaluate(plan(questions, [pattern], context), folder, running.done)


if __name__ == "__main__":
    sys.exit(main())
