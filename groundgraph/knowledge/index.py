"""Collections of indexed documents: make them, bring them up to date, list them."""

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Self

from groundgraph import models
from groundgraph.errors import CollectionError, InputError, LoadError
from groundgraph.knowledge import database
from groundgraph.knowledge.chunk import CHUNKERS, DEFAULT_CHUNKER
from groundgraph.knowledge.document import LoadedDocument, Unreadable
from groundgraph.knowledge.ingest import IngestReport, ingest
from groundgraph.knowledge.load import files, load_file
from groundgraph.knowledge.sqlite_store import SQLiteStore
from groundgraph.knowledge.store import CollectionInfo, Progress, Store, Unusable, Vectors
from groundgraph.knowledge.transfer import import_file
from groundgraph.settings import get_settings

__all__ = ["Collection", "CollectionInfo", "IngestReport", "Progress", "Unusable", "collections", "index"]

_NAME = re.compile(r"\w[\w-]{0,63}")


class Collection:
    """A named index of documents, safe to use from many threads and processes at once."""

    def __init__(self, name: str, store: Store) -> None:
        self.name = name
        self.store = store

    @classmethod
    def open(
        cls,
        name: str,
        home: Path | None = None,
        *,
        embedding_model: str | None = None,
        chunker: str | None = None,
        create: bool = False,
    ) -> Self:
        """Return a collection.

        Args:
            name: Letters of any script, digits, `-` and `_`, at most 64.
            home: Folder of all collections; by default the one in the settings.
            embedding_model: Model to make it with, or that it must have been made with.
            chunker: How documents are cut from now on; those that are there are cut anew when they are added again.
            create: Whether to make it if it does not exist.

        Raises:
            InputError: The name cannot be one, or the chunker is unknown.
            CollectionError: It does not exist, or was made with another embedding model.
            ModelError: There is no embedding model to make it with.
        """
        folder = _folder(name, home)
        if chunker is not None and chunker not in CHUNKERS:
            raise InputError(f"unknown chunker {chunker!r}; choose one of {', '.join(CHUNKERS)}")
        store = SQLiteStore(folder.name, folder)
        version = database.version(folder)
        if version not in {0, database.VERSION}:
            raise CollectionError(
                f"{str(folder)!r} has format {version}, not {database.VERSION}: delete it and index again"
            )
        if not version:
            if not create:
                raise CollectionError(_missing(name, home))
            model = embedding_model or models.default_embedding_model()
            chunker = chunker or DEFAULT_CHUNKER
            database.create(folder, {"description": "", "embedding_model": model, "chunker": chunker})
        if embedding_model:
            _check_model(store, embedding_model)
        if chunker and chunker != store.info().chunker:
            store.configure(chunker=chunker)
        return cls(folder.name, store)

    @classmethod
    def from_file(cls, name: str, file: Path, home: Path | None = None, *, embedding_model: str | None = None) -> Self:
        """Make a collection from a file that `export` wrote; see `import_file`.

        Args:
            name: Of the new collection.
            file: May come from anybody: nothing in it is trusted.
            home: Folder of all collections; by default the one in the settings.
            embedding_model: The one it must have been made with; by default that of the settings.

        Raises:
            InputError: The name cannot be one, or there is no such file.
            CollectionError: The name is taken, or the file does not fit.
            ModelError: There is no embedding model.
        """
        folder = _folder(name, home)
        import_file(file, folder, embedding_model or models.default_embedding_model())
        return cls(folder.name, SQLiteStore(folder.name, folder))

    def export(self, file: Path) -> None:
        """Write the collection into one new file, from which `from_file` makes it again.

        Raises:
            InputError: There is something of that name, or no folder for it.
            CollectionError: The disk is full, or the collection is damaged.
        """
        self.store.export(file)

    def delete(self) -> None:
        """Remove the collection with all that is in it.

        Raises:
            CollectionError: Something else is in its folder.
        """
        self.store.delete()

    def info(self) -> CollectionInfo:
        """Return what the collection is and holds now."""
        return self.store.info()

    def describe(self, description: str) -> None:
        """Say in a line what the collection is about."""
        self.store.configure(description=description)

    def sources(self) -> list[str]:
        """Return the sources of all documents, sorted."""
        return sorted(self.store.kept())

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """Return the stored vectors of passages by their ids, shape (len(ids), dimension).

        Raises:
            CollectionError: A passage is gone, since its document was indexed anew.
        """
        return self.store.vectors(ids)

    def remove(self, sources: Sequence[str]) -> int:
        """Remove documents by source and return how many there were."""
        return self.store.forget(sources)

    def add(
        self,
        documents: Iterable[LoadedDocument | Unreadable],
        progress: Progress | None = None,
        *,
        roots: Sequence[Path] = (),
    ) -> IngestReport:
        """Keep documents in place of those of the same source; what has not changed is left alone.

        A text that was embedded before gets the same vector again. Documents are committed in small groups, so that an
        interrupt keeps what is done, and the next run goes on from there.

        Args:
            documents: As from `load`; what is unreadable goes into the report, and what was kept of it stays.
            progress: Told about the embedding, and the building of an approximate index.
            roots: Absolute files and folders; documents from there are removed if their file is gone, or is given
                without them.

        Raises:
            InputError: Two documents have one source; nothing is changed.
            CollectionError: The disk is full, or the vectors do not fit the collection.
            ModelError: The embedding model fails.
        """
        return ingest(self.store, documents, progress, roots)


