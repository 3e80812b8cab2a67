"""The embedded chat model: llama.cpp in this process, speaking the OpenAI API on a loopback port."""

import atexit
import os
import secrets
from dataclasses import dataclass
from typing import Any

from groundgraph.errors import ModelError
from groundgraph.models.once import Once
from groundgraph.models.weights import resolve_weights
from groundgraph.settings import get_settings

_PROMPT_CACHE_MIB = 512


@dataclass(frozen=True)
class EmbeddedServer:
    """A llama.cpp server that runs as long as this object is held."""

    base_url: str
    """Address of its OpenAI API, on 127.0.0.1."""
    key: str
    """Random key: other users and pages of this machine reach the port, but cannot use it."""
    handle: Any


def _start(name: str) -> EmbeddedServer:
    try:
        import xllamacpp
    except ImportError:
        raise ModelError(f"model 'llamacpp:{name}' needs xllamacpp: pip install '.[local]'") from None
    path = resolve_weights(name)
    settings = get_settings()
    threads = settings.llamacpp_threads or os.cpu_count() or 1
    key = secrets.token_urlsafe(24)
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {name}
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [key]
    params.n_parallel = settings.llamacpp_slots
    params.n_ctx = settings.llamacpp_context * settings.llamacpp_slots  # divided among the slots
    params.kv_unified = False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    params.warmup = params.ui = params.endpoint_slots = False
    params.verbosity = -1
    try:
        handle = xllamacpp.Server(params)
    except RuntimeError as error:
        raise ModelError(
            f"model 'llamacpp:{name}' cannot be loaded from {str(path)!r} ({error}): check that it is a GGUF file "
            f"and that memory suffices, or lower GROUNDGRAPH_LLAMACPP_CONTEXT={settings.llamacpp_context}"
        ) from None
    return EmbeddedServer(f"{handle.listening_address}/v1", key, handle)


embedded_server = Once(_start)
"""Return the server of a model by its name in `groundgraph.models.weights`; started at first use, for all threads."""

atexit.register(embedded_server.clear)
