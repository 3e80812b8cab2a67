"""The LangGraph server, started once for all tests of this folder, over a scripted chat endpoint."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from groundgraph.knowledge.index import index
from groundgraph.settings import get_settings
from tests.endpoint import Endpoint, Request

PROJECT = Path(__file__).parents[2]
TOWER = "# Eiffel Tower\n\nThe Eiffel Tower is 330 metres tall.\n\nIt stands in Paris.\n"
TOWER_ANSWER = "The Eiffel Tower is 330 metres tall [1]."
HANDBOOK = "# Contracts\n\nThe notice period is three months.\n"
HANDBOOK_ANSWER = "The notice period is three months [1]."


class Server(NamedTuple):
    """A running server."""

    url: str
    log: Path


def reply(request: Request) -> str:
    return TOWER_ANSWER if "How tall" in str(request["messages"]) else HANDBOOK_ANSWER


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    (folder / "tower.md").write_text(TOWER)
    (folder / "handbook.md").write_text(HANDBOOK)
    with pytest.MonkeyPatch.context() as patch, Endpoint(reply=reply) as endpoint:
        patch.setenv("GROUNDGRAPH_HOME", str(folder / "home"))
        get_settings.cache_clear()
        index([folder / "tower.md"], "default")
        index([folder / "tower.md", folder / "handbook.md"], "work")
        log = folder / "server.log"
        environment = {
            **os.environ,
            "GROUNDGRAPH_HOME": str(folder / "home"),
            "OPENAI_BASE_URL": endpoint.base_url,
            "LANGSMITH_TRACING": "false",
            "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        }
        port = str(_free_port())
        langgraph = Path(sys.executable).with_name("langgraph")
        command = [langgraph, "dev", "--no-browser", "--no-reload", "--port", port]
        with log.open("w") as output:
            process = subprocess.Popen(command, cwd=PROJECT, env=environment, stdout=output, stderr=output)
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(url, process, log)
            yield Server(url, log)
        finally:
            process.terminate()
            process.wait(20)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(240):
        if process.poll() is not None:
            break
        try:
            if httpx.get(f"{url}/ok", timeout=5).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.5)
    pytest.fail(f"the server did not start:\n{log.read_text()[-3000:]}")
