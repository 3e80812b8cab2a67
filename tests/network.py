"""Watch what this process asks of the network, and let nothing past this machine."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def _host(address: Any) -> Any:
    """Return the host of an address; nothing for a socket of Unix, or one that is connected already."""
    return address[0] if isinstance(address, tuple) else None


PLACES: dict[str, Callable[..., Any]] = {
    "socket.connect": lambda _, address: _host(address),
    "socket.sendto": lambda _, address: _host(address),
    "socket.sendmsg": lambda _, address: _host(address),
    "socket.getaddrinfo": lambda host, *_: host,
    "socket.gethostbyname": lambda host: host,
    "socket.gethostbyaddr": lambda host: host,
    "subprocess.Popen": lambda program, *_: program,
    "os.system": lambda command: command,
}
"""Where each of Python's audit events leads to; what another program does is not seen, so that none may start."""
LOCAL = {None, "", "localhost", "127.0.0.1", "::1", "uname"}
"""This machine, and the program that tells what machine it is."""

_attempts: list[str] | None = None


class Blocked(OSError):
    """Something would have left this machine."""


@contextmanager
def nothing_leaves() -> Iterator[list[str]]:
    """Block every connection and look-up but those of this machine, in all threads; yield what was tried."""
    global _attempts
    _attempts = attempts = []
    try:
        yield attempts
    finally:
        _attempts = None


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if _attempts is None or event not in PLACES:
        return
    place = PLACES[event](*arguments)
    place = place.decode() if isinstance(place, bytes) else place
    if place not in LOCAL:
        _attempts.append(f"{event} {place}")
        raise Blocked(f"{event} {place}: nothing may leave this machine")


sys.addaudithook(_watch)  # cannot be taken away again, so it is told when to look
