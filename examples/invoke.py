"""Ask from Python: the answer, where it comes from, and the path that led to it.

$ python examples/invoke.py "How long is the notice period?" --collection work
"""

import typer

from graphs.crag import graph
from state import Context


def main(question: str, collection: str = "default") -> None:
    """Ask the documents of a collection."""
    result = graph.invoke({"question": question}, context=Context(collections=[collection]))
    print(result["answer"])
    for citation in result["citations"]:
        print(f"[{citation['number']}] {citation['source']}, {citation['locator']}: “{citation['quote']}”")
    for step in result["steps"]:
        print(f"{step['node']} → {step['decision']}")
    if result["refused"]:
        print(f"Refused: {result['refusal_reason']}.")


if __name__ == "__main__":
    typer.run(main)
