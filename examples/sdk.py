"""Ask a LangGraph server through its SDK: questions that follow each other, each answer as it is written.

$ groundgraph serve
$ python examples/sdk.py "How long is the notice period?" "And for interns?" --collection work
"""

from typing import Any

import typer
from langgraph_sdk import get_sync_client


def main(questions: list[str], collection: str = "default", url: str = "http://127.0.0.1:2024") -> None:
    """Ask questions on one thread, so that a follow-up is understood."""
    client = get_sync_client(url=url)
    thread = client.threads.create()
    context: dict[str, Any] = {"collections": [collection]}
    state: Any = {}
    for question in questions:
        for part in client.runs.stream(
            thread["thread_id"],
            "crag",
            input={"question": question},
            context=context,
            stream_mode=["messages-tuple", "values"],
        ):
            if part.event == "messages":
                print(part.data[0]["content"], end="", flush=True)
            elif part.event == "values":
                state = part.data
            elif part.event == "error":
                raise RuntimeError(part.data)
        print()
        for citation in state["citations"]:
            print(f"[{citation['number']}] {citation['source']}, {citation['locator']}")


if __name__ == "__main__":
    typer.run(main)
