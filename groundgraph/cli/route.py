"""What the router would do with a question, without doing it."""

from typing import TYPE_CHECKING, Any

from groundgraph.cli.terminal import write

if TYPE_CHECKING:
    from state.context import Context

LAST_DECISION = "pick_collections"


def explain(question: str, context: "Context") -> dict[str, Any]:
    """Return the route of a question as plain JSON values: all scores, and what was decided on them.

    The router runs up to its last decision.

    Raises:
        GroundgraphError: The question or a setting cannot be used, or a collection is missing.
    """
    from graphs.router import graph
    from groundgraph.knowledge.choose import named

    state = graph.invoke({"question": question}, context=context, interrupt_after=[LAST_DECISION])
    steps = {step["node"]: step for step in state["steps"]}
    intent, picked = steps["classify_intent"], steps.get(LAST_DECISION, {"figures": {}})["figures"]
    names = named(context.collections)
    return {
        "query": steps["receive"]["figures"]["query"],
        "decision": intent["decision"],
        "pattern": intent["figures"]["pattern"],
        "intents": intent["figures"].get("scores", {}),
        "collections": picked.get("collections", names),
        "collection_scores": picked.get("scores", dict.fromkeys(names)),
        "warnings": state["warnings"],
    }


def show_route(route: dict[str, Any]) -> None:
    """Write a route for people."""
    if route["intents"]:
        write("Intents")
    for intent, score in route["intents"].items():
        write(f"  {intent:<16} {score:.2f}")
    write("Collections")
    for name, score in route["collection_scores"].items():
        searched = "searched" if name in route["collections"] else "left out"
        write(f"  {name:<16} {'' if score is None else f'{score:.3f}':<6} {searched}")
    for warning in route["warnings"]:
        write(f"Warning: {warning}")
    write(f"Would run: {route['pattern']} ({route['decision']})")
