"""Self-RAG: write each segment from several passages, let a critic rate it, keep the best (arXiv:2310.11511).

receive → decide | tokens
decide → retrieve → rerank → select → write_segments → reflect → choose → accept → decide → … → conclude
| [reformulate → retrieve_evidence → select → …] | reply | refuse

A segment whose passage is irrelevant, or that its passage does not support, makes the run rewrite the question and
retrieve again. With `self_rag.critic="tokens"` the graph `self_rag_tokens` answers. Departures from the paper: the
critic is any chat model, prompted, with scores from 1 to 5; "no need of retrieval" means that the message asks for
nothing, and leads to a reply without facts, never to an answer from the model's memory; a segment without a supporting
passage is left out, and with none left the run refuses.
"""

from langgraph.graph import END, START

from graphs.routes import (
    route_accepted,
    route_answer,
    route_choice,
    route_critic,
    route_evidence,
    route_need,
    route_segments,
    route_selected,
)
from graphs.self_rag_tokens import graph as tokens
from nodes.accept import accept
from nodes.choose import choose
from nodes.conclude import conclude
from nodes.decide import decide
from nodes.receive import receive
from nodes.reflect import reflect
from nodes.reformulate import reformulate
from nodes.refuse import refuse
from nodes.reply import reply
from nodes.rerank import rerank
from nodes.retrieve import retrieve
from nodes.retrieve_evidence import retrieve_evidence
from nodes.select import select
from nodes.write_segments import write_segments
from state.graph import Graph

graph = (
    Graph()
    .add_node(receive)
    .add_node(decide)
    .add_node("tokens", tokens)
    .add_node(reply)
    .add_node(retrieve)
    .add_node(rerank)
    .add_node(select)
    .add_node(write_segments)
    .add_node(reflect)
    .add_node(choose)
    .add_node(reformulate)
    .add_node(retrieve_evidence)
    .add_node(accept)
    .add_node(conclude)
    .add_node(refuse)
    .add_edge(START, "receive")
    .add_conditional_edges("receive", route_critic)
    .add_conditional_edges("decide", route_need)
    .add_edge("reply", END)
    .add_edge("tokens", END)
    .add_edge("retrieve", "rerank")
    .add_conditional_edges("rerank", route_evidence)
    .add_conditional_edges("select", route_selected)
    .add_conditional_edges("write_segments", route_segments)
    .add_edge("reflect", "choose")
    .add_conditional_edges("choose", route_choice)
    .add_edge("reformulate", "retrieve_evidence")
    .add_edge("retrieve_evidence", "select")
    .add_conditional_edges("accept", route_accepted)
    .add_conditional_edges("conclude", route_answer)
    .add_edge("refuse", END)
    .compile(name="self_rag")
)
