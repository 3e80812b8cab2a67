"""FLARE: retrieve for each sentence that the model is not sure of, before it stands (arXiv:2305.06983).

receive → retrieve → rerank → draft → [form_query → retrieve_next → regenerate] → append → draft → … → finish | refuse

A drafted sentence whose weakest token has probability θ or more is accepted as it is. Departures from the paper: the
drafts, too, are written from the passages there are; these are gathered, and not replaced, so that citations keep
their numbers (`flare.keep`), and a search passes over them; θ is 0.2; a sentence is not written again if the search
brings nothing new; what the model wrote after a sentence is the draft of the next one; a first draft that refuses is
searched for by a guess; what no passage supports is refused. The presets `paper` and `flare.variant="official_code"`
have the originals' settings.
"""

from langgraph.graph import END, START

from graphs.routes import (
    route_answer,
    route_appended,
    route_draft,
    route_regenerated,
    route_retrieved,
    route_sources,
)
from nodes.append import append
from nodes.draft import draft
from nodes.finish import finish
from nodes.form_query import form_query
from nodes.receive import receive
from nodes.refuse import refuse
from nodes.regenerate import regenerate
from nodes.rerank import rerank
from nodes.retrieve import retrieve
from nodes.retrieve_next import retrieve_next
from state.graph import Graph

graph = (
    Graph()
    .add_node(receive)
    .add_node(retrieve)
    .add_node(rerank)
    .add_node(draft)
    .add_node(form_query)
    .add_node(retrieve_next)
    .add_node(regenerate)
    .add_node(append)
    .add_node(finish)
    .add_node(refuse)
    .add_edge(START, "receive")
    .add_edge("receive", "retrieve")
    .add_edge("retrieve", "rerank")
    .add_conditional_edges("rerank", route_sources)
    .add_conditional_edges("draft", route_draft)
    .add_edge("form_query", "retrieve_next")
    .add_conditional_edges("retrieve_next", route_retrieved)
    .add_conditional_edges("regenerate", route_regenerated)
    .add_conditional_edges("append", route_appended)
    .add_conditional_edges("finish", route_answer)
    .add_edge("refuse", END)
    .compile(name="flare")
)
