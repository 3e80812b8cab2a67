"""What of a model's answer may be shown while it is written."""

import re
from collections.abc import Iterator, Sequence

from groundgraph.knowledge.passage import Passage
from nodes.prompt import open_fence
from nodes.refusal import is_refusal

_FENCE = 3
"""Backticks that open a block of code."""
_LONGEST_OPENING = 48
_WRAPPING = re.compile(r"\s*(?:`{3,}|~{3,})(?:markdown|md|text|txt)?[^\S\n]*(?:\n|$)", re.IGNORECASE)
"""How a block begins that may be the whole answer, and no code."""
_WRAPPED = re.compile(
    r"\s*(?P<fence>`{3,}|~{3,})(?:(?:markdown|md)[^\S\n]*\n(?P<markdown>(?:(?!```|~~~).)*)"
    r"|(?:text|txt)?[^\S\n]*\n(?P<cited>(?:(?!```|~~~).)*(?:[\s.。!！?？]|[^\x00-\x7f])[\[【]\d+[\]】][.。!！?？]?))\s*(?P=fence)\s*",
    re.DOTALL | re.IGNORECASE,
)
"""A whole answer in one block: of Markdown, or one that ends with a citation, which code does not."""
_MARK = re.compile(r"\s*[\[【](\d+(?:\s*[,，、;]\s*\d+)*)[\]】]")
_UNFINISHED = re.compile(r"(?:`+|~+|[.!?]?\s*(?:[\[【][\d\s,，、;]*)?)$")
"""An end of the text that what follows may change: a number's point or a full stop, a mark, a bracket, or a fence."""
_AFTERTHOUGHT = re.compile(
    r"\s*(?:"
    + "|".join(word[:length] for word in ("NOT FOUND", "未找到") for length in range(len(word), 0, -1))
    + r")[.。\s]*$"
)
"""A refusal's words at the end of the text, or the beginning of them: small models add them to an answer."""
_SENTENCE_ENDS = tuple(".。!！?？]】")
_TICKS = re.compile(r"(`+|~{3,})")
_CLOSED = re.compile(r"(?:`{3,}|~{3,})\s*\Z")
_PARTS = re.compile(r"( \[\d+\]|[。！？\n]|[.!?](?=\s|$))")


class AnswerFilter:
    """Hold back what may not stand in the answer: a refusal's words, and citations of passages that there are not.

    `passages` are those that may be cited; `written` is the text that stands before, which may leave a block of code
    open. Feed it the model's pieces; what it gives back may be shown. `text` is all that was accepted so far. A model
    that writes its citations before the sentences has them put at the sentences' ends. Code is left as it is, and cited
    on the line below its block; an answer that stands in a block as a whole is taken out of it.
    """

    def __init__(self, passages: Sequence[Passage], written: str = "") -> None:
        self.text = ""
        self.dropped: list[int] = []
        """Numbers cited that are no passage's."""
        self._passages = passages
        self._held = ""
        self._opening = True
        self._cites_first = False
        self._waiting = ""
        """Citations read before their sentence."""
        self._at_start = self._on_new_line = True
        self._code = open_fence(written)
        """The backticks or tildes that opened the code we are in."""
        self._below_block = not self._code and bool(_CLOSED.search(written))
        """Whether a block of code has just ended: a citation on its last line would keep it open."""

    @property
    def refused(self) -> bool:
        """Whether the model said that the passages do not answer, or that it cannot."""
        return not self.text and is_refusal(self._held, self._passages)

    def feed(self, piece: str) -> Iterator[str]:
        """Take a piece; yield what may be shown now."""
        self._held += piece
        if self._opening:
            if len(self._held) < _LONGEST_OPENING or is_refusal(self._held) or _WRAPPING.match(self._held):
                return
            self._open()
        cuts = [cut.start() for end in (_UNFINISHED, _AFTERTHOUGHT) if (cut := end.search(self._held))]
        yield from self._accept(min(cuts, default=len(self._held)))

    def close(self) -> Iterator[str]:
        """End the answer; yield what is left to be shown: nothing if it is a refusal."""
        if self._opening and (found := _WRAPPED.fullmatch(self._held)):
            self._held = (found["markdown"] or found["cited"] or "").rstrip()
        if self.refused:
            return
        if self._opening:
            self._open()
        yield from self._accept(self._end())
        if self._waiting:
            self.text += self._waiting
            yield self._waiting

    def _end(self) -> int:
        """Return where the answer ends in what is held: before a refusal's words that follow a sentence."""
        found = _AFTERTHOUGHT.search(self._held)
        if found and is_refusal(found.group()):
            before = (self.text + self._held[: found.start()]).rstrip()
            if before.endswith(_SENTENCE_ENDS):
                return found.start()
        return len(self._held)

    def _open(self) -> None:
        self._opening = False
        self._cites_first = bool(_MARK.match(self._held))

    def _accept(self, end: int) -> Iterator[str]:
        ready, self._held = self._held[:end], self._held[end:]
        shown = "".join(map(self._cleaned, _TICKS.split(ready)))
        if shown:
            self.text += shown
            yield shown

    def _cleaned(self, part: str) -> str:
        """Return what of the next part, backticks or what stands between them, may be shown now."""
        if _TICKS.fullmatch(part):
            self._below_block = part == self._code and len(part) >= _FENCE
            self._code = part if not self._code else "" if part == self._code else self._code
        elif not self._code:
            shown = _MARK.sub(self._check, part)
            self._below_block = self._below_block and not part.strip()
            return "".join(map(self._cite_last, _PARTS.split(shown))) if self._cites_first else shown
        elif len(self._code) < _FENCE and "\n" in part:  # code inside a line ends with it, closed or not
            code, newline, rest = part.partition("\n")
            self._code = ""
            return code + self._cleaned(newline + rest)
        self._at_start = self._on_new_line = False
        return part

    def _check(self, mark: "re.Match[str]") -> str:
        numbers = [int(number) for number in re.findall(r"\d+", mark[1])]
        self.dropped += [number for number in numbers if not 1 <= number <= len(self._passages)]
        shown = "".join(f" [{number}]" for number in numbers if 1 <= number <= len(self._passages))
        if shown and self._below_block and not mark.start():
            return f"\n{shown.lstrip()}"
        return "\n" + shown if self._cites_first and "\n" in mark[0] else shown

    def _cite_last(self, part: str) -> str:
        """Return what of the next part may be shown now, citations at the end of the sentence they stand before."""
        if part.startswith(" [") and self._at_start:
            self._waiting += part
            return ""
        if _PARTS.fullmatch(part) and not part.startswith(" ["):
            self._at_start, self._on_new_line = True, part == "\n"
            part, self._waiting = self._waiting + part, ""
        elif part.strip():
            part = part.lstrip(" ") if self._on_new_line else part
            self._at_start = self._on_new_line = False
        return part
