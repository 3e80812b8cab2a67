"""Naive RAG: retrieve, then answer from what came back or refuse; the baseline.

receive → retrieve → rerank → generate | refuse
"""

from langgraph.graph import END, START

from graphs.routes import route_answer, route_passages
from nodes.generate import generate
from nodes.receive import receive
from nodes.refuse import refuse
from nodes.rerank import rerank
from nodes.retrieve import retrieve
from state.graph import Graph

graph = (
    Graph()
    .add_node(receive)
    .add_node(retrieve)
    .add_node(rerank)
    .add_node(generate)
    .add_node(refuse)
    .add_edge(START, "receive")
    .add_edge("receive", "retrieve")
    .add_edge("retrieve", "rerank")
    .add_conditional_edges("rerank", route_passages)
    .add_conditional_edges("generate", route_answer)
    .add_edge("refuse", END)
    .compile(name="naive")
)
