"""The user's token stream: only text that will stand in the answer."""

import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult


class Accepted(BaseChatModel):
    """Plays accepted text as a chat model's tokens: LangGraph streams those, and nothing else."""

    pieces: Any
    """Asynchronous iterator of str."""
    message_id: str
    """Id of the message that the node will return, so that it is not streamed once more."""

    @property
    def _llm_type(self) -> str:
        return "accepted"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        raise TypeError("accepted text is played asynchronously")

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        async for piece in self.pieces:
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece, id=self.message_id))


async def emit(pieces: AsyncIterator[str], message_id: str) -> None:
    """Send pieces of the answer to the user's token stream as they come."""
    first = await anext(pieces, None)
    if first is None:  # a chat model that says nothing is an error to LangChain
        return

    async def all_pieces() -> AsyncIterator[str]:
        yield first
        async for piece in pieces:
            yield piece

    async for _ in Accepted(pieces=all_pieces(), message_id=message_id).astream(""):
        pass


REFUSAL = re.compile(
    r"[\W\d]*(?:not[ _]found|no answer|(?:the |these |none of the )?(?:provided |given )?passages? (?:do|does) not"
    r"|未找到|没有找到|段落[中里]?都?没有)",
    re.IGNORECASE,
)
"""How a model's answer begins that says that the passages do not answer."""
_LONGEST_OPENING = 48
_MARK = re.compile(r"\s*[\[【](\d+(?:\s*[,，、;]\s*\d+)*)[\]】]")
_OPEN_MARK = re.compile(r"\s*(?:[\[【][\d\s,，、;]*)?$")


class AnswerFilter:
    """Hold back what may not stand in the answer: a refusal's words, and citations of passages that do not exist.

    Feed it the model's pieces; what it gives back may be shown. `text` is all that was accepted so far.
    """

    def __init__(self, passages: int) -> None:
        self.text = ""
        self.dropped: list[int] = []
        """Numbers cited that are no passage's."""
        self._passages = passages
        self._held = ""
        self._opening = True

    @property
    def refused(self) -> bool:
        """Whether the model said that the passages do not answer."""
        return not self.text and bool(REFUSAL.match(self._held))

    def feed(self, piece: str) -> Iterator[str]:
        """Take a piece; yield what may be shown now."""
        self._held += piece
        if self._opening:
            if len(self._held) < _LONGEST_OPENING or REFUSAL.match(self._held):
                return
            self._opening = False
        cut = _OPEN_MARK.search(self._held)
        yield from self._accept(cut.start() if cut else len(self._held))

    def close(self) -> Iterator[str]:
        """End the answer; yield what is left to be shown: nothing if it is a refusal."""
        if not self.refused:
            yield from self._accept(len(self._held))

    def _accept(self, end: int) -> Iterator[str]:
        ready, self._held = self._held[:end], self._held[end:]
        if shown := _MARK.sub(self._check, ready):
            self.text += shown
            yield shown

    def _check(self, mark: "re.Match[str]") -> str:
        numbers = [int(number) for number in re.findall(r"\d+", mark[1])]
        self.dropped += [number for number in numbers if not 1 <= number <= self._passages]
        kept = [f"[{number}]" for number in numbers if 1 <= number <= self._passages]
        return " " + "".join(kept) if kept else ""
