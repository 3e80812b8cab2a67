"""From bytes to text, whatever the encoding, or the finding that it is no text."""

import codecs
import re

from groundgraph.knowledge.charset import likely_charset
from groundgraph.knowledge.letters import likely_letters

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BINARY_STARTS = (b"\x7fELF", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"%PDF-", b"\x1f\x8b")
_WORD_STARTS = (b"MZ", b"GIF8", b"SQLite")
"""First bytes of kinds of files that a text may begin with as well."""
_BINARY_BYTE = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_START = 1024
_EAST_ASIAN = ["gb18030", "big5", "big5hkscs", "shift_jis", "cp932", "euc_jp", "euc_kr", "cp949"]
_HIGH_RUN = re.compile(rb"[\x80-\xff]{2,}")
_HIGH = re.compile(rb"[\x80-\xff]")
_SURE = 0.8
"""How well letters fit a text that is none of East Asia; see `likely_letters`."""
_DOUBTFUL = 0.3
"""How well they fit at least a text with bytes that hardly any text has."""
_SURE_BYTES = 30
"""Bytes beyond ASCII that letters must have to be sure, where they may be of East Asia."""
_MEANT = {
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    **dict.fromkeys(("iso-8859-1", "latin-1", "latin1"), "cp1252"),
}
"""Encodings that are declared, and those that are written in their names."""
_SEVEN_BIT = re.compile(r"iso-?2022-?.*|hz.*|utf-?7|unicode-1-1-utf-7|csiso2022.*", re.IGNORECASE)
"""Encodings that write everything in ASCII."""
_ISO_2022_JP = re.compile(rb"\x1b\$[@B](?:[\x21-\x7e\n\r]{2})+\x1b\([BJ]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_REMOVED = re.compile("[\x00\ud800-\udfff\ufeff\U000e0000-\U000e007f]")
_ROW_END = re.compile("\r\n?")
_NEWLINE = re.compile(rf"{_ROW_END.pattern}|\u2028|\u2029|\x85")
_SAMPLE = 65_536
_BEFORE = 80
"""Characters of ASCII in a line that go with what comes after them."""
_UNUSUAL = re.compile(
    "[^\t-\r -~\xa0-\u052f\u05d0-\u06ff\u0900-\u0dff\u0e00-\u0eff\u1e00-\u27bf\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\ufe30-\ufe4f\uff00-\uffef\U0001f000-\U0001faff\U00020000-\U000323af]"
)
"""Characters that hardly stand in a text of today."""
_BIG5_RUN = re.compile(rb"(?:[\xa1-\xc6][\x40-\x7e\xa1-\xfe]){2,}")
"""Two or more of the symbols and common characters of Big5."""


def decode(data: bytes, declared: str | None = None) -> str | None:
    """Return the text of `data`, cleaned as by `clean`; None if it is binary.

    See `_decoded` for how its encoding is found.
    """
    text = _decoded(data, declared)
    return None if text is None else clean(text)


def decode_rows(data: bytes, declared: str | None = None) -> str | None:
    r"""Return the text of a file of rows, such as JSON Lines, as `decode` does, with `\n` for `\r\n` and `\r`.

    U+2028, U+2029 and U+0085 stay: inside a JSON string or a cell they end no row.
    """
    text = _decoded(data, declared)
    return None if text is None else _ROW_END.sub("\n", _REMOVED.sub("", text))


def _decoded(data: bytes, declared: str | None) -> str | None:
    """Return the text of `data` as it is; None if it is binary.

    A byte-order mark decides, then UTF-16 without one where NULs tell it, then an encoding in ASCII that the text
    declares, or ISO-2022-JP by its escapes, then UTF-8, then the encoding that the text declares. Else letters that
    stand alone among ASCII tell an encoding of Europe, and frequent characters one of Chinese, Japanese or Korean.
    Too short for that, it is GB18030 or Big5 where the bytes look so, else in the likeliest of all these encodings.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "ignore")
    if data.startswith(_BINARY_STARTS) or (data.startswith(_WORD_STARTS) and starts_binary(data)):
        return None
    if b"\x00" in data and (text := _decode_utf16(data)):
        return text
    if data.isascii() and (text := _decode_seven_bit(data, declared)):
        return text
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        text = _decode_damaged_utf8(data) or _decode_declared(data, declared) or _decode_legacy(data)
    return None if text is None or _looks_binary(text) else text


def starts_binary(data: bytes) -> bool:
    """Tell whether there are bytes at the beginning of a file that no text has; UTF-16 has them too."""
    return _BINARY_BYTE.search(data, 0, _START) is not None


def clean(text: str) -> str:
    r"""Return `text` without NULs, lone surrogates and byte-order marks, with `\n` as the only line end."""
    return _NEWLINE.sub("\n", _REMOVED.sub("", text))


def _looks_binary(text: str) -> bool:
    sample = text[:_SAMPLE]
    return len(_CONTROL.findall(sample)) > 0.3 * len(sample)


def _decode_damaged_utf8(data: bytes) -> str | None:
    """Decode UTF-8 with a few bad bytes, such as a log that was cut: more good sequences than bad ones."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = sum(character > "\x7f" for character in text) - bad
    return text if good > bad else None


def _decode_declared(data: bytes, declared: str | None) -> str | None:
    name = (declared or "").lower()
    try:
        return data.decode(_MEANT.get(name, name)) if name else None
    except (LookupError, UnicodeDecodeError):
        return None


def _decode_seven_bit(data: bytes, declared: str | None) -> str | None:
    if _SEVEN_BIT.fullmatch(declared or ""):
        return _decode_declared(data, declared)
    return data.decode("iso2022_jp_ext", "replace") if _ISO_2022_JP.search(data) else None


def _decode_legacy(data: bytes) -> str | None:
    sample = _sample(data)
    letters, fit = likely_letters(sample)
    if fit >= _SURE and _is_scattered(sample):
        return data.decode(letters, "replace")
    if charset := likely_charset(sample):
        return data.decode(charset, "replace")
    if b"\x00" in data:
        return None
    if fit >= _SURE and len(_HIGH.findall(sample)) >= _SURE_BYTES:
        return data.decode(letters, "replace")
    for encoding, is_likely in (("gb18030", _looks_chinese), ("big5", _looks_big5)):
        if is_likely(sample) and (text := _decode_declared(data, encoding)):
            return text
    if fit < _SURE and (charset := _normalized(sample)):
        return data.decode(charset, "replace")
    is_text = fit >= _DOUBTFUL or not _BINARY_BYTE.search(sample)
    return data.decode(letters, "replace") if is_text else None


def _normalized(sample: bytes) -> str | None:
    """Return the East Asian encoding in which a text is least odd; None if it is odd in all of them."""
    from charset_normalizer import from_bytes

    matches = from_bytes(sample, cp_isolation=_EAST_ASIAN, enable_fallback=False)
    best = min(matches, key=lambda one: (one.chaos, -one.coherence, _EAST_ASIAN.index(one.encoding)), default=None)
    return best.encoding if best else None


def _is_scattered(sample: bytes) -> bool:
    """Tell whether most bytes beyond ASCII stand alone, as the accented letters of Europe do, and none of East Asia."""
    paired = sum(map(len, _HIGH_RUN.findall(sample)))
    return paired <= len(_HIGH.findall(sample)) / 2


def _sample(data: bytes) -> bytes:
    """Return what of a text tells its encoding: the beginning, or of a long text the first lines beyond ASCII."""
    if len(data) <= _SAMPLE:
        return data
    found = b""
    for line in data.splitlines(keepends=True):
        if high := _HIGH.search(line):
            found += line[max(0, high.start() - _BEFORE) :]
        if len(found) >= _SAMPLE:
            break
    return found[:_SAMPLE]


def _decode_utf16(data: bytes) -> str | None:
    """Decode UTF-16 without a mark: nearly all NULs stand at even places, or at odd ones, and the text is usual.

    More ASCII than UTF-16 can hold means a text in bytes with a stray NUL.
    """
    even, odd = data[::2].count(0), data[1::2].count(0)
    if min(even, odd) > 0.05 * max(even, odd):
        return None
    ascii_share = sum(map(data[:_SAMPLE].count, range(32, 127))) / min(len(data), _SAMPLE)
    if ascii_share > 0.7:
        return None
    try:
        text = data[: len(data) // 2 * 2].decode("utf-16-be" if even > odd else "utf-16-le")
    except UnicodeDecodeError:
        return None
    return text if len(_UNUSUAL.findall(text[:_SAMPLE])) <= 0.05 * len(text[:_SAMPLE]) else None


def _looks_big5(data: bytes) -> bool:
    """Tell whether nearly all high bytes are in runs of common Big5 characters, some with ASCII as second byte."""
    runs = b"".join(_BIG5_RUN.findall(data))
    strays = sum(byte >= 0x80 for byte in _BIG5_RUN.sub(b"", data))
    return strays <= len(runs) // 20 and any(byte < 0x80 for byte in runs[1::2])


def _looks_chinese(data: bytes) -> bool:
    """Tell whether bytes look like GB18030: most pairs of high bytes are common characters or punctuation of GB2312.

    In Latin text high bytes stand alone among letters, in Cyrillic most lie where GB2312 has rare characters, in Big5
    half of the second bytes are ASCII.
    """
    common = rare = position = 0
    while position < len(data) - 1:
        lead, trail = data[position], data[position + 1]
        if lead < 0x80:
            position += 1
        elif 0x30 <= trail <= 0x39:
            position += 4
        else:
            is_common = trail >= 0xA1 and (0xB0 <= lead <= 0xD7 or 0xA1 <= lead <= 0xA3)
            common, rare = common + is_common, rare + (not is_common)
            position += 2
    return common > 0 and common >= 4 * rare
