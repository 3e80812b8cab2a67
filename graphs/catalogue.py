"""The patterns there are, by name."""

from importlib import import_module

from groundgraph.errors import InputError
from state.graph import CompiledGraph

PATTERNS: dict[str, str] = {
    "naive": "Retrieve, then answer: the baseline.",
    "hyde": "HyDE: write what might answer, search by its vector, then answer.",
    "advanced": "Rewrite and decompose the question, search by all of it, fuse, compress, then answer.",
    "flare": "FLARE: write sentence by sentence, and retrieve for each that the model is not sure of.",
    "crag": "Corrective RAG: grade what was retrieved, refine it or search the web, answer or refuse.",
    "adaptive": "Assess what was retrieved; if it is poor, rewrite the question and retrieve once more, or refuse.",
    "self_rag": "Self-RAG: write each part from several passages, let a critic rate it, keep the best or search again.",
    "combined": "HyDE's retrieval, Corrective RAG's grading and correction, FLARE's writing.",
    "router": "Classify the question's intent, and run the pattern that fits it.",
}


def load(name: str) -> CompiledGraph:
    """Return the compiled graph of this name, imported when first asked for.

    Raises:
        InputError: There is no pattern of this name.
    """
    if name not in PATTERNS:
        raise InputError(f"pattern={name!r}: unknown; known are {', '.join(PATTERNS)}")
    graph: CompiledGraph = import_module(f"graphs.{name}").graph
    return graph
