"""What the graphs add to the latency of the calls they wait for.

    python benchmarks/orchestration.py [--latency 0.2] [--runs 20]

An endpoint on loopback answers every call after a fixed latency. A pattern's wall time is set against its longest
chain of dependent calls; whatever goes beyond it (search, embedding the question, grading, LangGraph) is ours. The
last row has 64 askers at once, in threads, against one.
"""

import argparse
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from graphs.catalogue import load
from groundgraph.knowledge.index import index
from tests.endpoint import Endpoint, Request

QUESTION = {"question": "How tall is tower 3?"}
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
    return "1" if "Numbers:" in prompt else "Tower 3 is 303 metres tall [1]."


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
    table = Table("case", "calls in a chain", "their latency", "wall", "wall / latency", "CPU")
    with tempfile.TemporaryDirectory() as folder, Endpoint(reply=reply, latency=given.latency) as endpoint:
        os.environ |= {"GROUNDGRAPH_HOME": f"{folder}/home", "OPENAI_BASE_URL": endpoint.base_url}
        towers = Path(folder, "towers.md")
        towers.write_text("".join(f"# Tower {n}\n\nTower {n} is {300 + n} metres tall.\n\n" for n in range(20)))
        index([towers])
        for name, pattern, context, chain in CASES:
            graph = load(pattern)
            wall, cpu = seconds(partial(graph.invoke, QUESTION, context=context), given.runs)
            _add(table, name, chain, chain * given.latency, wall, cpu)
        wall, cpu = seconds(partial(at_once, partial(load("naive").invoke, QUESTION), 64), 3)
        _add(table, "naive, 64 askers at once", 1, given.latency, wall, cpu)
    Console().print(table)


def _add(table: Table, name: str, chain: int, latency: float, wall: float, cpu: float) -> None:
    figures = f"{latency * 1e3:.0f} ms", f"{wall * 1e3:.0f} ms", f"{wall / latency:.2f}", f"{cpu * 1e3:.0f} ms"
    table.add_row(name, str(chain), *figures)


if __name__ == "__main__":
    main()
