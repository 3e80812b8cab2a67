"""What the graphs add to the latency of the calls they wait for.

    python -m benchmarks.orchestration [--latency 0.2] [--runs 20]

An endpoint on loopback answers every call after a fixed latency. A pattern's wall time is set against its longest
chain of dependent calls, the embedding of the question counted; whatever goes beyond it (search, grading, LangGraph,
the HTTP client, and the endpoint itself, which runs in this process) is ours. The last row has 64 askers at once, in
threads.
"""

import argparse
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from graphs.catalogue import load
from groundgraph.knowledge.index import index
from groundgraph.models import embedding_model
from state import Context
from tests.endpoint import Endpoint, Request

TOWERS = 500
NUMBERS = count()
BY_MODEL = {"evaluator": "llm", "crag": {"refiner": "llm"}}
CASES: list[tuple[str, str, dict[str, Any], int]] = [
    ("naive", "naive", {}, 1),
    ("crag, embedded evaluator", "crag", {}, 1),
    ("router, embedded classifier", "router", {}, 1),
    ("crag, graded and refined by the model", "crag", BY_MODEL, 3),
]
"""Name, pattern, context, and how many calls depend on one another."""


def reply(request: Request) -> str:
    """Say what each of our prompts asks for."""
    prompt = request["messages"][-1]["content"]
    if "Reply yes or no" in prompt:
        return "yes"
    return "1" if "Numbers:" in prompt else "It is that tall [1]."


def question() -> str:
    """Return a question that was not asked before, so that its vector is nowhere kept."""
    return f"How tall is tower {next(NUMBERS)}?"


def asking(pattern: str, context: dict[str, Any]) -> Callable[[], object]:
    """Return what asks a pattern a new question."""
    graph = load(pattern)

    def ask() -> None:
        result = graph.invoke({"question": question()}, context=Context.parse(context))
        assert not result["refused"], f"a refusal measures nothing: {result['refusal_reason']}"

    return ask


def seconds(ask: Callable[[], object], runs: int) -> tuple[float, float]:
    """Return the median wall seconds and the mean CPU seconds of `ask`, after one warm-up."""
    ask()
    walls, cpu = [], time.process_time()
    for _ in range(runs):
        start = time.perf_counter()
        ask()
        walls.append(time.perf_counter() - start)
    return statistics.median(walls), (time.process_time() - cpu) / runs


def at_once(ask: Callable[[], object], askers: int) -> None:
    """Ask from many threads, and wait for all of them."""
    threads = [threading.Thread(target=ask) for _ in range(askers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main() -> None:
    """Print one row a case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds of one call")
    parser.add_argument("--runs", type=int, default=20)
    given = parser.parse_args()
    table = Table("case", "calls in a chain", "their latency", "wall", "wall - latency", "wall / latency", "CPU")
    with tempfile.TemporaryDirectory() as folder, Endpoint(reply=reply, latency=given.latency) as endpoint:
        os.environ |= {"GROUNDGRAPH_HOME": f"{folder}/home", "OPENAI_BASE_URL": endpoint.base_url}
        towers = Path(folder, "towers.md")
        towers.write_text("".join(f"# Tower {n}\n\nTower {n} is {300 + n} metres tall.\n\n" for n in range(TOWERS)))
        index([towers])
        e5 = embedding_model("e5:multilingual-e5-small")
        embedding, _ = seconds(lambda: e5.embed_query(question()), given.runs)
        for name, pattern, context, chain in CASES:
            wall, cpu = seconds(asking(pattern, context), given.runs)
            _add(table, name, chain, chain * given.latency + embedding, wall, cpu)
        wall, cpu = seconds(partial(at_once, asking("naive", {}), 64), 3)
        _add(table, "naive, 64 askers at once", 1, given.latency + embedding, wall, cpu)
    Console(width=120).print(table)


def _add(table: Table, name: str, chain: int, latency: float, wall: float, cpu: float) -> None:
    in_ms = [f"{seconds * 1e3:.0f} ms" for seconds in (latency, wall, wall - latency)]
    table.add_row(name, str(chain), *in_ms, f"{wall / latency:.2f}", f"{cpu * 1e3:.0f} ms")


if __name__ == "__main__":
    main()
