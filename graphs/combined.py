"""HyDE's retrieval with Corrective RAG's grading and correction (arXiv:2212.10496, arXiv:2401.15884).

receive → hypothesize → embed → retrieve → rerank → grade → [rewrite → web_search → grade_web] → refine → generate
| refuse

The nodes and routers are those of `hyde` and `crag`, whose departures from the papers hold here too. The hypothetical
documents only find passages: grading, refinement and the answer go by the question.
"""

from langgraph.graph import END, START

from graphs.routes import route_answer, route_grade, route_passages, route_web
from nodes.embed import embed
from nodes.generate import generate
from nodes.grade import grade, grade_web
from nodes.hypothesize import hypothesize
from nodes.receive import receive
from nodes.refine import refine
from nodes.refuse import refuse
from nodes.rerank import rerank
from nodes.retrieve import retrieve
from nodes.rewrite import rewrite
from nodes.web_search import web_search
from state.graph import Graph

graph = (
    Graph()
    .add_node(receive)
    .add_node(hypothesize)
    .add_node(embed)
    .add_node(retrieve)
    .add_node(rerank)
    .add_node(grade)
    .add_node(rewrite)
    .add_node(web_search)
    .add_node(grade_web)
    .add_node(refine)
    .add_node(generate)
    .add_node(refuse)
    .add_edge(START, "receive")
    .add_edge("receive", "hypothesize")
    .add_edge("hypothesize", "embed")
    .add_edge("embed", "retrieve")
    .add_edge("retrieve", "rerank")
    .add_edge("rerank", "grade")
    .add_conditional_edges("grade", route_grade)
    .add_edge("rewrite", "web_search")
    .add_edge("web_search", "grade_web")
    .add_conditional_edges("grade_web", route_web)
    .add_conditional_edges("refine", route_passages)
    .add_conditional_edges("generate", route_answer)
    .add_edge("refuse", END)
    .compile(name="combined")
)
