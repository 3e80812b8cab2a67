"""FLARE: retrieve for each sentence that the model is not sure of, before it stands (arXiv:2305.06983).

receive → retrieve → rerank → draft → [form_query → retrieve_next → regenerate] → append → draft → … → finish | refuse

A drafted sentence whose weakest token has probability θ or more is accepted as it is. Departures from the paper: the
drafts, too, are written from the passages there are; these are gathered, and not replaced, so that citations keep
their numbers (`flare.keep`); θ is 0.2; a sentence is not written again if the search brings nothing new; what the
model wrote after a sentence is the draft of the next one; a first draft that refuses is searched for by a guess; what
no passage supports is refused. The presets `paper` and `flare.variant="official_code"` have the originals' settings.
"""

from typing import Literal

from langgraph.graph import END, START
from langgraph.runtime import Runtime

from graphs.routes import route_answer
from nodes.append import Accepting, append, goes_on
from nodes.draft import Drafting, draft, is_doubtful
from nodes.finish import finish
from nodes.form_query import form_query
from nodes.receive import receive
from nodes.refuse import refuse
from nodes.regenerate import may_retrieve_again, regenerate
from nodes.rerank import rerank
from nodes.retrieve import Found, retrieve
from nodes.retrieve_next import Searched, brought_something, retrieve_next
from state.context import Context
from state.graph import Graph


def route_found(state: Found) -> Literal["draft", "refuse"]:
    """Write only from passages."""
    return "draft" if state["passages"] else "refuse"


def route_draft(state: Drafting, runtime: Runtime[Context]) -> Literal["form_query", "regenerate", "append", "finish"]:
    """Retrieve for a sentence that is uncertain; the official code writes the others again as well."""
    if not state["draft"]["text"].strip():
        return "finish"
    if is_doubtful(state["draft"], runtime.context):
        return "form_query"
    return "regenerate" if runtime.context.flare.variant == "official_code" else "append"


def route_retrieved(state: Searched, runtime: Runtime[Context]) -> Literal["regenerate", "append", "finish"]:
    """Write the sentence again from what is new; a guess does not stand without."""
    if brought_something(state, runtime.context):
        return "regenerate"
    return "finish" if state["draft"]["guessed"] else "append"


def route_regenerated(state: Drafting, runtime: Runtime[Context]) -> Literal["form_query", "append", "finish"]:
    """Retrieve again for a sentence that stays uncertain, as often as is allowed."""
    if not state["draft"]["text"].strip():
        return "finish"
    return "form_query" if may_retrieve_again(state, runtime.context) else "append"


def route_appended(state: Accepting, runtime: Runtime[Context]) -> Literal["draft", "finish"]:
    """Go on until the model ends, or the answer has all sentences and tokens it may have."""
    return "draft" if goes_on(state, runtime.context) else "finish"


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
    .add_conditional_edges("rerank", route_found)
    .add_conditional_edges("draft", route_draft)
    .add_edge("form_query", "retrieve_next")
    .add_conditional_edges("retrieve_next", route_retrieved)
    .add_conditional_edges("regenerate", route_regenerated)
    .add_conditional_edges("append", route_appended)
    .add_conditional_edges("finish", route_answer)
    .add_edge("refuse", END)
    .compile(name="flare")
)
