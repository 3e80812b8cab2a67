"""The router: classify the question's intent, and run the pattern that fits it.

receive → classify_intent → pick_collections → reply | naive | crag
"""

from typing import Literal

from langgraph.graph import END, START

from graphs.crag import graph as crag
from graphs.naive import graph as naive
from nodes.classify_intent import Routed, classify_intent
from nodes.pick_collections import pick_collections
from nodes.receive import receive
from nodes.reply import reply
from state.graph import Graph

Target = Literal["reply", "naive", "crag"]


def route_intent(state: Routed) -> Target:
    """Go where `classify_intent` decided; it names nothing but these."""
    return state["pattern"]


graph = (
    Graph()
    .add_node(receive)
    .add_node(classify_intent)
    .add_node(pick_collections)
    .add_node(reply)
    .add_node("naive", naive)
    .add_node("crag", crag)
    .add_edge(START, "receive")
    .add_edge("receive", "classify_intent")
    .add_edge("classify_intent", "pick_collections")
    .add_conditional_edges("pick_collections", route_intent)
    .add_edge("reply", END)
    .add_edge("naive", END)
    .add_edge("crag", END)
    .compile(name="router")
)
