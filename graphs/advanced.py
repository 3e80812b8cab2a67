"""Advanced RAG: several searches for one question, fused, reranked and compressed.

receive → rewrite_query → decompose → [retrieve_leg …] → fuse → [answer_hop → …] → rerank → compress → generate | refuse

The question itself, its rewritten form and its sub-questions are each searched for by meaning and by words, all in
parallel. Where a sub-question waits for the answer of another ("where was the wife of X born"), the short answer is
found first, at most three times, and put in its place. Sources: decomposition as in least-to-most prompting
(arXiv:2205.10625), but the final answer is written once, from the passages of all sub-questions; reciprocal rank fusion
(Cormack, Clarke and Büttcher, SIGIR 2009) with c=60.
"""

from typing import Literal

from langgraph.graph import END, START
from langgraph.runtime import Runtime
from langgraph.types import Send

from graphs.routes import route_answer, route_passages
from nodes.answer_hop import MAX_HOPS, Chained, answer_hop
from nodes.compress import compress
from nodes.decompose import decompose
from nodes.fuse import fuse
from nodes.generate import generate
from nodes.receive import receive
from nodes.refuse import refuse
from nodes.rerank import rerank
from nodes.retrieve import Found
from nodes.retrieve_leg import Wanted, legs, retrieve_leg
from nodes.rewrite_query import rewrite_query
from nodes.subquestions import waiting
from state.context import Context
from state.graph import Graph


def route_queries(state: Wanted, runtime: Runtime[Context]) -> list[Send]:
    """Search for every query that was not searched for yet, by every leg."""
    return [Send("retrieve_leg", leg) for leg in legs(state, runtime.context)]


def route_chain(state: Chained) -> Literal["answer_hop", "rerank"]:
    """Answer what another sub-question waits for, three times at most."""
    return "answer_hop" if waiting(state["subquestions"]) and state["hops"] < MAX_HOPS else "rerank"


def route_hop(state: Wanted, runtime: Runtime[Context]) -> list[Send] | Literal["rerank"]:
    """Search for what can now be searched for; go on if there is nothing."""
    return route_queries(state, runtime) or "rerank"


def route_found(state: Found) -> Literal["compress", "refuse"]:
    """Compress what there is."""
    return "compress" if state["passages"] else "refuse"


graph = (
    Graph()
    .add_node(receive)
    .add_node(rewrite_query)
    .add_node(decompose)
    .add_node(retrieve_leg)
    .add_node(fuse)
    .add_node(answer_hop)
    .add_node(rerank)
    .add_node(compress)
    .add_node(generate)
    .add_node(refuse)
    .add_edge(START, "receive")
    .add_edge("receive", "rewrite_query")
    .add_edge("rewrite_query", "decompose")
    .add_conditional_edges("decompose", route_queries, ["retrieve_leg"])
    .add_edge("retrieve_leg", "fuse")
    .add_conditional_edges("fuse", route_chain)
    .add_conditional_edges("answer_hop", route_hop, ["retrieve_leg", "rerank"])
    .add_conditional_edges("rerank", route_found)
    .add_conditional_edges("compress", route_passages)
    .add_conditional_edges("generate", route_answer)
    .add_edge("refuse", END)
    .compile(name="advanced")
)
