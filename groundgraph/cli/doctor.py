"""`groundgraph doctor`: what is installed, where models and data are, and what is missing."""

import sys
from typing import Any

from groundgraph.cli.options import AsJSON
from groundgraph.cli.terminal import size, write, write_json

CANNOT_ANSWER = 1


def doctor(
    as_json: AsJSON = False,
) -> int:
    """Say what is installed, and what is missing.

    Names where models and data are, and the command that mends each lack. Contacts nothing.
    Exit status: 0 a question could be answered, 1 it could not.
    """
    from groundgraph.cli.diagnosis import diagnose

    found = diagnose()
    if as_json:
        write_json(found)
    else:
        _show(found)
    return 0 if found["ok"] else CANNOT_ANSWER


def _show(found: dict[str, Any]) -> None:
    rows = {
        "Python": f"{found['python']} ({sys.executable})",
        "Packages": ", ".join(f"{name} {version or 'missing'}" for name, version in found["packages"].items()),
        "Extras": ", ".join(f"{name} {'yes' if there else 'no'}" for name, there in found["extras"].items()),
        "Chat model": _model(found["chat_model"]),
        "Embedding model": _model(found["embedding_model"]),
        "Web search": ", ".join(f"{name} ({what or 'not set up'})" for name, what in found["web_search"].items()),
        **{
            name: f"{folder['path']} ({size(folder['free_bytes'])} free)"
            for name, folder in (("Data", found["data"]), ("Cache", found["cache"]))
        },
        "Collections": ", ".join(map(_collection, found["collections"])) or "none",
    }
    for name, value in rows.items():
        write(f"{name:<16} {value}")
    for lack in found["missing"]:
        write(f"{'Missing' if lack['blocking'] else 'Optional'}: {lack['what']}\n    {lack['remedy']}")
    write("\nA question can be answered." if found["ok"] else "\nA question cannot be answered yet.")


def _collection(found: dict[str, Any]) -> str:
    if "error" in found:
        return f"{found['name']} (cannot be opened)"
    return f"{found['name']} ({found['documents']:,} documents, {found['chunks']:,} chunks)"


def _model(model: dict[str, str] | None) -> str:
    return f"{model['name']} (from {model['from']})" if model else "none"
