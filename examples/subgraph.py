"""Put CRAG into a graph of your own: what the documents do not answer goes to a person.

$ python examples/subgraph.py "How long is the notice period?" --collection work
"""

from typing import Literal

import typer
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from graphs.crag import graph as crag
from state import Citation, Context


class Ticket(TypedDict, total=False):
    """A question to a help desk. The pattern reads `question`, and writes those keys of its answer that stand here."""

    question: str
    answer: str
    citations: list[Citation]
    refused: bool
    refusal_reason: str
    assigned_to: str


def hand_over(state: Ticket) -> Ticket:
    """Give the ticket to a person, with what is known."""
    return {"answer": f"A colleague will answer you: {state['refusal_reason']}.", "assigned_to": "second level"}


def route_ticket(state: Ticket) -> Literal["hand_over", "__end__"]:
    """Close what was answered."""
    return "hand_over" if state["refused"] else "__end__"


helpdesk = (
    StateGraph(Ticket, context_schema=Context)
    .add_node("crag", crag)
    .add_node(hand_over)
    .add_edge(START, "crag")
    .add_conditional_edges("crag", route_ticket)
    .add_edge("hand_over", END)
    .compile(name="helpdesk")
)


def main(question: str, collection: str = "default") -> None:
    """Ask the help desk."""
    ticket = helpdesk.invoke({"question": question}, context=Context(collections=[collection]))
    print(ticket["answer"])
    print(f"assigned to: {ticket.get('assigned_to', 'nobody')}")


if __name__ == "__main__":
    typer.run(main)
