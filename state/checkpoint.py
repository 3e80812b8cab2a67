"""Checkpoint savers as our graphs need them: passages may be read back, and synchronous savers serve both faces."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextvars import ContextVar
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from groundgraph.knowledge.passage import Passage

OUR_TYPES = ((Passage.__module__, Passage.__name__),)
"""Types of the state that a strict serializer must be told about."""

called_synchronously: ContextVar[bool] = ContextVar("called_synchronously", default=False)


def serializer() -> JsonPlusSerializer:
    """Return a serializer for a saver of your own that knows the types of our state."""
    return JsonPlusSerializer(allowed_msgpack_modules=OUR_TYPES)


def usable(saver: BaseCheckpointSaver[Any]) -> BaseCheckpointSaver[Any]:
    """Return `saver` ready for a run: through its synchronous methods if that is how the run was started."""
    saver = saver.with_allowlist(OUR_TYPES)
    return ThreadedSaver(saver) if called_synchronously.get() and not isinstance(saver, ThreadedSaver) else saver


class ThreadedSaver(BaseCheckpointSaver[Any]):
    """A synchronous saver, such as `SqliteSaver`, whose methods are awaited in threads."""

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        super().__init__(serde=saver.serde)
        self._saver = saver

    @property
    def config_specs(self) -> list[Any]:
        """Return the saver's own."""
        return self._saver.config_specs

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Return the saver's own."""
        return self._saver.get_next_version(current, channel)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Await `get_tuple`."""
        return await asyncio.to_thread(self._saver.get_tuple, config)

    async def alist(self, config: RunnableConfig | None, **options: Any) -> AsyncIterator[CheckpointTuple]:
        """Await `list`."""
        for checkpoint in await asyncio.to_thread(lambda: list(self._saver.list(config, **options))):
            yield checkpoint

    async def aput(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, new_versions: Any
    ) -> RunnableConfig:
        """Await `put`."""
        return await asyncio.to_thread(self._saver.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Await `put_writes`."""
        await asyncio.to_thread(self._saver.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Await `delete_thread`."""
        await asyncio.to_thread(self._saver.delete_thread, thread_id)
