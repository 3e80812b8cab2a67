"""Adaptive RAG: go to as much trouble as what was retrieved asks for.

receive → retrieve → rerank → assess → generate | [rewrite_again → retrieve_again → rerank → assess] | supplement
| refuse

Quality is the evaluator's score of the best passage. Below 0.7 the question is rewritten and searched for once more,
and what is found merged; below 0.5 then, the answer is a refusal or, where `adaptive.supplement` allows it, the model's
own knowledge, marked as such. Unlike Adaptive-RAG (arXiv:2403.14403), which predicts the trouble from the question,
this looks at what came back; the router is what goes by the question.
"""

from langgraph.graph import END, START

from graphs.routes import route_answer
from nodes.assess import Assessed, Outcome, assess
from nodes.generate import generate
from nodes.receive import receive
from nodes.refuse import refuse
from nodes.rerank import rerank
from nodes.retrieve import retrieve
from nodes.retrieve_again import retrieve_again
from nodes.rewrite_query import rewrite_again
from nodes.supplement import supplement
from state.graph import Graph


def route_outcome(state: Assessed) -> Outcome:
    """Go where `assess` decided."""
    return state["outcome"]


graph = (
    Graph()
    .add_node(receive)
    .add_node(retrieve)
    .add_node(rerank)
    .add_node(assess)
    .add_node(rewrite_again)
    .add_node(retrieve_again)
    .add_node(supplement)
    .add_node(generate)
    .add_node(refuse)
    .add_edge(START, "receive")
    .add_edge("receive", "retrieve")
    .add_edge("retrieve", "rerank")
    .add_edge("rerank", "assess")
    .add_conditional_edges("assess", route_outcome)
    .add_edge("rewrite_again", "retrieve_again")
    .add_edge("retrieve_again", "rerank")
    .add_conditional_edges("supplement", route_answer)
    .add_conditional_edges("generate", route_answer)
    .add_edge("refuse", END)
    .compile(name="adaptive")
)
