"""Routers that several patterns share."""

from typing import Literal

from langgraph.runtime import Runtime

from nodes.accept import Accepted, Continued
from nodes.append import Accepting, goes_on
from nodes.choose import Chosen, Outcome
from nodes.decide import Decided
from nodes.draft import Drafting, is_doubtful
from nodes.elect import Elected
from nodes.generate import Written
from nodes.grade import Verdict
from nodes.probe import Probed
from nodes.prune import Next, Pruned
from nodes.regenerate import may_retrieve_again
from nodes.retrieve import Found
from nodes.retrieve_next import Searched, brought_something
from nodes.select import Selected
from nodes.write_segments import Tried
from state.context import Context


def route_passages(state: Found) -> Literal["generate", "refuse"]:
    """Answer only from passages."""
    return "generate" if state["passages"] else "refuse"


def route_answer(state: Written) -> Literal["refuse", "__end__"]:
    """Refuse where the passages gave no answer."""
    return "__end__" if state["answer"] else "refuse"


def route_grade(state: Verdict) -> Literal["rewrite", "refine", "refuse"]:
    """Correct by the web where that is wanted and allowed; else refine what is usable, or refuse."""
    if state["search_web"]:
        return "rewrite"
    return "refine" if state["passages"] else "refuse"


def route_web(state: Found) -> Literal["refine", "refuse"]:
    """Refine what is usable, or refuse: the web is searched once."""
    return "refine" if state["passages"] else "refuse"


def route_sources(state: Found) -> Literal["draft", "refuse"]:
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


def route_need(state: Decided) -> Literal["reply", "retrieve", "retrieve_evidence", "select", "conclude"]:
    """Retrieve, go on from what there is, or end; a message that asks for nothing gets a reply without facts."""
    if not state["accepted"]:
        return "reply" if state["need"] == "no" else "retrieve"
    if state["need"] == "no":
        return "conclude"
    return "retrieve_evidence" if state["need"] == "yes" else "select"


def route_evidence(state: Found) -> Literal["select", "refuse"]:
    """Write only from passages."""
    return "select" if state["passages"] else "refuse"


def route_selected(state: Selected) -> Literal["write_segments", "choose"]:
    """Write from what was selected; with nothing, see what else can be done."""
    return "write_segments" if state["candidates"] else "choose"


def route_segments(state: Tried) -> Literal["reflect", "choose"]:
    """Rate what was written."""
    return "reflect" if state["segments"] else "choose"


def route_choice(state: Chosen) -> Outcome:
    """Go where `choose` decided."""
    return state["outcome"]


def route_accepted(state: Accepted) -> Continued:
    """Go on until the answer is useful enough, or has all segments it may have."""
    return state["outcome"]


def route_critic(state: Found, runtime: Runtime[Context]) -> Literal["decide", "tokens"]:
    """Let a model that was fine-tuned on reflection tokens judge itself by these."""
    return "tokens" if runtime.context.self_rag.critic == "tokens" else "decide"


def route_probe(state: Probed) -> Literal["retrieve", "refuse"]:
    """Retrieve, or refuse: a model that wants no documents would answer from its memory."""
    return "refuse" if state["need"] == "no" else "retrieve"


def route_branches(state: Selected) -> Literal["expand", "refuse"]:
    """Write from what was selected."""
    return "expand" if state["candidates"] else "refuse"


def route_pruned(state: Pruned) -> Next:
    """Go where `prune` decided."""
    return state["outcome"]


def route_elected(state: Elected) -> Literal["conclude", "refuse"]:
    """Refuse where nothing is supported; a model that is down is no verdict."""
    return "conclude" if state["answer"] or state["failure"] else "refuse"
