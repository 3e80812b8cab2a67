"""Bring what a store keeps up to date with documents, embedding only what is new."""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from groundgraph.errors import InputError
from groundgraph.knowledge.chunk import CHUNKERS, Chunk, chunk
from groundgraph.knowledge.document import LoadedDocument, Unreadable
from groundgraph.knowledge.sentence_vectors import SentenceVectors
from groundgraph.knowledge.sentences import Span
from groundgraph.knowledge.sources import LONGEST_SOURCE, Places, one_line, source_of, stands
from groundgraph.knowledge.store import CollectionInfo, Entry, Kept, Progress, Store, Vectors
from groundgraph.knowledge.unfinished import UnfinishedVectors
from groundgraph.models import embedding_model

_ATTRIBUTES = 2
"""Version of how language and date are told; documents that were kept with another one are kept anew."""
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


class _Intake:
    """Takes documents in, one for each source, and cuts those that changed."""

    def __init__(self, kept: Mapping[str, Kept], info: CollectionInfo, sentences: SentenceVectors) -> None:
        self._kept = kept
        self._info = info
        self._sentences = sentences
        self._others: list[LoadedDocument] = []
        self.loaded: dict[str, str] = {}
        """Origins by source."""
        self.hidden: dict[str, str] = {}
        self.unreadable: list[Unreadable] = []
        self.cut: list[_Cut] = []

    def take(self, document: LoadedDocument | Unreadable) -> None:
        """Take in a document; one whose source is held from another file that stands waits for `settle`."""
        if isinstance(document, Unreadable):
            self.unreadable.append(document)
            return
        document = replace(document, source=one_line(document.source), file=one_line(document.file))
        held = self._kept.get(document.source)
        unfit = [name for name in (document.source, document.origin) if not name.strip() or len(name) > LONGEST_SOURCE]
        if unfit:
            reason = f"an id or path of {len(unfit[0]):,} characters; give one of 1 to {LONGEST_SOURCE:,}"
            self.unreadable.append(Unreadable(document.origin[:LONGEST_SOURCE], reason))
        elif document.source in self.loaded:
            self._refuse(document, self.loaded[document.source])
        elif held and held.origin != document.origin and stands(held.origin):
            self._others.append(document)
        else:
            self._keep(document)

    def settle(self) -> None:
        """Take in what waits if the file that holds its source was read and has it no more; refuse the rest."""
        read = set(self.loaded.values())
        for document in self._others:
            origin = self.loaded.get(document.source) or self._kept[document.source].origin
            if origin in read and document.source not in self.loaded:
                self._keep(document)
            else:
                self._refuse(document, origin)

    def _refuse(self, document: LoadedDocument, origin: str) -> None:
        if document.origin == origin:
            raise InputError(f"two documents have the source {document.source!r}: give each its own path or pid")
        reason = f"{document.origin!r} has the same id as {origin!r}, whose text stays; give each its own pid"
        self.unreadable.append(Unreadable(document.source, reason))

    def _keep(self, document: LoadedDocument) -> None:
        self.loaded[document.source] = document.origin
        if document.hidden:
            self.hidden[document.source] = document.hidden
        digest = _digest(document, self._info.chunker)
        if document.source not in self._kept or self._kept[document.source].digest != digest:
            self.cut.append(_cut(document, digest, self._info.chunker, self._sentences))


def ingest(
    store: Store, documents: Iterable[LoadedDocument | Unreadable], progress: Progress | None, roots: Sequence[Path]
) -> IngestReport:
    """Keep documents in place of those of the same source; see `Collection.add`."""
    kept, info = store.kept(), store.info()
    sentences = SentenceVectors(info.path, info.embedding_model, progress)
    taken = _Intake(kept, info, sentences)
    for document in documents:
        taken.take(document)
    taken.settle()
    embedded = _embed(store, taken.cut, progress)
    removed = store.forget(gone(kept, taken.loaded, [one.source for one in taken.unreadable], roots))
    sentences.keep_only(store.kept().keys() if info.chunker == "semantic" else ())
    store.refresh(progress)
    updated = sum(one.document.source in kept for one in taken.cut)
    return IngestReport(
        added=len(taken.cut) - updated,
        updated=updated,
        unchanged=len(taken.loaded) - len(taken.cut),
        removed=removed,
        unreadable=taken.unreadable,
        chunks=store.info().chunks,
        embedded=embedded,
        hidden=taken.hidden,
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
        _ATTRIBUTES,
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
    ours, unread, read = Places(map(source_of, roots)), Places(unreadable), set(loaded.values())

    @cache
    def is_gone(origin: str) -> bool:
        return ours.hold(origin) and not unread.hold(origin) and (origin in read or not stands(origin))

    there = {*loaded, *unreadable}
    return [source for source, held in kept.items() if source not in there and is_gone(held.origin)]


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


def _embed(store: Store, documents: Sequence[_Cut], progress: Progress | None) -> int:
    """Give documents their vectors, keep them group by group, and return how many texts were embedded."""
    if not documents:
        return 0
    info = store.info()
    unfinished = UnfinishedVectors(info.path, info.embedding_model)
    total = sum(len(document.chunks) for document in documents)
    done = embedded = 0
    for group in _groups(documents):
        texts = {digest: text for document in group for digest, text in document.texts.items()}
        vectors = store.known_vectors(texts)
        vectors |= unfinished.known(digest for digest in texts if digest not in vectors)
        missing = [digest for digest in texts if digest not in vectors]
        for start in range(0, len(missing), _BATCH):
            part = missing[start : start + _BATCH]
            embed = embedding_model(info.embedding_model).embed_passages
            new = dict(zip(part, embed([texts[digest] for digest in part]), strict=True))
            if len(missing) > _BATCH:
                unfinished.keep(new)
            vectors |= new
            if progress:
                progress("embed", done + start + len(part), total)
        store.put([_entry(document, vectors) for document in group])
        embedded += len(missing)
        done += sum(len(document.chunks) for document in group)
        if progress:
            progress("embed", done, total)
    unfinished.drop()
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
