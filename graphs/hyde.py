"""HyDE: search by the vectors of documents that might answer, written by the model (arXiv:2212.10496).

receive → hypothesize → embed → retrieve → rerank → generate | refuse

Departures from the paper: three documents instead of eight (one, with an embedded chat model); they are embedded as
passages and the question as a question, by models that tell the two apart; refusals and texts with blanks are dropped;
in a hybrid search the vectors meet the search by words, which looks for the question. The preset `paper` has the
paper's figures.
"""

from langgraph.graph import END, START

from graphs.routes import route_answer, route_passages
from nodes.embed import embed
from nodes.generate import generate
from nodes.hypothesize import hypothesize
from nodes.receive import receive
from nodes.refuse import refuse
from nodes.rerank import rerank
from nodes.retrieve import retrieve
from state.graph import Graph

graph = (
    Graph()
    .add_node(receive)
    .add_node(hypothesize)
    .add_node(embed)
    .add_node(retrieve)
    .add_node(rerank)
    .add_node(generate)
    .add_node(refuse)
    .add_edge(START, "receive")
    .add_edge("receive", "hypothesize")
    .add_edge("hypothesize", "embed")
    .add_edge("embed", "retrieve")
    .add_edge("retrieve", "rerank")
    .add_conditional_edges("rerank", route_passages)
    .add_conditional_edges("generate", route_answer)
    .add_edge("refuse", END)
    .compile(name="hyde")
)
