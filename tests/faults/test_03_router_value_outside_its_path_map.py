"""Fault 3: a router returns a value that is not in its path map, and the run dies.

Every router of every graph, over every value it can return, and the router graph given an unknown label, lands on a
node or on END.
"""

import inspect
from typing import get_args, get_type_hints

import pytest
from langgraph.graph import END

from graphs.catalogue import PATTERNS, load
from nodes.classify_intent import pattern_of
from state.context import RouterSettings


@pytest.mark.parametrize("name", PATTERNS)
def test_every_value_lands(name: str) -> None:
    builder = load(name).builder
    branches = [(branch, node) for node, named in builder.branches.items() for branch in named.values()]
    assert branches
    for branch, node in branches:
        router = inspect.unwrap(branch.path.func or branch.path.afunc)
        values = get_args(get_type_hints(router)["return"])
        assert values, f"{router.__name__} after {node} has no Literal: its branch would not be drawn"
        assert set(values) <= {*builder.nodes, END}
        assert set(values) == set(branch.ends or {})


def test_an_unknown_label_goes_to_the_default() -> None:
    for label in ("banana", "", "None", "crag; drop table"):
        pattern, why = pattern_of(label, 1.0, RouterSettings())
        assert pattern in load("router").builder.nodes
        assert "unknown intent" in why
