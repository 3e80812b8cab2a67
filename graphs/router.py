"""The router: classify the question's intent, and run the pattern that fits it.

receive → classify_intent → pick_collections → reply | naive | hyde | advanced | flare | crag | adaptive | self_rag |
combined

`classify_intent` also writes the settings that the intent asks for (`route_settings`), which the subgraph takes beside
the run's.
"""

from langgraph.graph import END, START

from graphs.adaptive import graph as adaptive
from graphs.advanced import graph as advanced
from graphs.combined import graph as combined
from graphs.crag import graph as crag
from graphs.flare import graph as flare
from graphs.hyde import graph as hyde
from graphs.naive import graph as naive
from graphs.self_rag import graph as self_rag
from nodes.classify_intent import Pattern, Routed, classify_intent
from nodes.pick_collections import pick_collections
from nodes.receive import receive
from nodes.reply import reply
from state.graph import Graph


def route_intent(state: Routed) -> Pattern:
    """Go where `classify_intent` decided; it names nothing but these."""
    return state["pattern"]


graph = (
    Graph()
    .add_node(receive)
    .add_node(classify_intent)
    .add_node(pick_collections)
    .add_node(reply)
    .add_node("naive", naive)
    .add_node("hyde", hyde)
    .add_node("advanced", advanced)
    .add_node("flare", flare)
    .add_node("crag", crag)
    .add_node("adaptive", adaptive)
    .add_node("self_rag", self_rag)
    .add_node("combined", combined)
    .add_edge(START, "receive")
    .add_edge("receive", "classify_intent")
    .add_edge("classify_intent", "pick_collections")
    .add_conditional_edges("pick_collections", route_intent)
    .add_edge("reply", END)
    .add_edge("naive", END)
    .add_edge("hyde", END)
    .add_edge("advanced", END)
    .add_edge("flare", END)
    .add_edge("crag", END)
    .add_edge("adaptive", END)
    .add_edge("self_rag", END)
    .add_edge("combined", END)
    .compile(name="router")
)
