"""Routers that several patterns share."""

from typing import Literal

from langgraph.runtime import Runtime

from nodes.append import Accepting, goes_on
from nodes.draft import Drafting, is_doubtful
from nodes.generate import Written
from nodes.grade import Verdict
from nodes.regenerate import may_retrieve_again
from nodes.retrieve import Found
from nodes.retrieve_next import Searched, brought_something
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
