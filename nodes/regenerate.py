"""Write an uncertain sentence again, from what was retrieved for it (FLARE, arXiv:2305.06983)."""

from langgraph.runtime import Runtime

from groundgraph.errors import ModelUnavailable
from nodes.draft import Drafting, is_doubtful, sentence_figures
from nodes.measure import measured
from nodes.node import Update, cost, node, said
from nodes.write_on import write_on
from state.context import Context
from state.schemas import NO_DRAFT


@node
async def regenerate(state: Drafting, runtime: Runtime[Context]) -> Update:
    """Set `draft` to the sentence written again; measured, where that takes no calls or may lead to another retrieval.

    If the chat model is down, the draft stays as it is, or is given up where it was a guess, and the answer ends.

    Raises:
        ModelError: The chat model refuses to work for us, or is down where a failure is wanted then.
    """
    context, flare = runtime.context, runtime.context.flare
    try:
        written, numbers, replies = await write_on(state, context)
        if written["tokens"] or state["retrievals"] < flare.retrieve_per_step:
            written, spent, warnings = await measured(written, state, context)
        else:
            spent, warnings = [], []
    except ModelUnavailable as error:
        if context.on_model_failure == "error":
            raise
        kept = NO_DRAFT if state["draft"]["guessed"] else state["draft"]
        return {
            "draft": {**kept, "text": kept["text"][: kept["end"]], "ended": True, "failed": str(error)},
            "steps": said("regenerate", "the chat model is down"),
        }
    return {
        "draft": written,
        "shown": numbers,
        "warnings": warnings,
        "usage": cost(*replies, *spent),
        "steps": said("regenerate", "written again", **sentence_figures(written)),
    }


def may_retrieve_again(state: Drafting, context: Context) -> bool:
    """Tell whether to search once more for a sentence that was searched for, written again, and is still in doubt."""
    return 0 < state["retrievals"] < context.flare.retrieve_per_step and is_doubtful(state["draft"], context)
