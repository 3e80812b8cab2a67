"""Routers that several patterns share."""

from typing import Literal

from langgraph.graph import END

from nodes.generate import Written
from nodes.retrieve import Found


def route_passages(state: Found) -> Literal["generate", "refuse"]:
    """Answer only from passages."""
    return "generate" if state["passages"] else "refuse"


def route_answer(state: Written) -> Literal["refuse", "__end__"]:
    """Refuse where the passages gave no answer."""
    return END if state["answer"] else "refuse"
