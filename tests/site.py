"""A real web site on loopback that serves what a test tells it to."""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Page:
    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    pause: float = 0.0
    """Seconds between any two bytes of the body."""


@dataclass
class Site:
    address: str
    asked: list[str] = field(default_factory=list)
    """Host header and path of every request."""


@contextmanager
def site(pages: Mapping[str, Page]) -> Iterator[Site]:
    """Serve pages by their paths, with their query or without, as long as it is entered."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append(f"{self.headers['Host']}{self.path}")
            page = pages.get(self.path) or pages.get(self.path.partition("?")[0]) or Page(status=404)
            self.send_response(page.status)
            for name, value in page.headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                for part in [page.body] if not page.pause else [bytes([one]) for one in page.body]:
                    self.wfile.write(part)
                    time.sleep(page.pause)
            except OSError:
                pass  # the client has heard enough

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    served = Site(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
