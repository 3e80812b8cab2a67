"""Where collections lie: one folder each, in the folder of all of them."""

import os
import re
import unicodedata
from pathlib import Path

from groundgraph.errors import CollectionError, InputError
from groundgraph.knowledge import database
from groundgraph.settings import get_settings

NAME = re.compile(r"\w[\w-]{0,63}")


def collection_names(home: Path | None = None) -> list[str]:
    """Return the names of all collections, sorted.

    Raises:
        InputError: The folder of all collections cannot be read.
    """
    folder = home_folder(home)
    names = os.listdir(folder) if folder.exists() else []
    return sorted(name for name in names if NAME.fullmatch(name) and is_made(folder / name))


def is_made(folder: Path) -> bool:
    """Tell whether there is a collection in a folder, were it a damaged one."""
    try:
        return database.version(folder) != 0
    except CollectionError:
        return True


def home_folder(home: Path | None) -> Path:
    """Return the folder of all collections, which may have yet to be made.

    Raises:
        InputError: It cannot be read.
    """
    folder = home or get_settings().home
    try:
        folder = folder.expanduser().absolute()
        os.scandir(folder).close()
    except FileNotFoundError:
        pass
    except (OSError, RuntimeError) as error:  # a RuntimeError if `~somebody` is unknown
        reason = str(getattr(error, "strerror", error)).lower()
        raise InputError(
            f"the folder of collections, {str(folder)!r}, cannot be read ({reason}): "
            "mend its permissions, or set GROUNDGRAPH_HOME to another folder"
        ) from error
    return folder


def folder_of(name: str, home: Path | None) -> Path:
    """Return the folder of a collection, which may have yet to be made.

    Raises:
        InputError: The name cannot be one, or the folder of all collections cannot be read.
    """
    name = unicodedata.normalize("NFC", name)
    if not NAME.fullmatch(name):
        raise InputError(f"collection name {name!r} cannot be used: take letters, digits, '-' and '_', at most 64")
    return home_folder(home) / name


def missing(name: str, home: Path | None) -> str:
    """Say that there is no such collection, which there are, and how to make it."""
    others = ", ".join(collection_names(home)) or "none"
    return f"no collection {name!r} (there are: {others}); make it: groundgraph index PATH --collection {name}"
