"""Collections of indexed documents: make them, bring them up to date, list them."""

import json
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Self

from groundgraph import models
from groundgraph.errors import CollectionError, InputError
from groundgraph.knowledge import database
from groundgraph.knowledge.chunk import CHUNKERS, DEFAULT_CHUNKER
from groundgraph.knowledge.document import LoadedDocument, Unreadable
from groundgraph.knowledge.folders import collection_names, folder_of, is_made, missing
from groundgraph.knowledge.ingest import IngestReport, ingest, text_digest
from groundgraph.knowledge.reading import read, roots
from groundgraph.knowledge.sources import CONTROL
from groundgraph.knowledge.sqlite_store import SQLiteStore
from groundgraph.knowledge.store import DESCRIPTION_SIZE, CollectionInfo, Kept, Progress, Store, Unusable, Vectors
from groundgraph.knowledge.transfer import import_file
from groundgraph.knowledge.unfinished import is_unfinished

__all__ = ["Collection", "CollectionInfo", "IngestReport", "Progress", "Unusable", "collections", "delete", "index"]


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
            InputError: The name cannot be one, or the chunker or embedding model is unknown.
            CollectionError: It does not exist, or was made with another embedding model.
            ModelError: There is no embedding model to make it with.
        """
        folder = folder_of(name, home)
        if chunker is not None and chunker not in CHUNKERS:
            raise InputError(f"unknown chunker {chunker!r}; choose one of {', '.join(CHUNKERS)}")
        store = SQLiteStore(folder.name, folder)
        version = database.version(folder)
        if version not in {0, database.VERSION}:
            raise CollectionError(
                f"{str(folder)!r} has format {version}, not {database.VERSION}: "
                f"groundgraph collections delete {folder.name}, then index again"
            )
        if not version:
            if not create:
                raise CollectionError(missing(name, home))
            model = embedding_model or models.default_embedding_model()
            models.check_embedding_model(model)
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
        folder = folder_of(name, home)
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
        """Say in a line what the collection is about.

        Raises:
            InputError: It is too long.
        """
        line = CONTROL.sub("", " ".join(description.split()))
        if len(line) > DESCRIPTION_SIZE:
            raise InputError(f"a description of {len(line)} characters is too long: say it in {DESCRIPTION_SIZE}")
        self.store.configure(description=line)

    def sources(self) -> list[str]:
        """Return the sources of all documents, sorted."""
        return sorted(self.store.kept())

    def digest(self) -> str:
        """Return what changes with any document: the SHA-256 of all sources and of what is kept of each, in hex."""
        kept = self.store.kept()
        return text_digest(json.dumps(sorted((source, one.digest) for source, one in kept.items())))

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

        A text that was embedded before gets the same vector again. Documents are committed in small groups, and what is
        embedded of a large one is kept beside the collection until it is whole, so that the next run goes on where an
        interrupt ended this one. Of documents from different files with one source, that which is held, or else the
        first, stays; the others go into the report, and so does a document whose source is blank or too long.

        Args:
            documents: As from `load`; what is unreadable goes into the report, and what was kept of it stays.
            progress: Told about the embedding, and the building of an approximate index.
            roots: Absolute files and folders; documents from there are removed if their file is gone, or is given
                without them.

        Raises:
            InputError: Two documents from one place have one source.
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
    prune: bool = False,
    progress: Progress | None = None,
) -> IngestReport:
    """Bring a collection up to date with files and folders, making it if need be.

    Documents that came from these paths before and are there no more are removed. A collection that is new, and for
    which nothing is embedded because of an error, is not made.

    Args:
        paths: Files and folders.
        collection: Name of the collection.
        home: Folder of all collections; by default the one in the settings.
        jsonl: Whether the files are JSONL with the fields pid, src, lang, title and text; see `load`.
        embedding_model: Model to make the collection with, or that it must have been made with.
        chunker: How to cut these documents, and those that are added later; by default as before.
        prune: Whether a folder that is not there was deleted, rather than being on a disk that is not mounted.
        progress: Told about the loading, the embedding, and the building of an approximate index.

    Raises:
        InputError: A path does not exist, or may just be out of reach; or the collection's name cannot be one, or the
            chunker or embedding model is unknown.
        LoadError: Nothing could be read, and nothing is gone; the collection stays as it was.
        CollectionError: It was made with another embedding model, or the disk is full.
        ModelError: There is no embedding model, or it fails.
    """
    folder = folder_of(collection, home)
    is_new = not database.version(folder)
    documents = read(paths, partial(_kept, folder), jsonl=jsonl, prune=prune, progress=progress)
    first = list(islice(documents, 1))
    opened = Collection.open(collection, home, embedding_model=embedding_model, chunker=chunker, create=True)
    try:
        return opened.add(chain(first, documents), progress, roots=roots(paths))
    except BaseException:
        if is_new and not opened.info().documents and not is_unfinished(folder):
            opened.delete()
        raise


def delete(name: str, home: Path | None = None) -> None:
    """Remove a collection with all that is in it, even if it is damaged and cannot be opened.

    Raises:
        InputError: The name cannot be one.
        CollectionError: There is none, or something else is in its folder.
    """
    SQLiteStore(name, look_at(name, home).path).delete()


def collections(home: Path | None = None) -> list[CollectionInfo | Unusable]:
    """Return all collections, sorted by name; one that is damaged does not hide the others.

    Raises:
        InputError: The folder of all collections cannot be read.
    """
    return [look_at(name, home) for name in collection_names(home)]


def look_at(name: str, home: Path | None = None) -> CollectionInfo | Unusable:
    """Return what a collection is and holds, or why it cannot be opened.

    Raises:
        InputError: The name cannot be one.
        CollectionError: There is none.
    """
    folder = folder_of(name, home)
    if not is_made(folder):
        raise CollectionError(missing(name, home))
    try:
        return Collection.open(name, home).info()
    except CollectionError as error:
        return Unusable(folder.name, folder, str(error))


def _kept(folder: Path) -> dict[str, Kept]:
    """Return the documents of the collection in a folder by source; none if there is no collection."""
    return SQLiteStore(folder.name, folder).kept() if database.version(folder) else {}


def _check_model(store: Store, wanted: str) -> None:
    """Refuse an embedding model other than the stored one; a collection that is still empty takes it over."""
    info = store.info()
    if wanted == info.embedding_model:
        return
    if not info.chunks:
        models.check_embedding_model(wanted)
        store.configure(embedding_model=wanted)
        return
    dimension = models.embedding_model(wanted).dimension
    raise CollectionError(
        f"collection {info.name!r} was made with {info.embedding_model!r} ({info.dimension} dimensions), "
        f"not {wanted!r} ({dimension} dimensions): use the stored model or another --collection"
    )
