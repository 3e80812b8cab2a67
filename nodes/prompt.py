"""How passages stand in a prompt: delimited, escaped, and cut to a budget of tokens."""

import re
from collections.abc import Sequence

from groundgraph.knowledge.passage import Passage
from groundgraph.models.tokens import estimate_tokens

# What could end a passage early or start a new turn: our delimiters, the usual ones of other prompts, and the
# control tokens of chat templates, which some servers read inside a message too.
_MARKER = re.compile(r"<(?=/?(?:passage|context|document|question|system|user|assistant)s?\b|\|)", re.IGNORECASE)


def escape(text: str) -> str:
    """Return `text` with every prompt marker in it made harmless; everything else stays verbatim."""
    return _MARKER.sub("&lt;", text)


def show(passage: Passage, number: int) -> str:
    """Return the passage as it stands in a prompt."""
    heading = f"{escape(passage.heading)}\n" if passage.heading else ""
    return f'<passage n="{number}">\n{heading}{escape(passage.page_content)}\n</passage>'


def fit(passages: Sequence[Passage], tokens: int) -> list[Passage]:
    """Return the longest run of whole passages from the front that has at most `tokens`, estimated.

    A first passage that is too long by itself is cut at its end rather than dropped.
    """
    kept: list[Passage] = []
    for passage in passages:
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
