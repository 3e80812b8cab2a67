"""The drawing of every graph, and the schemas of what goes in and comes out, as Studio and a server show them."""

import pytest
from syrupy.assertion import SnapshotAssertion

from graphs.catalogue import PATTERNS, load


@pytest.mark.parametrize("name", PATTERNS)
def test_drawing(name: str, snapshot: SnapshotAssertion) -> None:
    assert load(name).get_graph(xray=True).draw_mermaid() == snapshot


@pytest.mark.parametrize("name", PATTERNS)
def test_schemas(name: str, snapshot: SnapshotAssertion) -> None:
    graph = load(name)
    schemas = (graph.get_input_jsonschema(), graph.get_output_jsonschema(), graph.get_context_jsonschema())
    assert [sorted(schema["properties"]) for schema in schemas if schema] == snapshot
    assert graph.get_context_jsonschema() == load("naive").get_context_jsonschema()


def test_jupyter_shows_a_graph_without_asking_anyone() -> None:
    """LangGraph has a web service draw it; here the network is blocked."""
    shown = load("crag")._repr_mimebundle_()
    assert shown["text/vnd.mermaid"] == load("crag").get_graph().draw_mermaid()
    assert "grade_web" in shown["text/plain"]
