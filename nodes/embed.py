"""Embed hypothetical documents, and pool their vectors with the question's."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.errors import ModelError
from groundgraph.knowledge.hypothetical import hypothetical_vectors
from nodes.node import Update, node, said
from state.context import Context


class Imagined(TypedDict):
    """The question, and documents that would answer it."""

    query: str
    collections: list[str]
    hypotheticals: list[str]


@node
def embed(state: Imagined, runtime: Runtime[Context]) -> Update:
    """Set `query_vectors`, one for each embedding model of the run's collections; none without hypotheticals.

    An embedding model that fails costs a warning: the search then goes on as it does without it.
    """
    context, hyde = runtime.context, runtime.context.hyde
    if not state["hypotheticals"]:
        return {}
    try:
        vectors = hypothetical_vectors(
            state["query"],
            state["hypotheticals"],
            state["collections"],
            pool=hyde.pool,
            include_question=hyde.include_question,
            embedding=context.embedding_model,
        )
    except ModelError as error:
        return {"warnings": [f"hypothetical documents not embedded: {error}"]}
    count = len(state["hypotheticals"]) + hyde.include_question
    return {
        # A checkpoint holds no numpy numbers.
        "query_vectors": {model: [float(value) for value in vector] for model, vector in vectors.items()},
        "steps": said("embed", f"{hyde.pool} of {count} vectors", models=[*vectors]),
    }
