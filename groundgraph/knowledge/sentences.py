"""Where the sentences of a text begin and end, English, Chinese and Japanese, in plain text and Markdown."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from groundgraph.knowledge.keywords import CJK

Span = tuple[int, int]

_FENCE = re.compile(r"\s*(```|~~~)")
_HEADING = re.compile(r"#{1,6}\s")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)]|[（(]\d{1,3}[)）])\s")
_ROW = re.compile(r"\s*\|")
_RULE = re.compile(r"\s*\|?[\s:|-]*-[\s:|-]*$")
_INDENTED = re.compile(r"\s{2,}\S")

_CLOSERS = "\"'”’」』）)】》\\]*_"
_END = re.compile(
    rf"(?P<wide>[。！？｡]+|．(?![0-9０-９])|(?<=[{CJK}])[.!?]+(?=[{CJK}{_CLOSERS}]))[{_CLOSERS}]*"
    rf"|(?P<narrow>[.!?…।؟۔]+(?=[{_CLOSERS}]*\s)|(?<=[A-Za-z])\.(?=[{CJK}]))[{_CLOSERS}]*"
)
_GOES_ON = re.compile(
    r"[^\S\n]*(?:[，、,；;a-z]|[并並而的得都]|地(?![球区區方面点點图圖铁鐵])|等(?![待到])|之[类類]"
    rf"|(?:と(?!ても|ころ|き)|って|など)|[{CJK}]{{1,6}}(?:说|說|道|问|問|答|喊|叫)道?[。，：！,])"
)
"""What follows a quotation that is part of a longer sentence: a comma, a word that begins none, と言った, 他说。"""
_CODE = re.compile(r"(?<!`)(`+)(?!`)[\s\S]{1,300}?(?<!`)\1(?!`)")
"""Code inside a paragraph: between two runs of as many backticks, which must not be far apart."""
_PAIRS = (("“", "”"), ("「", "」"), ("『", "』"), ("（", "）"), ("(", ")"), ("《", "》"), ('"', '"'))
_LONGEST_ASIDE = 200
"""Characters in which a quotation or bracket must close to be kept whole; else it is taken for a slip."""
_AHEAD = 50
"""Characters after a full stop that are looked at."""
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘]+$")
_INITIALS = re.compile(r"(?:[A-Za-z]\.)+$")
_NEVER_LAST = frozenset(
    """mr. mrs. ms. dr. prof. st. mt. gen. sen. rep. gov. lt. col. sgt. capt. cpt. rev. hon. messrs. vs. v. cf. e.g.
    i.e. viz. fig. figs. eq. vol. pp. p. ch. sec. approx. ca. al. dept. op. ed. eds. est.""".split()
)
_BEFORE_NUMBERS = frozenset("no. nos. art. jan. feb. mar. apr. jun. jul. aug. sept. sep. oct. nov. dec.".split())
_SOMETIMES_LAST = frozenset("inc. ltd. co. corp. bros. jr. sr. ph.d. m.sc. b.sc. mon. tue. wed. thu. fri.".split())
_OPENERS = frozenset(
    """The A An It He She They We I This That These Those There In On At But And However When While After Before For
    As If Then Its His Her Their Our By From With""".split()
)


_PRONOUN = re.compile(
    r"(?:it|its|they|their|he|she|his|her|this|these|those|such)\b"
    r"|[他她它]|[这這](?![里裡时時])|[该該](?!是|有)|此(?!外)|其(?![他它实實余餘中])",
    re.IGNORECASE,
)
"""What a sentence begins with that the one before it explains."""


def sentences(text: str) -> list[Span]:
    """Return the spans of the sentences of `text`, in order, without the space around them.

    A Markdown heading, list item, table row or fenced block is one unit; the rule under a table's header belongs to
    the header. Lines that follow each other without a blank line are one paragraph. Code between backticks is never
    split. Every character that is not space is in exactly one span.

    A full stop before a closing quotation mark ends the sentence, unless what follows goes on with it: a comma, 、 or
    semicolon, a lower-case letter, a word that begins no sentence (并, 而, 的, 地, 得, 都, 等), or who said it.
    """
    spans: list[Span] = []
    for start, end, is_prose in _units(text):
        spans += _split(text, start, end) if is_prose else [(start, end)]
    return [trimmed for start, end in spans if (trimmed := trim(text, start, end))]


def table_headers(text: str, spans: Iterable[Span]) -> dict[Span, Span]:
    """Return the header, with the rule below it, of each of some sentences of `text` that is a row of a table."""
    headers: dict[Span, Span] = {}
    header: Span | None = None
    end = 0
    for start, stop in sentences(text):
        is_row = _ROW.match(text, start) is not None
        if is_row and "\n" in text[start:stop]:  # the rule below it is of its unit
            header = start, stop
        elif not is_row or text.count("\n", end, start) != 1:
            header = None
        elif header:
            headers[start, stop] = header
        end = stop
    return {span: headers[span] for span in spans if span in headers}


def explained(text: str, kept: Sequence[Span], spans: Sequence[Span]) -> list[Span]:
    """Return the sentences kept, and before each that begins with a pronoun the one that explains it, in its paragraph.

    Args:
        text: The text.
        kept: Some of its sentences, in order.
        spans: All of them, in order.
    """
    needed = set(kept)
    for before, span in reversed(list(pairwise(spans))):  # from the end: what comes before may need one too
        same_paragraph = not text[before[1] : span[0]].count("\n\n")
        if span in needed and same_paragraph and _PRONOUN.match(text, span[0]):
            needed.add(before)
    return [span for span in spans if span in needed]


def read_alone(text: str, spans: Sequence[Span]) -> list[str]:
    """Return the text at each of some spans as it can be understood: a row of a table below its header."""
    headers = table_headers(text, spans)
    return ["\n".join(text[slice(*part)] for part in (headers.get(span), span) if part) for span in spans]


def trim(text: str, start: int, end: int) -> Span | None:
    """Return the span without the space at its ends; None if nothing is left."""
    part = text[start:end]
    end = start + len(part.rstrip())
    start += len(part) - len(part.lstrip())
    return (start, end) if start < end else None


def _units(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, is prose) of the blocks of `text`: paragraphs, and units that are never split."""
    start = position = 0
    kind = fence = ""
    for line in text.splitlines(keepends=True):
        previous = kind
        if fence:
            kind = "fenced"
            fence = "" if line.strip().startswith(fence) else fence
        elif opening := _FENCE.match(line):
            kind, fence = "fence", opening[1]
        else:
            kind = _kind(line, previous)
        if not _continues(kind, previous, line):
            yield start, position, previous == "prose"
            start = position
        position += len(line)
    yield start, position, kind == "prose"


