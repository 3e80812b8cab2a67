"""Bring what a store keeps up to date with documents, embedding only what is new."""

import hashlib
import json
import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from groundgraph.errors import InputError
from groundgraph.knowledge.chunk import CHUNKERS, Chunk, chunk
from groundgraph.knowledge.document import LoadedDocument, Unreadable
from groundgraph.knowledge.sentence_vectors import SentenceVectors
from groundgraph.knowledge.sentences import Span
from groundgraph.knowledge.store import Entry, Kept, Progress, Store, Vectors
from groundgraph.models import embedding_model

_BATCH = 64
"""Chunks embedded before their documents are committed."""


@dataclass(frozen=True)
class IngestReport:
    """What an ingest changed, in documents; `chunks` is the collection's total, `embedded` the texts embedded anew."""

    added: int
    updated: int
    unchanged: int
    removed: int
    unreadable: list[Unreadable]
    chunks: int
    embedded: int
    hidden: dict[str, str] = field(default_factory=dict)
    """What was left out of the documents read since no reader sees it, by their sources."""


@dataclass(frozen=True)
class _Cut:
    """A document in chunks, before they have vectors. Its text is dropped, so that memory holds each text once."""

    document: LoadedDocument
    digest: str
    chunks: list[Chunk]
    digests: list[str]
    """Digest of what is embedded of each chunk."""
    parents: dict[Span, Chunk]

    @property
    def texts(self) -> dict[str, str]:
        """Return the texts to embed by their digests."""
        return {digest: piece.context for digest, piece in zip(self.digests, self.chunks, strict=True)}


def ingest(
    store: Store, documents: Iterable[LoadedDocument | Unreadable], progress: Progress | None, roots: Sequence[Path]
) -> IngestReport:
    """Keep documents in place of those of the same source; see `Collection.add`."""
    kept, info = store.kept(), store.info()
    unreadable: list[Unreadable] = []
    loaded: dict[str, str] = {}  # origins by source
    hidden: dict[str, str] = {}
    cut: list[_Cut] = []
    sentences = SentenceVectors(info.path, info.embedding_model, progress)
    for document in documents:
        if isinstance(document, Unreadable):
            unreadable.append(document)
            continue
        if document.source in loaded:
            raise InputError(f"two documents have the source {document.source!r}: give each its own path or pid")
        loaded[document.source] = document.origin
        if document.hidden:
            hidden[document.source] = document.hidden
        digest = _digest(document, info.chunker)
        if document.source not in kept or kept[document.source].digest != digest:
            cut.append(_cut(document, digest, info.chunker, sentences))
    embedded = _embed(store, info.embedding_model, cut, progress)
    removed = store.forget(gone(kept, loaded, [one.source for one in unreadable], roots))
    sentences.keep_only(store.kept().keys() if info.chunker == "semantic" else ())
    store.refresh(progress)
    updated = sum(one.document.source in kept for one in cut)
    return IngestReport(
        added=len(cut) - updated,
        updated=updated,
        unchanged=len(loaded) - len(cut),
        removed=removed,
        unreadable=unreadable,
        chunks=store.info().chunks,
        embedded=embedded,
        hidden=hidden,
    )


def _digest(document: LoadedDocument, chunker: str) -> str:
    """Return what changes with anything that would change what is kept of a document."""
    parts = [
        document.text,
        document.title,
        document.metadata,
        document.pages,
        document.format,
        document.origin,
        [chunker, CHUNKERS[chunker]],
    ]
    return text_digest(json.dumps(parts, sort_keys=True))


def text_digest(text: str) -> str:
    """Return what identifies a text: its SHA-256, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def gone(
    kept: Mapping[str, Kept], loaded: Mapping[str, str], unreadable: Sequence[str], roots: Sequence[Path]
) -> list[str]:
    """Return the sources of documents from below `roots` that are there no more.

    A file that exists may have been left out of the reading, or be unreadable: what came from it is not gone.

    Args:
        kept: The documents that are held, by source.
        loaded: The origins of those that were read, by source.
        unreadable: Sources of what could not be read.
        roots: Absolute files and folders.
    """
    read = set(loaded.values())
    return [
        source
        for source in kept.keys() - loaded.keys()
        if _is_below(origin := kept[source].origin, roots)
        and not _is_below(origin, unreadable)
        and (origin in read or not os.path.isfile(origin))
    ]


def _is_below(origin: str, places: Iterable[Path | str]) -> bool:
    return any(Path(origin).is_relative_to(place) for place in places)


def _cut(document: LoadedDocument, digest: str, chunker: str, sentences: SentenceVectors) -> _Cut:
    with sentences.of(document.source) as embed:
        chunks = chunk(document, chunker=chunker, embed=embed)
    digests = [text_digest(piece.context) for piece in chunks]
    return _Cut(replace(document, text=""), digest, chunks, digests, _parents(document, chunks))


def _parents(document: LoadedDocument, chunks: Iterable[Chunk]) -> dict[Span, Chunk]:
    """Return the parents of chunks by their spans; the chunks of a parent are of one section."""
    parents = {}
    for piece in chunks:
        if piece.parent and piece.parent not in parents:
            start, end = piece.parent
            text = piece.parent_header + document.text[start:end]
            page = bisect_right(document.pages, start) if document.pages else None
            parents[piece.parent] = Chunk(text, start, end, piece.heading, page)
    return parents


def _embed(store: Store, model: str, documents: Sequence[_Cut], progress: Progress | None) -> int:
    """Give documents their vectors, keep them group by group, and return how many texts were embedded."""
    total = sum(len(document.chunks) for document in documents)
    done = embedded = 0
    for group in _groups(documents):
        texts = {digest: text for document in group for digest, text in document.texts.items()}
        vectors = store.known_vectors(texts)
        missing = [digest for digest in texts if digest not in vectors]
        for start in range(0, len(missing), _BATCH):
            part = missing[start : start + _BATCH]
            vectors |= zip(part, embedding_model(model).embed_passages([texts[digest] for digest in part]), strict=True)
            if progress:
                progress("embed", done + start + len(part), total)
        store.put([_entry(document, vectors) for document in group])
        embedded += len(missing)
        done += sum(len(document.chunks) for document in group)
        if progress:
            progress("embed", done, total)
    return embedded


def _groups(documents: Sequence[_Cut]) -> Iterator[list[_Cut]]:
    """Yield documents in groups of about a batch of chunks, so that small ones share a request and a commit."""
    group: list[_Cut] = []
    for document in documents:
        group.append(document)
        if sum(len(one.chunks) for one in group) >= _BATCH:
            yield group
            group = []
    if group:
        yield group


def _entry(document: _Cut, vectors: dict[str, Vectors]) -> Entry:
    return Entry(
        document.document,
        document.digest,
        document.chunks,
        document.digests,
        [vectors[digest] for digest in document.digests],
        document.parents,
    )
