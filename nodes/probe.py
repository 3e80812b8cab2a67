"""Probe whether a model fine-tuned on reflection tokens wants documents (Self-RAG, arXiv:2310.11511)."""

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from groundgraph.errors import ModelUnavailable
from groundgraph.grading.need import Need
from groundgraph.grading.reflection import NEEDS, instruction, probabilities, retrieval_share, wants_retrieval
from groundgraph.models import complete, token_access
from nodes.model import capped, pattern_model
from nodes.node import Update, cost, node, said
from state.context import Context

TOP_TOKENS = 20


class Asked(TypedDict):
    """The question as it stands alone."""

    query: str
    warnings: list[str]


class Probed(TypedDict):
    """Whether to retrieve."""

    need: Need


@node
async def probe(state: Asked, runtime: Runtime[Context]) -> Update:
    """Set `need` from the probabilities of the first token; one that the endpoint does not report counts as 0.

    No need leaves nothing to answer from but the model's memory, so the run refuses. Where neither token is reported,
    it retrieves.

    Raises:
        ModelError: The run has no chat model, or its completions endpoint refuses.
    """
    self_rag = runtime.context.self_rag
    model = await pattern_model(runtime.context)
    if self_rag.retrieval == "always":
        return {"need": "yes", "steps": said("probe", "yes: always")}
    try:
        prompt = instruction(state["query"])
        reply = await complete(model, prompt, max_tokens=1, top_logprobs=TOP_TOKENS)
        reply, spent = await token_access.widened(model, prompt, reply, NEEDS)
    except ModelUnavailable as error:
        warnings = [f"need of retrieval not decided: {error}"]
        return {"need": "yes", "warnings": warnings, "steps": said("probe", "yes: the model is down")}
    warnings = capped([reply], state["warnings"])
    found = probabilities(reply.logprobs[0] if reply.logprobs else None, NEEDS)
    share = retrieval_share(found)
    variant = self_rag.variant if self_rag.form == "short" else "paper"
    if not any(found.values()):
        warnings += [f"model {model!r} reports no reflection token: is it fine-tuned on them?"]
        steps = said("probe", "yes: no reflection token is reported")
        return {"need": "yes", "warnings": warnings, "usage": cost(reply, *spent), "steps": steps}
    need: Need = "yes" if wants_retrieval(found, self_rag.retrieval_threshold, variant) else "no"
    reason = (
        f"the model would answer from its memory (share of retrieval {share:.2f}, threshold "
        f"{self_rag.retrieval_threshold}); self_rag.retrieval='always' searches for every question"
    )
    return {
        "need": need,
        "refusal_reason": reason if need == "no" else "",
        "warnings": warnings,
        "usage": cost(reply, *spent),
        "steps": said("probe", need, share=share, **found),
    }