def _kind(line: str, previous: str) -> str:
    if not line.strip():
        return "blank"
    if _HEADING.match(line):
        return "heading"
    if _ROW.match(line):
        return "rule" if previous == "row" and _RULE.match(line) else "row"
    if _ITEM.match(line):
        return "item"
    return "item" if previous == "item" and _INDENTED.match(line) else "prose"


def _continues(kind: str, previous: str, line: str) -> bool:
    """Tell whether the line goes on with the unit of the line before it."""
    if kind == "item":
        return previous == "item" and not _ITEM.match(line)
    return (kind, previous) in {("prose", "prose"), ("rule", "row"), ("fenced", "fence"), ("fenced", "fenced")}


def _split(text: str, start: int, end: int) -> Iterator[Span]:
    code = {place for found in _CODE.finditer(text, start, end) for place in range(*found.span())}
    for match in _END.finditer(text, start, end):
        if match.start() in code:
            continue
        ends = _ends_quotation(text, match) if match["wide"] else _ends_sentence(text, start, end, match)
        if ends and not _is_inside_aside(text, start, match.end(), end):
            yield start, match.end()
            start = match.end()
    yield start, end


def _ends_quotation(text: str, match: re.Match[str]) -> bool:
    """Tell whether a full stop of Chinese or Japanese ends its sentence: not in `「行く。」と言った`, `“好。”他说`."""
    return match.group()[-1] not in '”’」』"' or not _GOES_ON.match(text, match.end())


def _is_inside_aside(text: str, start: int, place: int, end: int) -> bool:
    """Tell whether a place is inside a quotation or bracket that opened within the sentence, and closes soon."""
    first = max(start, place - 2 * _LONGEST_ASIDE)
    sentence = text[first:place]
    for opening, closing in _PAIRS if first == start else _PAIRS[:-1]:  # straight quotes count from the start only
        opened = sentence.rfind(opening)
        if opened < 0 or not sentence[:opened].strip():
            continue
        is_open = sentence.count(opening) % 2 == 1 if opening == closing else sentence.find(closing, opened) < 0
        if is_open and 0 <= text.find(closing, place, min(end, place + _LONGEST_ASIDE)):
            return True
    return False


def _ends_sentence(text: str, start: int, end: int, match: re.Match[str]) -> bool:
    """Tell whether a full stop before a space ends its sentence: not in `Dr. Who`, `J. Doe`, `the U.S. Army`."""
    following = text[match.end() : min(end, match.end() + _AHEAD)].lstrip().lstrip("\"'“‘(*_[")
    if following[:1].islower():
        return False
    if match["narrow"] != ".":
        return True
    found = _LAST_WORD.search(text, max(start, match.start() - 40), match.start() + 1)
    word = found.group() if found else ""
    if word.lower() in _NEVER_LAST:
        return False
    if word.lower() in _BEFORE_NUMBERS:
        return not following[:1].isdigit()
    may_go_on = word.lower() in _SOMETIMES_LAST or _INITIALS.fullmatch(word)
    return not may_go_on or bool(_OPENERS.intersection(following.split(maxsplit=1)[:1]))
