"""The user's token stream: only text that will stand in the answer."""

from collections.abc import AsyncIterator
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from groundgraph.models import Reply, stream
from nodes.answer_filter import AnswerFilter


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


async def accepted(
    model: str, messages: list[BaseMessage], max_tokens: int, answer: AnswerFilter, replies: list[Reply]
) -> AsyncIterator[str]:
    """Yield what may be shown of the model's answer as it is written; its Reply is added to `replies`."""
    async for piece in stream(model, messages, max_tokens=max_tokens):
        if isinstance(piece, Reply):
            replies.append(piece)
        else:
            for shown in answer.feed(piece):
                yield shown
    for shown in answer.close():
        yield shown


async def once(text: str) -> AsyncIterator[str]:
    """Yield `text` in one piece."""
    yield text
