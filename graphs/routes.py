"""Routers that several patterns share."""

from typing import Literal

from nodes.generate import Written
from nodes.retrieve import Found


def route_passages(state: Found) -> Literal["generate", "refuse"]:
    """Answer only from passages."""
    return "generate" if state["passages"] else "refuse"


def route_answer(state: Written) -> Literal["refuse", "__end__"]:
    """Refuse where the passages gave no answer."""
    return "__end__" if state["answer"] else "refuse"
