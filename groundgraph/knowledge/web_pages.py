"""Read the pages that web results name: those of public hosts, as HTML or plain text, in small parts."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from groundgraph.errors import LoadError
from groundgraph.knowledge.chunk import Chunk, chunk
from groundgraph.knowledge.decode import decode
from groundgraph.knowledge.document import LoadedDocument
from groundgraph.knowledge.keywords import query_terms, tokens
from groundgraph.knowledge.kinds import kind_of
from groundgraph.knowledge.load import read
from groundgraph.knowledge.passage import Passage
from groundgraph.knowledge.search import SearchResult
from groundgraph.knowledge.web_results import without_unseen

PARTS = 2
"""Parts of one page that are taken, at most."""
SECONDS = 15.0
"""Time that fetching one page may take."""
MAX_BYTES = 5_000_000
"""Bytes of the largest page that is read, unpacked."""
_HTML = {"text/html", "application/xhtml+xml"}


async def with_pages(results: Sequence[Passage], query: str) -> SearchResult:
    """Return, in place of each result, the parts of its page that hold the most words of the query.

    Pages are read side by side. A result stays as it is where its page holds none of the words, and where the page
    cannot be had, is not public, or is neither HTML nor plain text: then with a warning. Passages of a collection are
    parts of their documents already.
    """
    read_pages = await asyncio.gather(*(asyncio.to_thread(_read, result, query) for result in results))
    passages = [passage for found, _ in read_pages for passage in found]
    return SearchResult(passages, [warning for _, warning in read_pages if warning])


def _read(result: Passage, query: str) -> tuple[list[Passage], str]:
    """Return what stands in place of a result, and why its page does not; empty if it does."""
    if result.collection:
        return [result], ""
    try:
        page = _page(result)
    except LoadError as error:
        return [result], f"web page {result.source} not read: {error}"
    return [_passage(result, part) for part in _best_parts(page, query)] or [result], ""


def _page(result: Passage) -> LoadedDocument:
    """Return the page of a result, under the result's title if it states none; no other kind of file is opened."""
    from groundgraph.knowledge.address import fetch

    fetched = fetch(result.source, seconds=SECONDS, size=MAX_BYTES)
    media_type = fetched.media_type.partition(";")[0].strip().lower()
    if media_type in _HTML and kind_of(fetched.data, ".html") == ".html":
        page = read(fetched.data, result.source, fetched.media_type)
    elif media_type == "text/plain" and (text := decode(fetched.data)) is not None:
        page = LoadedDocument(result.source, text)
    else:
        raise LoadError(f"it is {media_type or 'of no type'!r}, and no HTML or plain text")
    return replace(page, text=without_unseen(page.text), title=page.title or result.heading)


def _best_parts(page: LoadedDocument, query: str) -> list[Chunk]:
    """Return the parts that hold the most words of the query, at least one, in the order of the page."""
    wanted = {*query_terms(query)}
    found = {part: len(wanted.intersection(tokens(part.context))) for part in chunk(page)}
    best = sorted(found, key=lambda part: (-found[part], part.start))[:PARTS]
    return sorted((part for part in best if found[part]), key=lambda part: part.start)


def _passage(result: Passage, part: Chunk) -> Passage:
    update = {
        "id": f"{result.source} {part.start}",
        "page_content": part.text,
        "heading": part.heading,
        "start": part.start,
        "end": part.end,
    }
    return result.model_copy(update=update)
