"""`groundgraph serve`: the LangGraph development server, for Studio and the SDK."""

import os
import socket
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

import groundgraph
from groundgraph.errors import InputError

HOST = "127.0.0.1"
JOBS = 16
"""Runs at once; the server's own default is one."""
PRIVATE = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true"}
"""The server sends nothing out unless the person sets these otherwise."""


def serve(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on 127.0.0.1.")] = 2024,
) -> None:
    """Serve every graph for LangGraph Studio and the SDK.

    It listens on 127.0.0.1 until Ctrl-C.
    """
    if not (find_spec("langgraph_cli") and find_spec("langgraph_api")):
        raise InputError("the LangGraph server is not installed: pip install '.[server]'")
    folder = _project_folder()
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise InputError(f"port={port}: {error.strerror}; choose another with --port") from None
    os.chdir(folder)
    options = ["--no-browser", "--no-reload", "--host", HOST, "--port", str(port), "--n-jobs-per-worker", str(JOBS)]
    command = [sys.executable, "-m", "langgraph_cli", "dev", *options]
    os.execve(command[0], command, PRIVATE | os.environ)


def _project_folder() -> Path:
    """Return the folder that holds langgraph.json: this one, one above it, or the one that we run from."""
    here = Path.cwd()
    for folder in (here, *here.parents, Path(groundgraph.__file__).parents[1]):
        if (folder / "langgraph.json").is_file():
            return folder
    raise InputError(f"no langgraph.json in {str(here)!r} or above it: run from the project's folder")
