"""One sentence after the other: where the next one ends, how it joins the answer so far, and what only repeats it."""

import re

from groundgraph.grading.confidence import Token
from groundgraph.knowledge.keywords import CJK
from nodes.cite import statements
from nodes.prompt import MARKS, marks
from state.schemas import Draft

WIDE_MARKS = "，。！？；：、）」』”’》"
"""Chinese punctuation that takes no space, before or after it."""

_ENDED = re.compile(r"[.!?:;…\])\"'*。！？：；”]$")
_WIDE = re.compile(rf"[{CJK}{WIDE_MARKS}]")
_CLOSE = re.compile(r"[.,;:!?)\]]+(?:\s|$)")
"""What is written without a space before it."""
_BLOCK = re.compile(r"(?:[-*+•]|\d{1,3}[.)]|#{1,6})\s|```|~~~|\|")
"""How a list item, heading, code block or table row begins."""
_ALONE = re.compile(r"\s*(?:(?:`{3,}|~{3,})[^`\n]*|(?:\[\d+\]\s*)+)")
"""A line that nothing else may stand on: a fence, or the citation below a block of code."""


def sentence_end(written: str, text: str) -> int:
    """Return where the first sentence of `text`, which goes on after `written`, ends; citation marks belong to it.

    What `written` holds decides as well: within a code block or a list item no sentence ends.
    """
    for _, stop in statements(written + text):
        end = stop - len(written)
        if end > 0 and text[:end].strip():
            return end
    return len(text)


def joint(written: str, text: str, *, continues: bool = False, space: str = "") -> str:
    """Return the white space that belongs between the answer so far and what the model says next.

    Args:
        written: The answer so far.
        text: What follows.
        continues: Whether the model goes on amid its text, so that white space that it leaves out may be meant.
        space: What it wrote after `written` when it was cut there: its line breaks and indentation are kept.
    """
    bare = text.lstrip()
    lead = text[: len(text) - len(bare)]
    if not written or not bare or "\n" in lead:
        return ""
    amid = continues and (bool(lead) or not _ENDED.search(written))
    if "\n" in space and not amid:
        return space[: space.rfind("\n") + 1] if lead else space
    last = written[written.rfind("\n") + 1 :]
    ends_block = not continues and _BLOCK.match(last.lstrip()) and _ENDED.search(last)
    if _ALONE.fullmatch(last) or (not amid and (_BLOCK.match(bare) or ends_block)):
        return "\n"
    if lead or amid or _CLOSE.match(text) or _WIDE.match(text) or _WIDE.match(written[-1]):
        return ""
    return " "


def repeated(written: str, text: str) -> int:
    """Return how many characters at the start of `text` say once more what `written` ends with.

    White space and citation marks aside, `text` must begin with whole sentences that `written` ends with.
    """
    bare, places = _bare(text)
    for start, _ in statements(written):
        tail, _ = _bare(written[start:])
        if tail and bare.startswith(tail):
            end = places[len(tail) - 1] + 1
            cited = re.match(rf"(?:\s*{MARKS.pattern})+", text[end:])
            return end + (cited.end() if cited else 0)
    return 0


def said_before(sentence: str, earlier: list[str]) -> bool:
    """Tell whether a sentence says in the same words what an earlier one did, citations aside; without words, never."""
    said = _bare(sentence)[0].casefold()
    return any(map(str.isalnum, said)) and said in {_bare(one)[0].casefold() for one in earlier}


def _bare(text: str) -> tuple[str, list[int]]:
    """Return the text without white space and citation marks, and where each of its characters stands in `text`."""
    cited = {place for mark in marks(text) for place in range(*mark.span())}
    places = [place for place, char in enumerate(text) if not char.isspace() and place not in cited]
    return "".join(text[place] for place in places), places


def first_sentence(draft: Draft) -> tuple[str, list[Token]]:
    """Return the draft's first sentence and its tokens, but for white space and citation marks: these state nothing."""
    text = draft["text"][: draft["end"]]
    cited = [mark.span() for mark in marks(text)]
    tokens = [
        token
        for token in draft["tokens"]
        if token["start"] < draft["end"]
        and text[token["start"] : token["end"]].strip()
        and not any(token["start"] < end and token["end"] > start for start, end in cited)
    ]
    return text, tokens


def rest(draft: Draft, written: str) -> Draft:
    """Return what the model wrote after the draft's first sentence, not measured yet; `written` holds that sentence."""
    cut = draft["end"]
    text = draft["text"][cut:]
    return {
        "text": text,
        "end": sentence_end(written, text),
        "tokens": [
            {**token, "start": max(0, token["start"] - cut), "end": token["end"] - cut}
            for token in draft["tokens"]
            if token["end"] > cut
        ],
        "confidence": None,
        "ended": draft["ended"],
        "guessed": False,
        "failed": draft["failed"],
    }


def is_whole(draft: Draft) -> bool:
    """Tell whether the draft holds a sentence that is known to be complete: more follows, or the model ended there."""
    end = draft["end"]
    return bool(draft["text"][:end].strip()) and (draft["ended"] or bool(draft["text"][end:].strip()))


def weakest(draft: Draft) -> str:
    """Return the least confident token of the draft's first sentence, as it stands there; empty if none is known."""
    text, tokens = first_sentence(draft)
    if not tokens:
        return ""
    token = min(tokens, key=lambda token: token["confidence"])
    return text[token["start"] : token["end"]].strip()
