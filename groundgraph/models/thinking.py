"""Take a reasoning model's thinking out of its text."""

OPEN, CLOSE = "<think>", "</think>"


class ThinkingFilter:
    """Remove `<think>…</think>` from a text that comes in pieces, tags split over pieces included.

    Thinking that is never closed swallows the rest. White space after it goes with it.
    """

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False
        self._after_thinking = False

    def feed(self, piece: str) -> str:
        """Return the part of the text that is now known to be no thinking; may be empty."""
        self._held += piece
        shown = ""
        while True:
            tag = CLOSE if self._thinking else OPEN
            before, found, after = self._held.partition(tag)
            if not found:
                break
            shown += self._show(before)
            self._held = after
            self._after_thinking |= self._thinking
            self._thinking = not self._thinking
        keep = _overlap(self._held, tag)
        ready = self._held[: len(self._held) - keep]
        self._held = self._held[len(self._held) - keep :]
        return shown + self._show(ready)

    def end(self) -> str:
        """Return what was held back as the possible start of a tag, now that no more text comes."""
        held, self._held = self._held, ""
        return self._show(held)

    def _show(self, text: str) -> str:
        if self._thinking:
            return ""
        if self._after_thinking:
            text = text.lstrip()
            self._after_thinking = not text
        return text


def _overlap(text: str, tag: str) -> int:
    """Return how many characters at the end of `text` may be the start of `tag`."""
    return next((n for n in range(min(len(text), len(tag) - 1), 0, -1) if text.endswith(tag[:n])), 0)


def without_thinking(text: str) -> str:
    """Return `text` without its thinking; a lone `</think>` ends thinking that the prompt's template opened."""
    head, closed, tail = text.partition(CLOSE)
    if closed and OPEN not in head:
        text = tail.lstrip()
    thinking = ThinkingFilter()
    return thinking.feed(text) + thinking.end()
