"""How passages stand in a prompt: delimited, escaped, and cut to a budget of tokens."""

import re
from collections.abc import Iterator, Sequence

from groundgraph.knowledge.passage import Passage
from groundgraph.models.escape import escape
from groundgraph.models.tokens import estimate_tokens

CODE = re.compile(r"((?:`{3,}|~{3,})[\s\S]*?(?:`{3,}|~{3,}|$)|`[^`\n]+`)")
"""A block of code, or code inside a line."""
MARKS = re.compile(r"[\[【](\d+(?:\s*[,，、;–-]\s*\d+)*)[\]】]")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")


def marks(text: str) -> Iterator[re.Match[str]]:
    """Yield the citation marks of `text`; brackets in code are none."""
    code = [found.span() for found in CODE.finditer(text)]
    for mark in MARKS.finditer(text):
        if not any(start < mark.start() < end for start, end in code):
            yield mark


def unmarked(text: str) -> str:
    """Return `text` without its citation marks and the space before them; code stays as it is."""
    bare, last = "", 0
    for mark in marks(text):
        bare += text[last : mark.start()].rstrip()
        last = mark.end()
    return bare + text[last:]


def open_fence(text: str) -> str:
    """Return the fence of the block of code that `text` leaves open; empty if it leaves none."""
    fence = ""
    for line in text.split("\n"):
        if fence:
            fence = "" if line.strip().startswith(fence) else fence
        elif opening := _FENCE.match(line):
            fence = opening[1]
    return fence


def without_marks(text: str) -> str:
    """Return `text` with its own citation marks in round brackets: [12] in a document is none of our passages.

    Brackets in code stay.
    """
    return "".join(part if CODE.fullmatch(part) else MARKS.sub(r"(\1)", part) for part in CODE.split(text))


def show(passage: Passage, number: int) -> str:
    """Return the passage as it stands in a prompt."""
    return f'<passage n="{number}">\n{without_marks(escape(passage.context))}\n</passage>'


def fit(passages: Sequence[Passage], tokens: int) -> list[Passage]:
    """Return the longest run of whole passages from the front that has at most `tokens`, estimated; repeats count once.

    A first passage that is too long by itself is cut at its end rather than dropped.
    """
    kept: list[Passage] = []
    unique: dict[str, Passage] = {}
    for passage in passages:
        unique.setdefault(passage.id or passage.page_content, passage)
    for passage in unique.values():
        needed = estimate_tokens(show(passage, len(kept) + 1))
        if needed > tokens:
            break
        tokens -= needed
        kept.append(passage)
    if not kept and passages:
        first = passages[0]
        frame = estimate_tokens(show(first.model_copy(update={"page_content": ""}), 1))
        length = max(0, (tokens - frame) * len(first.page_content) // max(1, estimate_tokens(first.page_content)))
        if length:
            cut = {"page_content": first.page_content[:length], "end": first.start + length}
            kept.append(first.model_copy(update=cut))
    return kept
