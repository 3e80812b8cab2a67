"""Corrective RAG: grade what was retrieved, correct it, answer or refuse (arXiv:2401.15884).

receive → retrieve → rerank → grade → [rewrite → web_search → grade_web] → refine → generate | refuse

Departures from the paper: scores are in [0, 1] by our own evaluator instead of a T5 in [-1, 1]; web results are
graded by the same evaluator and Incorrect ones dropped; a passage scored at or below `theta_keep` is dropped whole
before refinement; refined sentences keep their order and have a threshold instead of a top five; with nothing usable
left, the answer is a refusal, never the model's memory.
"""

from langgraph.graph import END, START

from graphs.routes import route_answer, route_grade, route_passages, route_web
from nodes.generate import generate
from nodes.grade import grade, grade_web
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
    .add_edge("receive", "retrieve")
    .add_edge("retrieve", "rerank")
    .add_edge("rerank", "grade")
    .add_conditional_edges("grade", route_grade)
    .add_edge("rewrite", "web_search")
    .add_edge("web_search", "grade_web")
    .add_conditional_edges("grade_web", route_web)
    .add_conditional_edges("refine", route_passages)
    .add_conditional_edges("generate", route_answer)
    .add_edge("refuse", END)
    .compile(name="crag")
)
