"""Fault 3: a router returns a value that is not in its path map, and the run dies.

Every router of every graph, over every value it can return, and the router graph given an unknown label, lands on a
node or on END.
"""

import inspect
from typing import Any, get_args, get_type_hints

import pytest
from langgraph.graph import END
from langgraph.types import Send

from graphs.catalogue import PATTERNS, load
from nodes.classify_intent import pattern_of
from state.blocks import RouterSettings


@pytest.mark.parametrize("name", PATTERNS)
def test_every_value_lands(name: str) -> None:
    builder = load(name).builder
    branches = [(branch, node) for node, named in builder.branches.items() for branch in named.values()]
    assert branches
    for branch, node in branches:
        router = inspect.unwrap(branch.path.func or branch.path.afunc)
        ends = set(branch.ends or {})
        assert ends and ends <= {*builder.nodes, END}, f"{router.__name__} after {node}: its branch would not be drawn"
        values = returned(get_type_hints(router)["return"])
        assert values - {Send} == ends - {"retrieve_leg"} if Send in values else values == ends


def returned(hint: Any) -> set[Any]:
    """Return the names that a router's return type lists, and `Send` if it sends."""
    return {hint} if not get_args(hint) else {value for part in get_args(hint) for value in returned(part)}


def test_an_unknown_label_goes_to_the_default() -> None:
    for label in ("banana", "", "None", "crag; drop table"):
        pattern, why = pattern_of(label, 1.0, RouterSettings())
        assert pattern in load("router").builder.nodes
        assert "unknown intent" in why
