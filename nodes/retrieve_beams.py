"""Retrieve for each answer that grows (Self-RAG, arXiv:2310.11511)."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.grading.reflection import RETRIEVAL
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import search
from nodes.fuse import key_of
from nodes.node import Update, node, said
from nodes.rerank import reranked
from nodes.retrieve import depth
from state.context import Context
from state.schemas import Beam


class Needing(TypedDict):
    """Answers, some of which need documents."""

    query: str
    collections: list[str]
    passages: list[Passage]
    beams: list[Beam]
    warnings: list[str]


@node
def retrieve_beams(state: Needing, runtime: Runtime[Context]) -> Update:
    """Search for the question and the last segment of each answer that wants it, as the paper says.

    What is found is reranked where the run wants that. With `self_rag.retrieve_again=False` nothing is searched for:
    all go on from the passages found first.

    Raises:
        CollectionError: A collection is missing, or was built with another embedding model.
    """
    context, passages = runtime.context, list(state["passages"])
    if not context.self_rag.retrieve_again:
        return {"steps": said("retrieve_beams", "the passages found first, as in the official code")}
    beams, warnings, queries, wanted = [], list[str](), list[str](), context.self_rag.passages
    for beam in state["beams"]:
        if beam["need"] != RETRIEVAL:
            beams.append(beam)
            continue
        queries.append(f"{state['query']} {beam['segments'][-1]['text']}")
        result = search(
            queries[-1],
            state["collections"],
            k=depth(context, wanted),
            mode=context.search_mode,
            embedding_model=context.embedding_model,
            where=context.where,
            weights=context.search_weights.model_dump(),
            mmr=context.mmr,
        )
        ranked = reranked(context, queries[-1:], result.passages)[:wanted]
        known = {key_of(passage) for passage in passages}
        passages += [passage for passage in ranked if key_of(passage) not in known]
        numbers = {key_of(passage): number for number, passage in enumerate(passages, 1)}
        beams.append({**beam, "found": [numbers[key_of(passage)] for passage in ranked] or beam["found"]})
        warnings += result.warnings
    return {
        "passages": passages,
        "beams": beams,
        "warnings": [warning for warning in dict.fromkeys(warnings) if warning not in state["warnings"]],
        "steps": said(
            "retrieve_beams",
            f"{len(passages) - len(state['passages'])} passages new",
            queries=queries,
            passages=[beam["found"] for beam in beams],
            sources=[passage.source for passage in passages[len(state["passages"]) :]],
        ),
    }
