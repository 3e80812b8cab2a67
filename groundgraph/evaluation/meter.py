"""Count the requests to chat models while a question is asked, those that fail among them, and stop at a limit."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult

from groundgraph.errors import InputError
from groundgraph.models.calls import QUIET, reply_of
from nodes.node import cost
from state.reducers import Usage, add_usage


@dataclass
class Allowance:
    """Requests that several questions may make together."""

    left: int


class Meter(BaseCallbackHandler):
    """Counts the requests of one question; a request beyond the allowance is not made, and fails the question.

    A request that its client repeats, on 429, 5xx and timeouts, counts once.
    """

    run_inline = True
    raise_error = True

    def __init__(self, allowance: Allowance | None = None) -> None:
        self.usage: Usage = {}
        """What the requests that were begun cost so far; tokens of those that came back."""
        self.is_stopped = False
        """Whether a request was not allowed."""
        self._allowance = allowance
        self._prompts: dict[UUID, list[BaseMessage]] = {}
        """Of chat models that have not replied yet."""

    @property
    def calls(self) -> int:
        """Return how many requests were begun."""
        return self.usage.get("model_calls", 0)

    def on_chat_model_start(
        self,
        serialized: Any,
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        tags: list[str] | None = None,
        **__: Any,
    ) -> None:
        """Count a request to a chat model."""
        if self._begin(tags):
            self._prompts[run_id] = messages[0]

    def on_llm_start(self, *_: Any, tags: list[str] | None = None, **__: Any) -> None:
        """Count a request for a completion."""
        self._begin(tags)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """Count the tokens of a chat model's reply."""
        prompt = self._prompts.pop(run_id, None)
        message = getattr(response.generations[0][0], "message", None) if prompt is not None else None
        if prompt is not None and message is not None:
            self._add({**cost(reply_of(message, prompt)), "model_calls": 0})  # which is counted where it begins

    def _begin(self, tags: list[str] | None) -> bool:
        """Count a request, and return whether it is one."""
        if not {*QUIET.get("tags", ())} <= {*(tags or ())}:  # text that is only played to the user
            return False
        if self._allowance is not None:
            if not self._allowance.left:
                self.is_stopped = True
                raise InputError("the model calls that may be spent are spent: give more with --budget")
            self._allowance.left -= 1
        self._add({"model_calls": 1})
        return True

    def _add(self, spent: Usage) -> None:
        self.usage = add_usage(self.usage, spent)
