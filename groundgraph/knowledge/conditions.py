"""A filter as SQL over the documents of a collection."""

import os
import re
from unicodedata import normalize

from groundgraph.knowledge.attributes import as_text
from groundgraph.knowledge.filter import Filter
from groundgraph.knowledge.languages import primary_language

_SPECIAL = re.compile(r"[*?[]")
"""What means more than itself in a pattern."""


def chunks_where(where: Filter | None) -> tuple[str, tuple[str, ...]] | None:
    """Return the query for the ids of the chunks that a filter lets through, and its values; None if it lets all."""
    conditions = _conditions(where) if where else []
    if not conditions:
        return None
    documents = " AND ".join(sql for sql, _ in conditions)
    query = f"SELECT id FROM chunks WHERE document IN (SELECT id FROM documents WHERE {documents})"
    return query, tuple(value for _, values in conditions for value in values)


def _conditions(where: Filter) -> list[tuple[str, tuple[str, ...]]]:
    found: list[tuple[str, tuple[str, ...]]] = []
    if where.source is not None:
        found.append(_from(_absolute(where.source)))
    if where.language is not None:
        found.append(("language = ?", (primary_language(where.language),)))
    if where.after is not None:
        found.append(("date >= ?", (where.after,)))
    if where.before is not None:  # of a month or year, its last day too
        found.append(("date != '' AND substr(date, 1, length(?)) <= ?", (where.before, where.before)))
    for key, value in where.metadata.items():
        found.append(('id IN (SELECT document FROM fields WHERE "key" = ? AND value = ?)', (key, as_text(value))))
    return found


def _from(source: str) -> tuple[str, tuple[str, ...]]:
    """Return the condition that a source, or the file it came from, is one that is asked for.

    File systems differ in how they write an accent, as part of its letter or behind it: both are looked for.
    """
    forms = dict.fromkeys((source, normalize("NFC", source), normalize("NFD", source)))
    patterns = tuple(pattern for form in forms for pattern in _patterns(form))
    tests = {column: " OR ".join([f"{column} GLOB ?"] * len(patterns)) for column in ("source", "origin")}
    return f"({tests['source']} OR (origin != source AND ({tests['origin']})))", patterns * 2


def _patterns(source: str) -> list[str]:
    """Return the patterns of what starts with this, has it as whole parts of its path, or fits it as a pattern.

    The row of a file, as in `notes.jsonl#7`, is a part too.
    """
    literal = _SPECIAL.sub(r"[\g<0>]", source)
    patterns = [f"{literal}*"]
    if not source.startswith("/"):
        parts = f"*/{literal.rstrip('/')}"
        patterns += [f"{parts}/*", f"{parts}#*"] + ([] if source.endswith("/") else [parts])
    if _SPECIAL.search(source):
        patterns += [source, f"*/{source}"]
    return patterns


def _absolute(source: str) -> str:
    """Return a path as sources are written, if it is one from the working folder (`./`, `../`) or from home (`~/`)."""
    if not source.startswith(("./", "../", "~/")):
        return source
    return os.path.abspath(os.path.expanduser(source)) + ("/" if source.endswith("/") else "")
