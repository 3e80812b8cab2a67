"""PDF as text, page by page, without what no reader sees."""

import ctypes
import re
from collections.abc import Iterator
from itertools import groupby
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from groundgraph.errors import LoadError
from groundgraph.knowledge.decode import clean
from groundgraph.knowledge.document import LoadedDocument, hidden_parts
from groundgraph.knowledge.keywords import CJK
from groundgraph.knowledge.pdf_form import filled_fields
from groundgraph.knowledge.properties import Properties

if TYPE_CHECKING:
    import numpy
    from pypdfium2 import PdfDocument, PdfFormEnv, PdfPage, PdfTextPage

    Grey: TypeAlias = numpy.ndarray[tuple[int, int], numpy.dtype[numpy.uint8]]

_PDFIUM = Lock()
"""PDFium works for one thread at a time."""
_CJK_WRAP = re.compile(rf"([^\n]{{20,}}[{CJK}，、；：])\n(?=[{CJK}，、。；：！？）」』】》”])")
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?")
_HYPHEN = re.compile("[\x02\ufffe]")
"""What PDFium gives for a hyphen at the end of a line, having joined the word."""
_LONGEST_LANGUAGE = 64
_LARGEST_PICTURE = 3000
"""Most pixels of a side of a page's picture; a page of a book has about 800."""
_WHITE = 240
"""Each of red, green and blue, from which text may be white on white."""
_CONTRAST = 16
"""Levels of grey, of 256, that are one to the eye."""
_INVISIBLE = 3
"""Text rendering mode of text that is not drawn: what was hidden, or what OCR read from the image above it."""


class _Page(NamedTuple):
    text: str
    hidden: int
    """Characters left out."""


def pdf_document(data: bytes, source: str) -> LoadedDocument:
    """Return the text of a PDF with where its pages start, without text that stands out from nothing behind it.

    Raises:
        LoadError: It is encrypted, damaged, or has no text.
    """
    with _PDFIUM:
        pages, properties = _read(data)
    if not any(page.text for page in pages):
        raise LoadError("no text (image-only PDF; run OCR first)" if pages else "no pages")
    starts = [0]
    for page in pages[:-1]:
        starts.append(starts[-1] + len(page.text) + 2)
    text = "\n\n".join(page.text for page in pages)
    hidden = sum(page.hidden for page in pages)
    return LoadedDocument(
        source,
        text,
        title=properties.stated_title,
        metadata=properties.metadata(text),
        pages=tuple(starts),
        hidden=hidden_parts(character=hidden),
    )


def _read(data: bytes) -> tuple[list[_Page], Properties]:
    import pypdfium2

    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        reason = "encrypted; save it without a password" if "password" in str(error).lower() else "damaged PDF"
        raise LoadError(reason) from error
    try:
        pdf.init_forms()
        return [_page(page, pdf.formenv) for page in pdf], _properties(pdf)
    except pypdfium2.PdfiumError as error:
        raise LoadError("damaged PDF") from error
    finally:
        pdf.close()


def _properties(pdf: "PdfDocument") -> Properties:
    from pypdfium2 import raw

    stated = pdf.get_metadata_dict()
    language = (ctypes.c_ushort * _LONGEST_LANGUAGE)()
    raw.FPDFCatalog_GetLanguage(pdf, language, ctypes.sizeof(language))
    return Properties(
        title=stated["Title"],
        authors=[stated["Author"]],
        keywords=[stated["Keywords"]],
        language=bytes(language).decode("utf-16-le", "ignore"),
        created=_date(stated["CreationDate"]),
        updated=_date(stated["ModDate"]),
    )


def _date(written: str) -> str:
    """Return a date such as `D:20240531120000+02'00'` as 2024-05-31."""
    match = _DATE.match(written)
    return "-".join(filter(None, match.groups())) if match else ""


def _page(page: "PdfPage", form: "PdfFormEnv | None") -> _Page:
    """Return the text of a page, with what was filled into its form below it."""
    text, hidden = _text(page)
    return _Page("\n".join(filter(None, [text, *filled_fields(page, form)])), hidden)


def _text(page: "PdfPage") -> _Page:
    textpage = page.get_textpage()
    if not _is_suspicious(page):
        return _Page(_flowing(textpage.get_text_bounded()), 0)
    scale = min(1.0, _LARGEST_PICTURE / max(page.get_size()))
    picture: Grey = page.render(scale=scale, grayscale=True, may_draw_forms=False).to_numpy().squeeze()
    kept, hidden = "", 0
    for places, is_hidden in _runs(page, textpage, picture):
        text = textpage.get_text_range(places[0], len(places))
        kept, hidden = (kept, hidden + len("".join(text.split()))) if is_hidden else (kept + text, hidden)
    return _Page(_flowing(kept), hidden)


def _flowing(text: str) -> str:
    """Return a page's text with words and lines of Chinese joined where the layout broke them."""
    return _CJK_WRAP.sub(r"\1", _HYPHEN.sub("", clean(text))).strip()


def _is_suspicious(page: "PdfPage") -> bool:
    """Tell whether some text of a page may not be seen: it is white, transparent or not drawn."""
    from pypdfium2 import raw

    return any(
        raw.FPDFTextObj_GetTextRenderMode(one) == _INVISIBLE or _is_faint(raw.FPDFPageObj_GetFillColor, one)
        for one in page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT])
    )


def _is_faint(get_color: "ctypes._NamedFuncPointer", *of: object) -> bool:
    red, green, blue, alpha = (ctypes.c_uint(0) for _ in range(4))
    known = get_color(*of, red, green, blue, alpha)
    return bool(known) and (min(red.value, green.value, blue.value) >= _WHITE or alpha.value <= _CONTRAST)


def _runs(page: "PdfPage", textpage: "PdfTextPage", picture: "Grey") -> Iterator[tuple[list[int], bool]]:
    """Yield the places of neighbouring characters, and whether they are hidden; space goes with what is before it."""
    from pypdfium2 import raw

    def kind(place: int) -> tuple[bool, bool]:
        """Return whether a character is space, and whether it may be hidden."""
        if chr(raw.FPDFText_GetUnicode(textpage, place)).isspace():
            return True, False
        mode = raw.FPDFTextObj_GetTextRenderMode(raw.FPDFText_GetTextObject(textpage, place))
        return False, mode == _INVISIBLE or _is_faint(raw.FPDFText_GetFillColor, textpage, place)

    hidden = False
    for (is_space, may_be), group in groupby(range(textpage.count_chars()), key=kind):
        places = list(group)
        if not is_space:
            left, bottom, right, top = zip(*map(textpage.get_charbox, places), strict=True)
            seen = picture[_area(page, (min(left), min(bottom), max(right), max(top)), picture)]
            hidden = not seen.size or (may_be and int(seen.max()) - int(seen.min()) < _CONTRAST)
        yield places, hidden


def _area(page: "PdfPage", box: tuple[float, float, float, float], picture: "Grey") -> tuple[slice, slice]:
    """Return where a box of left, bottom, right and top in the page is in its picture."""
    from pypdfium2 import raw

    height, width = picture.shape
    x, y = ctypes.c_int(0), ctypes.c_int(0)
    corners = []
    for across, up in ((box[0], box[1]), (box[2], box[3])):
        raw.FPDF_PageToDevice(page, 0, 0, width, height, 0, across, up, x, y)
        corners.append((x.value, y.value))
    (left, right), (top, bottom) = (sorted(pair) for pair in zip(*corners, strict=True))
    return slice(max(top, 0), max(bottom + 1, 0)), slice(max(left, 0), max(right + 1, 0))
