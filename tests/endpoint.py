"""A real HTTP endpoint on loopback that speaks the OpenAI API and says what a test tells it to."""

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import pytest

from groundgraph.models import forget_models
from groundgraph.settings import get_settings

Request = dict[str, Any]


@dataclass
class Endpoint:
    """Serves as long as it is entered: `with Endpoint(reply=…) as endpoint: endpoint.base_url`."""

    reply: str | Callable[[Request], str] = "Yes."
    latency: float = 0.0
    """Seconds before each reply."""
    fail: list[int] = field(default_factory=list)
    """Statuses with which the next requests fail, one each."""
    drop: int = 0
    """How many of the next requests find their connection closed, without a reply."""
    always_fail: int | None = None
    """Status with which every request fails."""
    reject: Sequence[str] = ()
    """Fields of a request that are answered with 422, such as `response_format` or `logprobs`."""
    most_likeliest: int | None = None
    """How many of the likeliest tokens may be asked for; more are answered with 400."""
    objection: str = "logprobs must be at most {most}"
    """What the endpoint says to a request for more."""
    body: str | None = None
    """A body sent as it is, with status 200, instead of a reply."""
    logprobs: dict[str, Any] | Callable[[str], dict[str, Any]] | None = None
    """Log probabilities to send to those who ask, or what makes them of the text."""
    token_ids: Mapping[str, int] | None = None
    """Numbers of tokens that `/tokenize` tells; without them there is no such address."""
    thinking_field: str | None = None
    """Text of `reasoning_content`, beside the content."""
    tool_calls: Callable[[Request], list[dict[str, Any]]] | None = None
    """Calls, by name and arguments, that a reply which is not streamed makes beside its text."""
    reports_usage: bool = True
    knows_n: bool = True
    """Whether it gives as many choices as `n` asks for; else it gives one."""
    dimension: int = 3
    key: str | None = None
    """The only key that is let in; None lets everyone in."""
    requests: list[Request] = field(default_factory=list, init=False)
    paths: list[str] = field(default_factory=list, init=False)
    statuses: list[int] = field(default_factory=list, init=False)
    in_flight: int = field(default=0, init=False)
    max_in_flight: int = field(default=0, init=False)
    lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __enter__(self) -> Self:
        endpoint = self

        class Handler(_Handler):
            pass

        Handler.endpoint = endpoint
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def configure(self, monkeypatch: pytest.MonkeyPatch, **settings: object) -> None:
        """Make this the endpoint of the environment, with further GROUNDGRAPH_ settings; models are made anew."""
        monkeypatch.setenv("OPENAI_BASE_URL", self.base_url)
        for name, value in settings.items():
            monkeypatch.setenv(f"GROUNDGRAPH_{name.upper()}", str(value))
        get_settings.cache_clear()
        forget_models()

    def say(self, request: Request) -> str:
        return self.reply if isinstance(self.reply, str) else self.reply(request)

    def status(self, request: Request, key: str) -> int:
        """Return the status the request deserves; 0 for none at all."""
        with self.lock:
            if self.drop:
                self.drop -= 1
                return 0
        if self.key is not None and key != f"Bearer {self.key}":
            return 401
        if self.always_fail:
            return self.always_fail
        if any(name in request for name in self.reject):
            return 422
        with self.lock:
            return self.fail.pop(0) if self.fail else 200


