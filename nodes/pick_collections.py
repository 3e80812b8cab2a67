"""Pick the collections that are about the question's subject, and hand them to the pattern that answers."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.errors import ModelError
from groundgraph.knowledge.choose import choose_collections
from nodes.node import Update, node, said
from state.context import Context
from state.schemas import Route


class Asked(TypedDict):
    """The question as it stands alone, its intent, the collections there are, and the pattern that answers."""

    query: str
    intent: str
    collections: list[str]
    pattern: str


@node
def pick_collections(state: Asked, runtime: Runtime[Context]) -> Update:
    """Set the `route` of the pattern to run: the intent, and those collections that are worth searching.

    Where the embedding model fails, all are searched.

    Raises:
        CollectionError: A collection is missing.
    """
    names = state["collections"]
    whole: Route = {"intent": state["intent"], "collections": names}
    if len(names) == 1 or state["pattern"] == "reply" or not runtime.context.router.pick_collections:
        return {"route": whole}
    try:
        choice = choose_collections(state["query"], names)
    except ModelError as error:
        warning = f"all collections are searched, since none could be picked: {error}"
        return {"route": whole, "warnings": [warning]}
    scores = {name: None if score is None else round(score, 4) for name, score in choice.scores.items()}
    return {
        "route": {**whole, "collections": choice.names},
        "steps": said(
            "pick_collections",
            f"{len(choice.names)} of {len(names)} collections",
            collections=choice.names,
            scores=scores,
        ),
    }
