"""A chat model that says what a test wrote down, and fails on any prompt the test did not foresee."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr

from groundgraph.models import PROVIDERS, forget_models

Matcher = str | Callable[[str], bool] | None
"""A part of the prompt, a predicate of it, or None for any prompt."""


@dataclass
class Line:
    """One line of the script: what is said to a prompt that matches."""

    when: Matcher
    say: str | Exception
    times: int | None = 1
    """How often; None for any number of times, at least once."""
    logprobs: dict[str, Any] | None = None
    """As an endpoint would put them into `response_metadata`."""
    pieces: Sequence[str] | None = None
    """How a stream cuts the text; by default into words."""
    finish_reason: str = "stop"
    latency: float = 0.0
    """Seconds."""
    optional: bool = False
    """Whether it may stay unsaid, in a script for several patterns."""
    said: int = field(default=0, init=False)

    def matches(self, prompt: str) -> bool:
        if self.times is not None and self.said >= self.times:
            return False
        if callable(self.when):
            return self.when(prompt)
        return self.when is None or self.when in prompt

    @property
    def is_done(self) -> bool:
        return self.optional or (self.said > 0 if self.times is None else self.said == self.times)


class ScriptedChat(BaseChatModel):
    """Answers each prompt with the first line of its script that matches and is not used up.

    `prompts` holds every prompt it was given, `options` the keyword arguments of every call.
    """

    _lines: list[Line] = PrivateAttr(default_factory=list)
    _prompts: list[str] = PrivateAttr(default_factory=list)
    _options: list[dict[str, Any]] = PrivateAttr(default_factory=list)
    _lock: threading.Lock = PrivateAttr(default_factory=threading.Lock)

    @classmethod
    def of(cls, *lines: Line | tuple[Matcher, str | Exception] | str) -> "ScriptedChat":
        """Return a model with this script; a tuple is (when, say), a bare text answers any prompt."""
        model = cls()
        for line in lines:
            if isinstance(line, str):
                line = Line(None, line)
            model._lines.append(line if isinstance(line, Line) else Line(*line))
        return model

    @property
    def prompts(self) -> list[str]:
        return self._prompts

    @property
    def options(self) -> list[dict[str, Any]]:
        return self._options

    def assert_done(self) -> None:
        """Fail if a line of the script was never said."""
        left = [line for line in self._lines if not line.is_done]
        assert not left, f"unused lines of the script: {[(line.when, line.say) for line in left]}"

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _next(self, messages: list[BaseMessage], options: dict[str, Any]) -> tuple[Line, str]:
        prompt = "\n".join(f"{message.type}: {message.text}" for message in messages)
        with self._lock:
            self._prompts.append(prompt)
            self._options.append(options)
            line = next((line for line in self._lines if line.matches(prompt)), None)
            assert line is not None, f"no line of the script for this prompt:\n{prompt}"
            line.said += 1
        if isinstance(line.say, Exception):
            raise line.say
        return line, line.say

    def _message(self, messages: list[BaseMessage], line: Line, text: str) -> AIMessage:
        metadata: dict[str, Any] = {"finish_reason": line.finish_reason}
        if line.logprobs is not None:
            metadata["logprobs"] = line.logprobs
        return AIMessage(text, response_metadata=metadata, usage_metadata=_usage(messages, text))

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        line, text = self._next(messages, kwargs)
        return ChatResult(generations=[ChatGeneration(message=self._message(messages, line, text))])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        line, text = self._next(messages, kwargs)
        await asyncio.sleep(line.latency)
        return ChatResult(generations=[ChatGeneration(message=self._message(messages, line, text))])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        line, text = self._next(messages, kwargs)
        await asyncio.sleep(line.latency)
        for piece in line.pieces or _words(text):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=piece))
            if run_manager:
                await run_manager.on_llm_new_token(piece, chunk=chunk)
            yield chunk
        whole = self._message(messages, line, text)
        last = AIMessageChunk(
            content="", response_metadata=whole.response_metadata, usage_metadata=whole.usage_metadata
        )
        yield ChatGenerationChunk(message=last)


def _words(text: str) -> list[str]:
    return [word + " " for word in text.split(" ")[:-1]] + [text.split(" ")[-1]]


def _usage(messages: list[BaseMessage], text: str) -> Any:
    read, written = sum(len(message.text.split()) for message in messages), len(text.split())
    return {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}


@contextmanager
def scripted(*lines: Line | tuple[Matcher, str | Exception] | str) -> Iterator[tuple[str, ScriptedChat]]:
    """Register a scripted model; yield its name and itself, and fail at the end if part of the script is unused."""
    model = ScriptedChat.of(*lines)
    PROVIDERS["scripted"] = lambda name: model
    forget_models()
    try:
        yield "scripted:test", model
        model.assert_done()
    finally:
        del PROVIDERS["scripted"]
        forget_models()