def index(
    paths: Sequence[Path | str],
    collection: str = "default",
    *,
    home: Path | None = None,
    jsonl: bool = False,
    embedding_model: str | None = None,
    chunker: str | None = None,
    progress: Progress | None = None,
) -> IngestReport:
    """Bring a collection up to date with files and folders, making it if need be.

    Documents that came from these paths before and are there no more are removed.

    Args:
        paths: Files and folders.
        collection: Name of the collection.
        home: Folder of all collections; by default the one in the settings.
        jsonl: Whether the files are JSONL with the fields pid, src, lang, title and text; see `load`.
        embedding_model: Model to make the collection with, or that it must have been made with.
        chunker: How to cut these documents, and those that are added later; by default as before.
        progress: Told about the loading, the embedding, and the building of an approximate index.

    Raises:
        InputError: A path does not exist, the collection's name cannot be one, or the chunker is unknown.
        LoadError: Nothing could be read; the collection stays as it was.
        CollectionError: It was made with another embedding model, or the disk is full.
        ModelError: There is no embedding model, or it fails.
    """
    _folder(collection, home)
    documents = _read(files(paths, jsonl=jsonl), jsonl, progress)
    unreadable: list[Unreadable] = []
    for first in documents:
        if isinstance(first, LoadedDocument):
            break
        unreadable.append(first)
    else:
        raise LoadError(_nothing_readable(paths, unreadable))
    opened = Collection.open(collection, home, embedding_model=embedding_model, chunker=chunker, create=True)
    given = chain(unreadable, [first], documents)
    return opened.add(given, progress, roots=[Path(path).resolve() for path in paths])


def collections(home: Path | None = None) -> list[CollectionInfo | Unusable]:
    """Return all collections, sorted by name; one that is damaged does not hide the others.

    Raises:
        InputError: The folder of all collections cannot be read.
    """
    return [_looked_at(name, home) for name in collection_names(home)]


def collection_names(home: Path | None = None) -> list[str]:
    """Return the names of all collections, sorted.

    Raises:
        InputError: The folder of all collections cannot be read.
    """
    folder = _home(home)
    names = os.listdir(folder) if folder.exists() else []
    return sorted(name for name in names if _NAME.fullmatch(name) and _is_made(folder / name))


def _looked_at(name: str, home: Path | None) -> CollectionInfo | Unusable:
    try:
        return Collection.open(name, home).info()
    except CollectionError as error:
        return Unusable(name, _home(home) / name, str(error))


def _is_made(folder: Path) -> bool:
    """Tell whether there is a collection in a folder, were it a damaged one."""
    try:
        return database.version(folder) != 0
    except CollectionError:
        return True


def _read(found: Sequence[Path | str], jsonl: bool, progress: Progress | None) -> Iterator[LoadedDocument | Unreadable]:
    for number, file in enumerate(found, start=1):
        yield from load_file(file, jsonl=jsonl)
        if progress:
            progress("load", number, len(found))


def _home(home: Path | None) -> Path:
    """Return the folder of all collections, which may have yet to be made."""
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


def _folder(name: str, home: Path | None) -> Path:
    name = unicodedata.normalize("NFC", name)
    if not _NAME.fullmatch(name):
        raise InputError(f"collection name {name!r} cannot be used: take letters, digits, '-' and '_', at most 64")
    return _home(home) / name


def _missing(name: str, home: Path | None) -> str:
    others = ", ".join(collection_names(home)) or "none"
    return f"no collection {name!r} (there are: {others}); make it: groundgraph index PATH --collection {name}"


def _check_model(store: Store, wanted: str) -> None:
    """Refuse an embedding model other than the stored one; a collection that is still empty takes it over."""
    info = store.info()
    if wanted == info.embedding_model:
        return
    if not info.chunks:
        store.configure(embedding_model=wanted)
        return
    dimension = models.embedding_model(wanted).dimension
    raise CollectionError(
        f"collection {info.name!r} was made with {info.embedding_model!r} ({info.dimension} dimensions), "
        f"not {wanted!r} ({dimension} dimensions): use the stored model or another --collection"
    )


def _nothing_readable(paths: Sequence[Path | str], unreadable: Sequence[Unreadable]) -> str:
    names = ", ".join(repr(str(path)) for path in paths)
    reasons = "; ".join(map(str, unreadable[:5])) or "no files in it"
    more = f"; and {len(unreadable) - 5} more" if len(unreadable) > 5 else ""
    return f"nothing readable in {names} ({reasons}{more}): give files with text; the collection is unchanged"
