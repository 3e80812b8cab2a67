"""Make each named thing once, though many threads ask for it at the same time."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """A cache of slow, shared things by name; a name that fails is tried again by the next caller."""

    def __init__(self, make: Callable[[str], T], close: Callable[[T], None] | None = None) -> None:
        self._make = make
        self._close = close
        self._made: dict[str, T] = {}
        self._locks: dict[str, threading.Lock] = {}

    def __call__(self, name: str) -> T:
        """Return the thing called `name`, made now if nobody has; other names do not wait for it."""
        if name not in self._made:
            with self._locks.setdefault(name, threading.Lock()):
                if name not in self._made:
                    self._made[name] = self._make(name)
        return self._made[name]

    def made(self, name: str) -> T | None:
        """Return the thing called `name` if it exists already; never blocks."""
        return self._made.get(name)

    def clear(self) -> None:
        """Close and forget everything made so far."""
        while self._made:
            _, thing = self._made.popitem()
            if self._close:
                self._close(thing)
