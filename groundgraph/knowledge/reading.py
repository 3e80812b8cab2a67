"""What an index run is to read, and what has gone from the paths it is given."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from groundgraph.errors import InputError, LoadError
from groundgraph.knowledge.document import LoadedDocument, Unreadable
from groundgraph.knowledge.ingest import gone
from groundgraph.knowledge.load import files, load_file
from groundgraph.knowledge.sources import Places, source_of
from groundgraph.knowledge.store import Kept, Progress

_NAMED = 5
"""Unreadable files that one line names."""


def read(
    paths: Sequence[Path | str],
    kept: Callable[[], Mapping[str, Kept]],
    *,
    jsonl: bool,
    prune: bool,
    progress: Progress | None,
) -> Iterator[LoadedDocument | Unreadable]:
    """Yield the documents of paths, and what cannot be read; nothing of a path that is known and gone.

    A file that is not there any more, in a folder that is, was deleted. A folder that is not there may be on a disk
    that is not mounted: its documents count as deleted only with `prune`.

    Args:
        paths: Files, folders and addresses.
        kept: Gives the documents that the collection holds; asked only if something is missing.
        jsonl: Whether the files are JSONL; see `load`.
        prune: Whether a folder that is not there was deleted.
        progress: Told about the files that are read.

    Raises:
        InputError: A path does not exist and no document came from it, or it may just be out of reach.
        LoadError: Nothing could be read, and nothing is gone.
    """
    there = [path for path in paths if not (_is_missing(path) and _was_deleted(path, kept(), prune))]
    unreadable: list[Unreadable] = []
    documents = _documents(files(there, jsonl=jsonl), jsonl, progress)
    for document in documents:
        if isinstance(document, LoadedDocument):
            yield from unreadable
            yield document
            break
        unreadable.append(document)
    else:
        if not gone(kept(), {}, [one.source for one in unreadable], roots(paths)):
            raise LoadError(_nothing_readable(paths, unreadable))
        yield from unreadable
    yield from documents


def roots(paths: Iterable[Path | str]) -> list[Path]:
    """Return paths absolute and without links, as the origins of documents are, and as they were before a link."""
    return list(dict.fromkeys(place for path in paths for place in (Path(path).resolve(), Path(path).absolute())))


def _documents(
    found: Sequence[Path | str], jsonl: bool, progress: Progress | None
) -> Iterator[LoadedDocument | Unreadable]:
    for number, file in enumerate(found, start=1):
        yield from load_file(file, jsonl=jsonl)
        if progress:
            progress("load", number, len(found))


def _is_missing(path: Path | str) -> bool:
    """Tell whether nothing is there; what cannot be looked at, such as without permission, is not missing."""
    if not str(path).strip():  # for `files` to report, since it is no folder, not even the working folder
        return False
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):  # for `files` to report
        return False
    return False


def _was_deleted(path: Path | str, kept: Mapping[str, Kept], prune: bool) -> bool:
    """Tell whether documents came from a path that is missing, so that they are to be removed."""
    root = Path(path).resolve()
    place = source_of(root)
    places = Places([place])
    from_there = [one for one in kept.values() if places.hold(one.origin)]
    if not from_there:
        return False
    is_file = all(one.origin == place for one in from_there)
    if prune or (is_file and root.parent.is_dir()):
        return True
    raise InputError(
        f"no such file or folder: {str(path)!r}, and {len(from_there)} documents of the collection came from there: "
        "mount its disk if it is on one, or add --prune to remove these documents"
    )


def _nothing_readable(paths: Sequence[Path | str], unreadable: Sequence[Unreadable]) -> str:
    names = ", ".join(repr(str(path)) for path in paths)
    reasons = "; ".join(map(str, unreadable[:_NAMED])) or "no files in it"
    more = f"; and {len(unreadable) - _NAMED} more" if len(unreadable) > _NAMED else ""
    return f"nothing readable in {names} ({reasons}{more}): give files with text; the collection is unchanged"
