"""Let a chat model write on where its text ends."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from groundgraph.models.calls import Reply, ask, live
from groundgraph.models.chat import OPENAI_URL, speaks_openai
from groundgraph.models.failures import RequestRejected

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

CONTINUE: dict[str, Any] = {"extra_body": {"add_generation_prompt": False, "continue_final_message": True}}
"""What vLLM and those after it want to be told; llama.cpp continues a last message of the assistant's anyway."""
GREETING = "Hello, and a very good morning to you, dear Annab"
"""Longer than the reply may be that shows whether it is continued, so that no new message can hold it."""


class Continuation(NamedTuple):
    """A conversation at whose end the model writes on."""

    messages: "list[BaseMessage]"
    options: dict[str, Any]
    """Further fields of the request."""
    continues: bool
    """Whether the reply goes on amid the text, which llama.cpp repeats before it; else it is a message of its own."""
    spent: tuple[Reply, ...] = ()
    """What it took to find out."""


class Continuing:
    """Which models go on with a last message of their own; an unknown endpoint is asked once, and remembered."""

    def __init__(self) -> None:
        self._known: dict[str, bool] = {}

    async def found(self, model: str) -> tuple[bool, tuple[Reply, ...]]:
        """Return whether the model does, and the call that it took to find out."""
        provider = model.partition(":")[0]
        if provider == "llamacpp" or not speaks_openai(provider):
            return provider == "llamacpp", ()
        if model in self._known or getattr(await live(model), "openai_api_base", None) == OPENAI_URL:
            return self._known.get(model, False), ()
        from langchain_core.messages import AIMessage, HumanMessage

        spent: tuple[Reply, ...] = ()
        try:
            greet = [HumanMessage("Greet Annabelle."), AIMessage(GREETING)]
            reply = await ask(model, greet, max_tokens=4, **CONTINUE)
        except RequestRejected:
            self._known[model] = False
        else:
            self._known[model], spent = reply.text.removeprefix(GREETING).startswith("elle"), (reply,)
        return self._known[model], spent

    def clear(self) -> None:
        """Forget what was learned."""
        self._known.clear()


continuing = Continuing()


async def continuation(model: str, messages: "Sequence[BaseMessage]", written: str, instruction: str) -> Continuation:
    """Return the conversation in which the model's reply goes on where `written` ends.

    Endpoints that continue a last message of the assistant's (llama.cpp, vLLM) are given `written` as that. Others
    find it, and the instruction to go on, at the end of the last message.

    Args:
        model: Name as `provider:model`.
        messages: What was asked; the last message is a human one.
        written: The answer so far, without white space at its end; may be empty.
        instruction: How to go on, in the language of the answer.

    Raises:
        InputError, ModelUnavailable, ModelError: As `ask` does.
    """
    if not written:
        return Continuation(list(messages), {}, continues=False)
    from langchain_core.messages import AIMessage

    continues, spent = await continuing.found(model)
    if continues:
        return Continuation([*messages, AIMessage(written)], CONTINUE, True, spent)
    *before, last = messages
    told = last.model_copy(update={"content": f"{last.text}\n\n{instruction}\n{written}"})
    return Continuation([*before, told], {}, False, spent)