class _Handler(BaseHTTPRequestHandler):
    endpoint: Endpoint
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test's output clean."""

    def do_POST(self) -> None:
        endpoint = self.endpoint
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with endpoint.lock:
            endpoint.requests.append(request)
            endpoint.paths.append(self.path)
            endpoint.in_flight += 1
            endpoint.max_in_flight = max(endpoint.max_in_flight, endpoint.in_flight)
        try:
            time.sleep(endpoint.latency)
            status = endpoint.status(request, self.headers.get("Authorization", ""))
        finally:
            with endpoint.lock:
                endpoint.in_flight -= 1
        if status == 0:
            self.close_connection = True
            return
        try:
            self._answer(request, status)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has given up, as in a test of time-outs

    def _answer(self, request: Request, status: int) -> None:
        self.endpoint.statuses.append(status)
        if status != 200:
            key = self.headers.get("Authorization", "").removeprefix("Bearer ")
            return self._send(
                status, {"error": {"message": f"scripted failure {status} for key {key}", "code": status}}
            )
        if self.endpoint.body is not None:
            return self._send(200, self.endpoint.body)
        most = self.endpoint.most_likeliest
        if most is not None and most < int(request.get("top_logprobs") or request.get("logprobs") or 0):
            self.endpoint.statuses[-1] = 400
            message = self.endpoint.objection.replace("{most}", str(most))
            return self._send(400, {"error": {"message": message, "code": 400}})
        what = self.path.partition("/v1/")[2]  # Azure has more before it
        if what == "chat/completions":
            return self._stream(request) if request.get("stream") else self._send(200, self._chat(request))
        if what == "completions":
            return self._send(200, self._completion(request))
        if self.path == "/tokenize" and self.endpoint.token_ids is not None:
            known = self.endpoint.token_ids.get(request["prompt"])
            return self._send(200, {"tokens": [1, 2] if known is None else [known]})
        if what == "embeddings":
            return self._embed(request)
        return self._send(404, {"error": {"message": f"no such path {self.path}"}})

    def _send(self, status: int, body: object) -> None:
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if status == 429:
            self.send_header("Retry-After-Ms", "10")
        self.end_headers()
        self.wfile.write(data)

    def _chat(self, request: Request) -> Request:
        text = self.endpoint.say(request)
        message: Request = {"role": "assistant", "content": text}
        if self.endpoint.thinking_field:
            message["reasoning_content"] = self.endpoint.thinking_field
        if self.endpoint.tool_calls:
            calls = self.endpoint.tool_calls(request)
            message["tool_calls"] = [
                {"id": str(n), "type": "function", "function": {"name": c["name"], "arguments": json.dumps(c["args"])}}
                for n, c in enumerate(calls)
            ]
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        if request.get("logprobs"):
            choice["logprobs"] = self._logprobs(text)
        choices = [choice] * (request.get("n") or 1 if self.endpoint.knows_n else 1)
        return {"id": "1", "object": "chat.completion", "model": "m", "choices": choices, **self._usage()}

    def _usage(self) -> Request:
        return {"usage": _USAGE} if self.endpoint.reports_usage else {}

    def _logprobs(self, text: str) -> dict[str, Any] | None:
        logprobs = self.endpoint.logprobs
        return logprobs(text) if callable(logprobs) else logprobs

    def _stream(self, request: Request) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        text = self.endpoint.say(request)
        if request.get("logprobs"):
            self._event({"choices": [{"index": 0, "delta": {"content": ""}, "logprobs": self._logprobs(text)}]})
        for start in range(0, len(text), 3):
            self._event({"choices": [{"index": 0, "delta": {"role": "assistant", "content": text[start : start + 3]}}]})
        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        if (request.get("stream_options") or {}).get("include_usage") and self.endpoint.reports_usage:
            self._event({"choices": [], **self._usage()})
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _event(self, chunk: Request) -> None:
        data = {"id": "1", "object": "chat.completion.chunk", "model": "m"} | chunk
        self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())

    def _completion(self, request: Request) -> Request:
        text = self.endpoint.say(request)
        choice = {"index": 0, "text": text, "finish_reason": "stop", "logprobs": None}
        if request.get("logprobs"):
            choice["logprobs"] = self._logprobs(text)
        return {"id": "1", "object": "text_completion", "model": "m", "choices": [choice], **self._usage()}

    def _embed(self, request: Request) -> None:
        """Send vectors that depend on the text; token arrays are rejected, as most servers do."""
        texts = [request["input"]] if isinstance(request["input"], str) else request["input"]
        if not all(isinstance(text, str) for text in texts):
            return self._send(400, {"error": {"message": "input must be strings"}})
        data = [{"object": "embedding", "index": n, "embedding": self._vector(text)} for n, text in enumerate(texts)]
        return self._send(200, {"object": "list", "model": "m", "data": data, "usage": _USAGE})

    def _vector(self, text: str) -> list[float]:
        return [float(1 + sum(text.encode()) % (7 + place)) for place in range(self.endpoint.dimension)]


_USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
