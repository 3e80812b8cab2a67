"""Self-RAG by a model fine-tuned on reflection tokens; the part of `self_rag` for `self_rag.critic="tokens"`.

receive → probe → retrieve → rerank → select → expand → prune → [retrieve_beams → expand → …] → elect → conclude
| refuse

Everything is read from the probabilities of reflection tokens, through the completions endpoint. Departures from the
paper: a model that wants no retrieval, at first or amid an answer, is not let answer from its memory; an answer keeps
only segments that their passages support.
"""

from langgraph.graph import END, START

from graphs.routes import route_answer, route_branches, route_elected, route_evidence, route_probe, route_pruned
from nodes.conclude import conclude
from nodes.elect import elect
from nodes.expand import expand
from nodes.probe import probe
from nodes.prune import prune
from nodes.receive import receive
from nodes.refuse import refuse
from nodes.rerank import rerank
from nodes.retrieve import retrieve
from nodes.retrieve_beams import retrieve_beams
from nodes.select import select
from state.graph import Graph

graph = (
    Graph()
    .add_node(receive)
    .add_node(probe)
    .add_node(retrieve)
    .add_node(rerank)
    .add_node(select)
    .add_node(expand)
    .add_node(prune)
    .add_node(retrieve_beams)
    .add_node(elect)
    .add_node(conclude)
    .add_node(refuse)
    .add_edge(START, "receive")
    .add_edge("receive", "probe")
    .add_conditional_edges("probe", route_probe)
    .add_edge("retrieve", "rerank")
    .add_conditional_edges("rerank", route_evidence)
    .add_conditional_edges("select", route_branches)
    .add_edge("expand", "prune")
    .add_conditional_edges("prune", route_pruned)
    .add_edge("retrieve_beams", "expand")
    .add_conditional_edges("elect", route_elected)
    .add_conditional_edges("conclude", route_answer)
    .add_edge("refuse", END)
    .compile(name="self_rag_tokens")
)
