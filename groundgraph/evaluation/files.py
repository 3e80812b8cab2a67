"""Records in files that a person can read and diff: one as indented JSON, or many as JSON Lines."""

import json
import os
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from groundgraph.errors import InputError

M = TypeVar("M", bound=BaseModel)


def write_json(path: Path, record: BaseModel) -> None:
    """Write a record as sorted and indented JSON, whole or not at all."""
    text = json.dumps(record.model_dump(mode="json"), ensure_ascii=False, indent=2, sort_keys=True)
    replace_file(path, f"{text}\n")


def read_json(path: Path, kind: type[M], what: str, remedy: str) -> M:
    """Return the record in a file.

    Args:
        path: The file.
        kind: What it should hold.
        what: The same in words, such as `record of a run`.
        remedy: What to do if there is no such file.

    Raises:
        InputError: It is missing or cannot be read.
    """
    try:
        return kind.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise InputError(f"{str(path)!r} is missing: {remedy}") from None
    except ValidationError as error:
        raise InputError(f"{str(path)!r} is no {what}: {_first(error)}") from None


def append_line(path: Path, record: BaseModel) -> None:
    """Append a record to a file of JSON Lines, in one write."""
    with path.open("a", encoding="utf-8") as file:
        file.write(line_of(record))


def read_lines(path: Path, kind: type[M], what: str) -> list[M]:
    """Return the records of a file of JSON Lines, none if it is missing; an unfinished last line is left out.

    Args:
        path: The file.
        kind: What each line should hold.
        what: The same in words, such as `row of a run`.

    Raises:
        InputError: Another line cannot be read; the message names it.
    """
    data = path.read_bytes() if path.exists() else b""
    records = []
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        try:
            records.append(kind.model_validate_json(line))
        except ValidationError as error:
            raise InputError(f"{str(path)!r} line {number} is no {what}: {_first(error)}") from None
    return records


def cut_torn_line(path: Path) -> None:
    """Cut off a last line that an interrupt left unfinished, so that the next record begins a line."""
    if path.exists():
        data = path.read_bytes()
        if not data.endswith(b"\n"):
            path.write_bytes(data[: data.rfind(b"\n") + 1])


def line_of(record: BaseModel) -> str:
    """Return the record as a line of JSON with its end."""
    return json.dumps(record.model_dump(mode="json"), ensure_ascii=False, sort_keys=True) + "\n"


def replace_file(path: Path, text: str) -> None:
    """Write a file anew, whole or not at all."""
    draft = path.with_suffix(".tmp")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def check_writable(path: Path) -> None:
    """Raise if a file cannot be written there, before the work that it is to hold is done.

    Raises:
        InputError: It is a folder, or its folder may not be written to.
    """
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if path.is_dir() or not folder.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise InputError(f"{str(path)!r} cannot be written: give another file")


def _first(error: ValidationError) -> str:
    first: Any = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}" if place else str(first["msg"])
