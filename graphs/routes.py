"""Routers that several patterns share."""

from typing import Literal

from nodes.generate import Written
from nodes.grade import Verdict
from nodes.retrieve import Found


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
