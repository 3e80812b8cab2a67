"""Read trained weights: JSON, validated, never run."""

import hashlib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from groundgraph.errors import ModelError
from groundgraph.settings import get_settings

T = TypeVar("T", bound=BaseModel)


def own(shipped: Path) -> Path:
    """Return where weights stand that were learned on this machine, in place of those that come with the project."""
    return get_settings().home.expanduser() / "evaluator" / shipped.name


def in_use(shipped: Path) -> Path:
    """Return the weights learned on this machine if there are any, else those that come with the project."""
    return found if (found := own(shipped)).exists() else shipped


def digest(weights: BaseModel) -> str:
    """Return what tells weights from others: the first of their SHA-256 in hexadecimal."""
    return hashlib.sha256(weights.model_dump_json().encode()).hexdigest()[:12]


def read_weights(path: Path, schema: type[T], name: str, command: str) -> T:
    """Return the weights in a file as a `schema`.

    Args:
        path: The JSON file.
        schema: What it must hold.
        name: What the weights are of, for the error's message.
        command: The command that trains them anew.

    Raises:
        ModelError: The file is missing, is not JSON, or does not fit this version.
    """
    remedy = f"reinstall groundgraph, or train again: {command}"
    try:
        return schema.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ModelError(f"{name} weights {str(path)!r} cannot be read: {error.strerror}; {remedy}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "file"
        raise ModelError(f"{name} weights {str(path)!r} are broken at {where!r}: {first['msg']}; {remedy}") from None
