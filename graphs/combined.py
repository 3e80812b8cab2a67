"""HyDE's retrieval, Corrective RAG's grading and correction, FLARE's writing.

receive → hypothesize → embed → retrieve → rerank → grade → [rewrite → web_search → grade_web] → refine → draft →
[form_query → retrieve_next → grade_next → regenerate] → append → draft → … → finish | refuse

The nodes and routers are those of `hyde`, `crag` and `flare`, whose departures from the papers (arXiv:2212.10496,
arXiv:2401.15884, arXiv:2305.06983) hold here too. The hypothetical documents only find passages: grading, refinement
and the answer go by the question. What is retrieved for a sentence is graded too, against the question and what was
searched for; it is not refined, and the web is not searched for it.
"""

from langgraph.graph import END, START

from graphs import routes
from nodes.append import append
from nodes.draft import draft
from nodes.embed import embed
from nodes.finish import finish
from nodes.form_query import form_query
from nodes.grade import grade, grade_web
from nodes.grade_next import grade_next
from nodes.hypothesize import hypothesize
from nodes.receive import receive
from nodes.refine import refine
from nodes.refuse import refuse
from nodes.regenerate import regenerate
from nodes.rerank import rerank
from nodes.retrieve import retrieve
from nodes.retrieve_next import retrieve_next
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
    .add_node(draft)
    .add_node(form_query)
    .add_node(retrieve_next)
    .add_node(grade_next)
    .add_node(regenerate)
    .add_node(append)
    .add_node(finish)
    .add_node(refuse)
    .add_edge(START, "receive")
    .add_edge("receive", "hypothesize")
    .add_edge("hypothesize", "embed")
    .add_edge("embed", "retrieve")
    .add_edge("retrieve", "rerank")
    .add_edge("rerank", "grade")
    .add_conditional_edges("grade", routes.route_grade)
    .add_edge("rewrite", "web_search")
    .add_edge("web_search", "grade_web")
    .add_conditional_edges("grade_web", routes.route_web)
    .add_conditional_edges("refine", routes.route_sources)
    .add_conditional_edges("draft", routes.route_draft)
    .add_edge("form_query", "retrieve_next")
    .add_edge("retrieve_next", "grade_next")
    .add_conditional_edges("grade_next", routes.route_retrieved)
    .add_conditional_edges("regenerate", routes.route_regenerated)
    .add_conditional_edges("append", routes.route_appended)
    .add_conditional_edges("finish", routes.route_answer)
    .add_edge("refuse", END)
    .compile(name="combined")
)
